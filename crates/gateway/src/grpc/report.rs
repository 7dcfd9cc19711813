//! Orders, fills and events as messages.

use marketdata::PublicTrade;
use proto::v1;
use spool::NumberedEvent;
use types::{AccountId, Event, Fill, InstrumentId, Market, Order, OrderId, TradeExecuted};

use crate::door::directory::Directory;
use crate::grpc::words::Word;

pub(super) fn order(market: &Market, order: &Order) -> v1::Order {
    let stop_price = order.terms.and_then(|terms| terms.terms.stop_price);
    let quote_qty = order.quote_order_qty;
    v1::Order {
        symbol: market.symbol().to_owned(),
        order_id: order.order_id.0,
        client_order_id: order.cl_ord_id.as_str().to_owned(),
        side: order.side.in_message().into(),
        r#type: order.order_type.in_message().into(),
        time_in_force: order.time_in_force.in_message().into(),
        status: order.status.in_message().into(),
        price: market.price(order.price),
        quantity: market.qty(order.order_qty),
        executed_quantity: market.qty(order.cum_qty),
        executed_quote: market.quote_amount(order.cum_quote),
        quote_quantity: if quote_qty.is_zero() {
            String::new()
        } else {
            market.quote_amount(quote_qty)
        },
        stop_price: stop_price.map(|price| market.price(price)).unwrap_or_default(),
        stp_mode: order.stp_mode.in_message().into(),
        created_ns: order.created_ns,
        updated_ns: order.updated_ns,
    }
}

/// What a command did to one order.
pub(super) struct Outcome {
    /// As the command left it.
    pub(super) order: Order,
    pub(super) fills: Vec<v1::Fill>,
}

impl Outcome {
    /// Of the first order that `is_meant` finds among the events.
    pub(super) fn find(
        market: &Market,
        events: &[Event],
        is_meant: impl Fn(&Event) -> Option<OrderId>,
    ) -> Option<Self> {
        let instrument = market.instrument.id;
        let order_id = events.iter().find_map(is_meant)?;
        let mut states = events.iter().flat_map(orders_of);
        let is_it = |order: &&Order| order.order_id == order_id && order.instrument == instrument;
        let order = *states.rfind(is_it)?;
        let fills = events.iter().filter_map(|event| fill_of(market, event, instrument, order_id));
        Some(Self { order, fills: fills.collect() })
    }

    pub(super) fn into_reply(self, market: &Market, repeated: bool) -> v1::OrderReply {
        v1::OrderReply { order: Some(order(market, &self.order)), fills: self.fills, repeated }
    }
}

fn fill_of(
    market: &Market,
    event: &Event,
    instrument: InstrumentId,
    order_id: OrderId,
) -> Option<v1::Fill> {
    let Event::TradeExecuted(trade) = event else { return None };
    let sides = [(&trade.taker, false), (&trade.maker, true)];
    let own = |(of, _): &(&Fill, bool)| of.order.order_id == order_id;
    let (of, is_maker) =
        sides.into_iter().find(|side| trade.instrument == instrument && own(side))?;
    Some(fill(market, trade, of, is_maker))
}

fn fill(market: &Market, trade: &TradeExecuted, of: &Fill, is_maker: bool) -> v1::Fill {
    let asset = market.asset(of.fee_asset);
    v1::Fill {
        trade_id: trade.trade_id.0,
        price: market.price(trade.price),
        quantity: market.qty(trade.qty),
        fee: asset.format_amount(of.fee),
        fee_asset: asset.name.as_str().to_owned(),
        is_maker,
    }
}

pub(super) fn trade(market: &Market, trade: &PublicTrade, event: u64) -> v1::Trade {
    v1::Trade {
        symbol: market.symbol().to_owned(),
        trade_id: trade.trade_id.0,
        price: market.price(trade.price),
        quantity: market.qty(trade.qty),
        time_ns: trade.traded_ns,
        is_buyer_maker: trade.is_buyer_maker,
        event,
    }
}

/// An event as its account sees it.
pub(super) fn account_event(
    directory: &Directory,
    account: AccountId,
    numbered: &NumberedEvent,
) -> v1::AccountEvent {
    let event = &numbered.event;
    let mut message = v1::AccountEvent {
        number: numbered.number,
        time_ns: numbered.sequenced_ns,
        kind: event.kind().to_owned(),
        ..Default::default()
    };
    let own = own_order(event, account, numbered.number);
    let market = own.and_then(|order| directory.market_of(order.instrument));
    let (Some(own), Some(market)) = (own, market) else { return message };
    message.order = Some(order(&market, own));
    match event {
        Event::TradeExecuted(trade) => {
            let is_maker =
                trade.maker.account_seq == numbered.number && trade.maker.order.account == account;
            let of = if is_maker { &trade.maker } else { &trade.taker };
            message.fill = Some(fill(&market, trade, of, is_maker));
        }
        Event::OrderCanceled(canceled) => message.cause = format!("{:?}", canceled.cause),
        Event::OrderExpired(expired) => message.cause = format!("{:?}", expired.cause),
        Event::OrderAmended(amended) => {
            message.previous_client_order_id = amended.orig_cl_ord_id.as_str().to_owned();
        }
        Event::OrderModified(modified) => {
            message.previous_client_order_id = modified.orig_cl_ord_id.as_str().to_owned();
        }
        _ => {}
    }
    message
}

/// The order of an event that has this number of the account: of a trade within one account there
/// are two.
fn own_order(event: &Event, account: AccountId, number: u64) -> Option<&Order> {
    match event {
        Event::TradeExecuted(trade) => {
            let sides = [&trade.maker, &trade.taker].into_iter();
            let mut own =
                sides.filter(|side| side.order.account == account && side.account_seq == number);
            own.next().map(|side| &side.order)
        }
        _ => orders_of(event).find(|order| order.account == account),
    }
}

/// The orders that an event has, as they are after it.
fn orders_of(event: &Event) -> impl DoubleEndedIterator<Item = &Order> {
    let orders = match event {
        Event::OrderAccepted(e) => [Some(&e.order), None],
        Event::OrderCanceled(e) => [Some(&e.order), None],
        Event::OrderExpired(e) => [Some(&e.order), None],
        Event::OrderAmended(e) => [Some(&e.order), None],
        Event::OrderTriggered(e) => [Some(&e.order), None],
        Event::OrderModified(e) => [Some(&e.order), None],
        Event::OrderRepriced(e) => [Some(&e.order), None],
        Event::OrderDecremented(e) => [Some(&e.order), None],
        Event::TradeExecuted(e) => [Some(&e.maker.order), Some(&e.taker.order)],
        _ => [None, None],
    };
    orders.into_iter().flatten()
}
