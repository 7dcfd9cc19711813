use proptest::prelude::*;
use types::{
    BookReduced, CancelCause, Event, InstrumentId, Market, Order, OrderId, OrderTerms, Price, Qty,
    Reader, Side, Wire,
};

use super::*;
use crate::L2Book;
use crate::l2::BookUpdate;
use crate::market::{EventSource, ops};

const ID: InstrumentId = InstrumentId(0);

/// The messages of events, each a command of its own.
fn messages(stream: &mut OrderStream, first: u64, events: &[Event]) -> Vec<OrderMessage> {
    let mut messages = Vec::new();
    for (sequence, event) in (first..).zip(events) {
        let one = std::slice::from_ref(event);
        stream.command(sequence, sequence * 10, one, |message| messages.push(message));
    }
    messages
}

fn said(events: &[Event]) -> Vec<Said> {
    let messages = messages(&mut OrderStream::default(), 1, events);
    let numbers: Vec<_> = messages.iter().map(|message| message.number).collect();
    assert_eq!(numbers, (1..=messages.len() as u64).collect::<Vec<_>>());
    messages.into_iter().map(|message| message.said).collect()
}

#[test]
fn the_first_command_opens_the_day_and_a_listing_names_the_instrument() {
    let mut source = EventSource::new(ID);
    let said = said(&[source.list(), source.rest(Side::Buy, 7, 60, 10), source.cancel(7)]);
    let order_id = OrderId(7);
    let price = Price::from_ticks(10);
    assert_eq!(
        said,
        [
            Said::Session(SessionEvent::StartOfMessages),
            Said::Session(SessionEvent::StartOfSystemHours),
            Said::Session(SessionEvent::StartOfMarketHours),
            Said::Of(ID, Fact::Listed),
            Said::Of(ID, Fact::Status(TradingStatus::In(types::Phase::Continuous))),
            Said::Of(ID, Fact::Added { order_id, side: Side::Buy, price, qty: 60 }),
            Said::Of(ID, Fact::Deleted { order_id }),
        ]
    );
}

#[test]
fn an_instrument_that_no_message_can_say_is_kept_out() {
    let check = |tick: &str, symbol: &str, id, expected: Result<i64, Unsayable>| {
        let mut instrument = Market::example().instrument;
        instrument.id = InstrumentId(id);
        instrument.spec.symbol = types::Symbol::parse(symbol).unwrap();
        instrument.spec.tick_size = types::Increment::parse(tick).unwrap();
        assert_eq!(price_max(&instrument).map(Price::ticks), expected, "{tick} {symbol} {id}");
    };
    check("0.01", "BTCUSDT", 0, Ok(42_949_672));
    check("0.0001", "BTCUSDT", 0, Ok(4_294_967_295));
    check("0.00010", "BTCUSDT", 65_534, Ok(4_294_967_295));
    check("0.00001", "BTCUSDT", 0, Err(Unsayable::FineTick));
    check("0.00015", "BTCUSDT", 0, Err(Unsayable::FineTick));
    check("500000", "BTCUSDT", 0, Err(Unsayable::HighPrices));
    check("0.01", "BTCUSDTXY", 0, Err(Unsayable::LongSymbol));
    check("0.01", "BTCUSDT", 65_535, Err(Unsayable::Locate));
}

#[test]
fn quantities_and_prices_beyond_a_message_are_cut_and_left_out() {
    let mut source = EventSource::new(ID);
    let large = u64::from(u32::MAX) + 10;
    let listed = source.list();
    let events = [
        listed,
        source.rest(Side::Buy, 1, large, 10),
        source.amend(1, large - 4),
        source.trade(1, 3),
        source.trade(1, 5),
        source.rest(Side::Sell, 2, 5, 1 << 40),
        source.cancel(2),
        source.cancel(1),
    ];
    let of_orders: Vec<_> = said(&events).split_off(5);
    let (order_id, price) = (OrderId(1), Price::from_ticks(10));
    let trade_id = types::TradeId;
    assert_eq!(
        of_orders,
        [
            Said::Of(ID, Fact::Added { order_id, side: Side::Buy, price, qty: u32::MAX }),
            Said::Of(ID, Fact::Traded { side: Side::Buy, price, qty: 3, trade_id: trade_id(1) }),
            Said::Of(ID, Fact::Executed { order_id, qty: 2, trade_id: trade_id(2) }),
            Said::Of(ID, Fact::Deleted { order_id }),
        ]
    );
}

/// An order with special terms, such as one that self-trade prevention has reduced, is off the book
/// by an event of its own, ahead of its cancel.
#[test]
fn an_order_in_the_place_of_a_canceled_one_replaces_it() {
    let check = |is_special: bool, cause: CancelCause, new_side: Side| {
        let mut source = EventSource::new(ID);
        let mut stream = OrderStream::default();
        messages(&mut stream, 1, &[source.list(), source.rest(Side::Sell, 1, 5, 10)]);
        let Event::OrderCanceled(mut canceled) = source.cancel(1) else { panic!("a cancel") };
        canceled.cause = cause;
        canceled.order.terms = is_special.then(OrderTerms::default);
        let Event::OrderAccepted(mut accepted) = source.accept() else { panic!("an order") };
        (accepted.order.order_id, accepted.order.side) = (OrderId(2), new_side);
        let Order { instrument, order_id, side, price, .. } = canceled.order;
        let reduced = is_special.then(|| {
            let (qty, leaves_qty) = (canceled.canceled_qty, Qty::ZERO);
            Event::BookReduced(BookReduced {
                instrument_seq: 3,
                instrument,
                order_id,
                side,
                price,
                qty,
                leaves_qty,
            })
        });
        let new = [Event::OrderAccepted(accepted), source.rest(new_side, 2, 4, 11)];
        let events: Vec<_> =
            reduced.into_iter().chain([Event::OrderCanceled(canceled)]).chain(new).collect();
        let mut said = Vec::new();
        stream.command(3, 30, &events, |message| said.push(message.said));
        said
    };
    let (order_id, new_order_id, price) = (OrderId(1), OrderId(2), Price::from_ticks(11));
    let replaced = Fact::Replaced { order_id, new_order_id, price, qty: 4 };
    let in_two = |side| {
        let added = Fact::Added { order_id: new_order_id, side, price, qty: 4 };
        [Said::Of(ID, Fact::Deleted { order_id }), Said::Of(ID, added)]
    };
    for is_special in [false, true] {
        let said = |cause, side| check(is_special, cause, side);
        assert_eq!(said(CancelCause::Replaced, Side::Sell), [Said::Of(ID, replaced)]);
        assert_eq!(said(CancelCause::Replaced, Side::Buy), in_two(Side::Buy));
        assert_eq!(said(CancelCause::Requested, Side::Sell), in_two(Side::Sell));
    }
}

/// What messages show of a book, best first.
fn levels(orders: &ShownOrders, side: Side) -> Vec<(Price, Qty, u32)> {
    let mut levels = std::collections::BTreeMap::<Price, (u64, u32)>::new();
    for order in orders.orders(ID).filter(|order| order.side == side) {
        let (qty, count) = levels.entry(order.price).or_default();
        *qty += u64::from(order.qty);
        *count += 1;
    }
    let levels =
        levels.into_iter().map(|(price, (qty, count))| (price, Qty::from_lots(qty), count));
    match side {
        Side::Buy => levels.rev().collect(),
        Side::Sell => levels.collect(),
    }
}

proptest! {
    #[test]
    fn the_orders_of_messages_are_the_book(ops in ops(200)) {
        let mut source = EventSource::new(ID);
        let (mut stream, mut orders) = (OrderStream::default(), ShownOrders::default());
        let mut book = L2Book::default();
        let listed = source.list();
        let events: Vec<_> =
            std::iter::once(listed).chain(ops.into_iter().map(|op| source.random(op))).collect();
        for (sequence, event) in (1..).zip(&events) {
            book.apply(&BookUpdate::of(event).unwrap());
            let one = std::slice::from_ref(event);
            stream.command(sequence, sequence, one, |message| orders.apply(&message));
            let expect = |level: crate::Level| (level.price, level.qty, level.order_count);
            prop_assert_eq!(levels(&orders, Side::Buy), book.bids().map(expect).collect::<Vec<_>>());
            prop_assert_eq!(levels(&orders, Side::Sell), book.asks().map(expect).collect::<Vec<_>>());
        }
    }

    /// From any number on, also from an index that was written and read, the same messages follow.
    #[test]
    fn messages_are_made_again(ops in ops(6_000), from in 1_u64..5_000) {
        let mut source = EventSource::new(ID);
        let listed = source.list();
        let events: Vec<_> =
            std::iter::once(listed).chain(ops.into_iter().map(|op| source.random(op))).collect();
        let mut index = OrderIndex::default();
        for (sequence, event) in (1..).zip(&events) {
            index.command(sequence, sequence * 10, std::slice::from_ref(event));
        }
        let mut bytes = Vec::new();
        index.write(&mut bytes);
        let index: OrderIndex = Reader(&bytes).read().unwrap();
        let all = messages(&mut OrderStream::default(), 1, &events);
        prop_assert_eq!(index.stream().count(), all.len() as u64);
        let place = index.place(from);
        prop_assert_eq!(place.is_some(), from <= all.len() as u64);
        let Some((mut stream, sequence)) = place else { return Ok(()) };
        let again = messages(&mut stream, sequence, &events[sequence as usize - 1..]);
        let skipped = from - again[0].number;
        prop_assert!(skipped < 1_010, "{}", skipped);
        let (again, all) = (&again[skipped as usize..], &all[from as usize - 1..]);
        prop_assert!(again == all);
    }

    #[test]
    fn an_index_is_read_as_written_or_not_at_all(
        bytes in prop::collection::vec(prop_oneof![3 => Just(0), 2 => 0_u8..3, 1 => any::<u8>()], 0..200),
    ) {
        let mut r = Reader(&bytes);
        if let Some(index) = OrderIndex::read(&mut r) {
            let mut written = Vec::new();
            index.write(&mut written);
            prop_assert_eq!(&written[..], &bytes[..bytes.len() - r.0.len()]);
        }
    }
}
