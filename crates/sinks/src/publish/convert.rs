//! Events as messages.

use serde_json::{Map, Value};
use spool::Applied;
use types::{
    AccountId, Amount, AssetId, BookReduced, Describe, Described, Event, ExternalRef, Fill, Market,
    Order, OrderId, OrderRested, Price, Qty, Shown, Side, TradeExecuted,
};

use crate::publish::directory::Directory;
use crate::publish::message;

/// The messages of a command, in order, one for each event.
pub fn each_of(
    directory: &mut Directory,
    applied: &Applied,
    mut take: impl FnMut(message::Event, &Event),
) {
    for (index, event) in (0..).zip(&applied.events) {
        directory.apply(event);
        let mut message = message(directory, event);
        message.sequence = applied.sequence;
        message.index = index;
        message.time_ns = applied.sequenced_ns;
        take(message, event);
    }
}

fn message(directory: &Directory, event: &Event) -> message::Event {
    let numbered = event.instrument_seq();
    let market = numbered.and_then(|(instrument, _)| directory.market(instrument));
    let mut message = message::Event {
        kind: event.kind().to_owned(),
        symbol: market.as_ref().map(|market| market.symbol().to_owned()).unwrap_or_default(),
        instrument_event: numbered.map_or(0, |(_, number)| number),
        accounts: accounts(directory, event),
        ..message::Event::default()
    };
    let Some(market) = market else {
        no_instrument(directory, event, &mut message);
        return message;
    };
    let with = With { directory, market: &market };
    match event {
        Event::OrderAccepted(e) => message.order = Some(with.order(&e.order)),
        Event::OrderAmended(e) => message.order = Some(with.order(&e.order)),
        Event::OrderTriggered(e) => message.order = Some(with.order(&e.order)),
        Event::OrderModified(e) => message.order = Some(with.order(&e.order)),
        Event::OrderRepriced(e) => message.order = Some(with.order(&e.order)),
        Event::OrderDecremented(e) => message.order = Some(with.order(&e.order)),
        Event::OrderCanceled(e) => {
            message.order = Some(with.order(&e.order));
            message.cause = upper(&e.cause);
        }
        Event::OrderExpired(e) => {
            message.order = Some(with.order(&e.order));
            message.cause = upper(&e.cause);
        }
        Event::TradeExecuted(e) => message.trade = Some(with.trade(e)),
        Event::OrderRested(e) => message.level = Some(with.rested(e)),
        Event::BookReduced(e) => message.level = Some(with.reduced(e)),
        other => message.fields = fields(directory, other),
    }
    message
}

fn accounts(directory: &Directory, event: &Event) -> Vec<message::AccountNumber> {
    let numbers = event.account_seqs();
    let named = numbers.map(|(account, event)| message::AccountNumber {
        account: directory.account_name(account),
        event,
    });
    named.collect()
}

fn no_instrument(directory: &Directory, event: &Event, message: &mut message::Event) {
    let transfer = |account: AccountId, asset, amount, reference, free| {
        Some(transfer(directory, (account, asset, amount, reference, free)))
    };
    message.transfer = match event {
        Event::Deposited(e) => transfer(e.account, e.asset, e.amount, e.external_ref, e.free),
        Event::Withdrawn(e) => transfer(e.account, e.asset, e.amount, e.external_ref, e.free),
        Event::WithdrawalRequested(e) => {
            transfer(e.account, e.asset, e.amount, e.external_ref, e.free)
        }
        Event::WithdrawalCompleted(e) => {
            transfer(e.account, e.asset, e.amount, e.external_ref, e.free)
        }
        Event::WithdrawalCanceled(e) => {
            transfer(e.account, e.asset, e.amount, e.external_ref, e.free)
        }
        other => {
            message.fields = fields(directory, other);
            None
        }
    };
}

fn transfer(
    directory: &Directory,
    (account, asset, amount, reference, free): (AccountId, AssetId, Amount, ExternalRef, Amount),
) -> message::Transfer {
    let mut shown = Shown::new(directory);
    message::Transfer {
        account: directory.account_name(account),
        asset: shown.leaf(&Described::Asset(asset)),
        amount: shown.leaf(&Described::Amount(amount)),
        reference: reference.to_string(),
        free: shown.leaf(&Described::Amount(free)),
    }
}

/// An event's instrument with its units.
struct With<'a> {
    directory: &'a Directory,
    market: &'a Market,
}

impl With<'_> {
    fn order(&self, order: &Order) -> message::Order {
        let market = self.market;
        let stop_price = order.terms.and_then(|terms| terms.terms.stop_price);
        message::Order {
            account: self.directory.account_name(order.account),
            order_id: order.order_id.0,
            client_order_id: order.cl_ord_id.to_string(),
            side: upper(&order.side),
            r#type: upper(&order.order_type),
            time_in_force: upper(&order.time_in_force),
            status: upper(&order.status),
            price: market.price(order.price),
            quantity: market.qty(order.order_qty),
            executed_quantity: market.qty(order.cum_qty),
            executed_quote: market.quote_amount(order.cum_quote),
            quote_quantity: some_amount(order.quote_order_qty, market),
            stop_price: stop_price.map(|price| market.price(price)).unwrap_or_default(),
            created_ns: order.created_ns,
        }
    }

    fn trade(&self, trade: &TradeExecuted) -> message::Trade {
        let market = self.market;
        message::Trade {
            trade_id: trade.trade_id.0,
            price: market.price(trade.price),
            quantity: market.qty(trade.qty),
            quote: market.quote_amount(trade.quote),
            side: upper(&trade.side),
            maker: Some(self.part(&trade.maker)),
            taker: Some(self.part(&trade.taker)),
        }
    }

    fn part(&self, Fill { order, fee, fee_asset, .. }: &Fill) -> message::Part {
        let asset = self.market.asset(*fee_asset);
        message::Part {
            account: self.directory.account_name(order.account),
            order_id: order.order_id.0,
            client_order_id: order.cl_ord_id.to_string(),
            status: upper(&order.status),
            executed_quantity: self.market.qty(order.cum_qty),
            fee: asset.format_amount(*fee),
            fee_asset: asset.name.to_string(),
        }
    }

    fn rested(&self, rested: &OrderRested) -> message::Level {
        self.level(rested.order_id, rested.side, (rested.price, rested.leaves_qty))
    }

    fn reduced(&self, reduced: &BookReduced) -> message::Level {
        self.level(reduced.order_id, reduced.side, (reduced.price, reduced.leaves_qty))
    }

    fn level(
        &self,
        order_id: OrderId,
        side: Side,
        (price, leaves): (Price, Qty),
    ) -> message::Level {
        message::Level {
            order_id: order_id.0,
            side: upper(&side),
            price: self.market.price(price),
            leaves_quantity: self.market.qty(leaves),
        }
    }
}

/// Nothing for zero.
fn some_amount(amount: Amount, market: &Market) -> String {
    if amount.is_zero() { String::new() } else { market.quote_amount(amount) }
}

/// The name of a choice as APIs spell it: `PartiallyFilled` is `PARTIALLY_FILLED`.
pub(crate) fn upper(choice: &impl Describe) -> String {
    let Described::Word(word) = choice.describe() else {
        unreachable!("a choice without fields has a name")
    };
    let mut upper = String::with_capacity(word.len() + 4);
    for (at, letter) in word.char_indices() {
        if at > 0 && letter.is_ascii_uppercase() {
            upper.push('_');
        }
        upper.push(letter.to_ascii_uppercase());
    }
    upper
}

/// All fields of an event as JSON, with the names of the log.
fn fields(directory: &Directory, event: &Event) -> String {
    match event.describe() {
        Described::Choice(_, record) => json(&mut Shown::new(directory), &record).to_string(),
        other => unreachable!("an event is a choice, not {other:?}"),
    }
}

fn json(shown: &mut Shown<&Directory>, value: &Described) -> Value {
    match value {
        Described::Nothing => Value::Null,
        Described::Flag(flag) => (*flag).into(),
        Described::Number(number) => (*number).into(),
        Described::List(list) => list.iter().map(|value| json(shown, value)).collect(),
        Described::Record(fields) => {
            let mut object = Map::new();
            for (name, value) in fields {
                shown.enter(name, value);
                object.insert((*name).to_owned(), json(shown, value));
            }
            Value::Object(object)
        }
        Described::Choice(_, record) => json(shown, record),
        leaf => shown.leaf(leaf).into(),
    }
}
