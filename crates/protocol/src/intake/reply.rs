//! Replies: one for each entry of the stream.

use serde::Serialize;
use types::{
    AccountId, CancelOrder, Command, CommandRejected, Event, Fill as Side, Market, Order, OrderId,
    RejectReason,
};

use super::fault::{Fault, FaultCode};
use super::stream_id::StreamId;
use super::word;

/// The fields of a reply, in JSON. What a reply has no value for is left out.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Reply {
    /// The id of the entry that it answers.
    pub stream_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<&'static str>,
    /// Of the order as the command left it; `REJECTED` if the venue did nothing, `DONE` of a cancel
    /// of all orders, and `UNKNOWN` of an entry that the venue may have taken before.
    pub status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The reason in words, of what the intake refused itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub msg: Option<String>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    order: Option<OrderFields>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fills: Vec<Fill>,
    /// How many orders a cancel of all orders has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub canceled: Option<usize>,
    /// The command was carried out before: an earlier reply may say the same.
    #[serde(skip_serializing_if = "is_false")]
    pub repeated: bool,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct OrderFields {
    symbol: String,
    order_id: u64,
    client_order_id: String,
    side: &'static str,
    r#type: &'static str,
    time_in_force: &'static str,
    price: String,
    orig_qty: String,
    executed_qty: String,
    /// Binance spells it so.
    cummulative_quote_qty: String,
    /// Milliseconds since 1970.
    transact_time: u64,
}

/// A trade of the order, within its command.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Fill {
    trade_id: u64,
    price: String,
    qty: String,
    commission: String,
    commission_asset: String,
}

const NS_PER_MS: u64 = 1_000_000;

impl Reply {
    /// About an entry of which nothing else is known.
    pub fn about(stream_id: StreamId) -> Self {
        Self { stream_id: stream_id.to_string(), ..Self::default() }
    }

    #[must_use]
    pub fn with_fault(self, fault: &Fault) -> Self {
        Self {
            status: if fault.code == FaultCode::OutcomeGone { UNKNOWN } else { REJECTED },
            code: Some(fault.code as u16),
            reason: Some(fault.code.name().to_owned()),
            msg: Some(fault.sentence.clone().into_owned()),
            ..self
        }
    }

    #[must_use]
    pub fn with_rejection(self, reason: RejectReason) -> Self {
        Self {
            status: if reason == RejectReason::NumberForgotten { UNKNOWN } else { REJECTED },
            code: Some(reason as u16),
            reason: Some(format!("{reason:?}")),
            ..self
        }
    }

    /// What the events of `command` say. Fails if they are of another command, whose id was used
    /// again.
    pub fn with_events(
        mut self,
        command: &Command,
        (account, market): (AccountId, Option<&Market>),
        events: &[Event],
    ) -> Result<Self, Fault> {
        if let Some(reason) = rejection(events) {
            // A cancel of all orders that finds none has done what it was asked for.
            let finds_none = reason == RejectReason::OrderNotFound;
            return Ok(match command {
                Command::MassCancel(_) if finds_none => {
                    Self { status: DONE, canceled: Some(0), ..self }
                }
                _ => self.with_rejection(reason),
            });
        }
        let reused = || Fault::new(FaultCode::IdReused, "the id was used for another request");
        if let Command::MassCancel(_) = command {
            let canceled = |event: &&Event| matches!(event, Event::OrderCanceled(e) if e.order.account == account);
            let count = events.iter().filter(canceled).count();
            return Ok(Self { status: DONE, canceled: Some(count), ..self });
        }
        let market = market.ok_or_else(reused)?;
        let order_id = events.iter().find_map(|event| meant(command, event, account));
        let order = order_id.and_then(|order_id| last_state(events, market, order_id));
        let order = order.ok_or_else(reused)?;
        self.status = word::status(order.status);
        self.fills = events.iter().filter_map(|event| fill(market, event, order)).collect();
        self.order = Some(OrderFields::new(market, order));
        Ok(self)
    }

    pub fn to_json(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("texts and numbers are JSON")
    }
}

const REJECTED: &str = "REJECTED";
const DONE: &str = "DONE";
const UNKNOWN: &str = "UNKNOWN";

impl OrderFields {
    fn new(market: &Market, order: &Order) -> Self {
        Self {
            symbol: market.symbol().to_owned(),
            order_id: order.order_id.0,
            client_order_id: order.cl_ord_id.as_str().to_owned(),
            side: word::side(order.side),
            r#type: word::order_type(order.order_type),
            time_in_force: word::time_in_force(order.time_in_force),
            price: market.price(order.price),
            orig_qty: market.qty(order.order_qty),
            executed_qty: market.qty(order.cum_qty),
            cummulative_quote_qty: market.quote_amount(order.cum_quote),
            transact_time: order.updated_ns / NS_PER_MS,
        }
    }
}

fn rejection(events: &[Event]) -> Option<RejectReason> {
    events.iter().find_map(|event| match event {
        Event::CommandRejected(CommandRejected { reason, .. }) => Some(*reason),
        _ => None,
    })
}

/// The order that the command entered or canceled.
fn meant(command: &Command, event: &Event, account: AccountId) -> Option<OrderId> {
    match (command, event) {
        (Command::NewOrder(_), Event::OrderAccepted(e)) if e.order.account == account => {
            Some(e.order.order_id)
        }
        (Command::CancelOrder(cancel), Event::OrderCanceled(e)) => {
            (e.order.account == account && names(cancel, &e.order)).then_some(e.order.order_id)
        }
        _ => None,
    }
}

fn names(cancel: &CancelOrder, order: &Order) -> bool {
    let of = &cancel.order;
    of.order_id.is_none_or(|id| id == order.order_id)
        && of.cl_ord_id.is_none_or(|name| name == order.cl_ord_id)
}

fn last_state<'a>(events: &'a [Event], market: &Market, order_id: OrderId) -> Option<&'a Order> {
    let is_it =
        |order: &&Order| order.order_id == order_id && order.instrument == market.instrument.id;
    events.iter().rev().find_map(|event| orders_of(event).into_iter().flatten().find(is_it))
}

/// The orders that an event has, as they are after it.
fn orders_of(event: &Event) -> [Option<&Order>; 2] {
    match event {
        Event::OrderAccepted(e) => [Some(&e.order), None],
        Event::OrderCanceled(e) => [Some(&e.order), None],
        Event::OrderExpired(e) => [Some(&e.order), None],
        Event::OrderTriggered(e) => [Some(&e.order), None],
        Event::OrderRepriced(e) => [Some(&e.order), None],
        Event::OrderDecremented(e) => [Some(&e.order), None],
        Event::TradeExecuted(e) => [Some(&e.maker.order), Some(&e.taker.order)],
        _ => [None, None],
    }
}

fn fill(market: &Market, event: &Event, order: &Order) -> Option<Fill> {
    let Event::TradeExecuted(trade) = event else { return None };
    let is_own = |side: &&Side| {
        side.order.order_id == order.order_id && trade.instrument == order.instrument
    };
    let side = [&trade.taker, &trade.maker].into_iter().find(is_own)?;
    let asset = market.asset(side.fee_asset);
    Some(Fill {
        trade_id: trade.trade_id.0,
        price: market.price(trade.price),
        qty: market.qty(trade.qty),
        commission: asset.format_amount(side.fee),
        commission_asset: asset.name.as_str().to_owned(),
    })
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}
