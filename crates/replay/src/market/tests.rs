//! Scripts of recorded events and of another account, on the engine: trades and books out.

use std::fmt::Write;

use engine::Engine;
use recorded::{Event as Recorded, Kind};
use types::{AccountId, Entry, Envelope, Event, InstrumentId, Origin};

use super::*;

/// The account of the record, and another one.
const RECORD: AccountId = AccountId(1);
const OTHER: AccountId = AccountId(2);

#[test]
fn recorded_orders_trade_with_what_stands() {
    check(
        "add 1 S 100 10
         add 2 S 101 10
         other B 100 4        -> other 4 @ 100
         execute 1 100 10     -> record 6 @ 100
         book                 -> | 101x10
         delete 1
         cancel 2 101 3
         book                 -> | 101x7",
        "4 commands, refused 0, dropped 0, executed 10, divergent 4",
    );
}

#[test]
fn own_orders_ahead_are_executed_in_place_of_recorded_ones() {
    check(
        "add 1 B 100 10
         other B 101 5
         execute 1 100 8      -> other 5 @ 101, record 3 @ 100
         book                 -> 100x7 |
         delete 1
         book                 -> |",
        "3 commands, refused 0, dropped 0, executed 8, divergent 0",
    );
}

#[test]
fn a_cancel_of_what_was_taken_is_dropped() {
    check(
        "add 1 S 100 10
         other B 100 10       -> other 10 @ 100
         delete 1
         add 2 S 100 10
         other B 100 6        -> other 6 @ 100
         cancel 2 100 5
         book                 -> |",
        "4 commands, refused 0, dropped 1, executed 0, divergent 0",
    );
}

#[test]
fn a_change_keeps_or_loses_the_place_as_recorded() {
    check(
        "add 1 S 100 10
         other S 100 2
         modify 1 S 100 6
         execute 1 100 6      -> record 6 @ 100
         modify 1 S 100 9
         execute 1 100 4      -> other 2 @ 100, record 2 @ 100
         modify 1 S 103 3
         book                 -> | 103x3",
        "6 commands, refused 0, dropped 0, executed 10, divergent 0",
    );
}

#[test]
fn a_record_that_crosses_itself_takes_its_own_orders_away_and_trades_with_others() {
    check(
        "level S 100 5
         other S 100 3
         level B 100 7        -> other 3 @ 100
         book                 -> 100x4 |
         level S 100 0
         book                 -> 100x4 |",
        "3 commands, refused 0, dropped 1, executed 0, divergent 0",
    );
}

#[test]
fn levels_shrink_from_the_youngest_and_trades_take_the_oldest() {
    check(
        "level B 100 10
         other B 100 1
         level B 100 15
         trade S 100 11       -> record 10 @ 100, other 1 @ 100
         level B 100 4
         book                 -> 100x5 |
         level B 100 2
         book                 -> 100x3 |
         level B 99 3
         clear
         book                 -> |
         trade S 100 4",
        "7 commands, refused 0, dropped 0, executed 15, divergent 4",
    );
}

#[test]
fn a_clear_takes_away_what_the_record_has_forgotten() {
    // Of the level that the trade has emptied, half stands: another order was in its place.
    check(
        "level B 100 10
         other B 101 5
         trade S 100 10       -> other 5 @ 101, record 5 @ 100
         book                 -> 100x5 |
         clear
         book                 -> |",
        "3 commands, refused 0, dropped 0, executed 10, divergent 0",
    );
}

#[test]
fn trades_without_a_book_fill_what_stands_at_their_price() {
    check(
        "other B 100 5
         trade - 101 3
         trade - 100 3        -> other 3 @ 100
         bar 99 4             -> other 1 @ 100
         trade S 99 4         -> other 1 @ 100",
        "7 commands, refused 0, dropped 0, executed 0, divergent 0",
    );
}

#[test]
fn prices_and_quantities_are_scaled_to_the_venue() {
    let scale = Scale { instrument: InstrumentId(0), ticks_per_tick: 10, lots_per_lot: 100 };
    let mut steps = Vec::new();
    Market::new(scale).push(&recorded("add 1 S 7 3"), &mut steps);
    let Command::NewOrder(order) = &steps[0].command else { panic!("{steps:?}") };
    assert_eq!(order.price, Price::from_ticks(70));
    assert_eq!(order.size, OrderSize::Base(Qty::from_lots(300)));
}

/// Each line is an event of the record, an order of the other account, or `book`; behind `->` are
/// the trades with the maker's account, or the book.
#[track_caller]
fn check(script: &str, tally: &str) {
    let mut engine = crate::whole::for_market(2);
    let scale = Scale { instrument: InstrumentId(0), ticks_per_tick: 1, lots_per_lot: 1 };
    let (mut market, mut counts, mut at_ns) = (Market::new(scale), MarketTally::default(), 0);
    let mut desk = Desk { scale, named: 1_000_000 };
    for line in script.lines().map(str::trim) {
        let (words, expected) = line.split_once("->").unwrap_or((line, ""));
        let (words, expected) = (words.trim(), expected.trim());
        let mut apply = |account, command: &Command| {
            at_ns += 1;
            let envelope = Envelope { account, ..Envelope::venue(Origin::Replay, 0) };
            let (entry, mut events) = (Entry { envelope, command: command.clone() }, Vec::new());
            engine.apply(at_ns, &entry, &mut events);
            events
        };
        let mut trades = Vec::new();
        if let Some(order) = words.strip_prefix("other ") {
            let [side, price, lots] = words_of(order);
            let (price, lots) = (Price::from_ticks(price.parse().unwrap()), lots.parse().unwrap());
            let mut out = Vec::new();
            desk.rest(side_of(side).unwrap(), price, lots, &mut out);
            trades = apply(OTHER, &out[0].command);
        } else if words != "book" {
            let mut steps = Vec::new();
            market.push(&recorded(words), &mut steps);
            for step in steps {
                let events = apply(RECORD, &step.command);
                counts.count(step.meaning, events.iter());
                trades.extend(events);
            }
        }
        let found = if words == "book" { book(&engine) } else { print(&trades) };
        assert_eq!(found, expected, "{line}");
    }
    let MarketTally { commands, refused, dropped, executed_lots, divergent_lots } = counts;
    let found = format!(
        "{commands} commands, refused {refused}, dropped {dropped}, executed {executed_lots}, \
         divergent {divergent_lots}"
    );
    assert_eq!(found, tally);
}

fn print(events: &[Event]) -> String {
    let trades = events.iter().filter_map(|event| match event {
        Event::TradeExecuted(trade) => {
            let makers = [trade.maker.order.account, trade.taker.order.account];
            let name = if makers.contains(&OTHER) { "other" } else { "record" };
            Some(format!("{name} {} @ {}", trade.qty.lots(), trade.price.ticks()))
        }
        _ => None,
    });
    trades.collect::<Vec<_>>().join(", ")
}

fn book(engine: &Engine) -> String {
    let mut text = String::new();
    let levels = |side| engine.levels(InstrumentId(0), side);
    levels(Side::Buy).for_each(|(price, qty)| {
        write!(text, "{}x{} ", price.ticks(), qty.lots()).unwrap();
    });
    text.push('|');
    levels(Side::Sell).for_each(|(price, qty)| {
        write!(text, " {}x{}", price.ticks(), qty.lots()).unwrap();
    });
    text
}

fn recorded(words: &str) -> Recorded {
    let [kind, rest @ ..] = &words.split_whitespace().collect::<Vec<_>>()[..] else {
        panic!("{words}")
    };
    let number = |at: usize| rest[at].parse::<u64>().unwrap();
    let (kind, order, side, price, lots) = match (*kind, rest.len()) {
        ("add", _) => (Kind::Add, number(0), side_of(rest[1]), number(2), number(3)),
        ("modify", _) => (Kind::Modify, number(0), side_of(rest[1]), number(2), number(3)),
        ("cancel", _) => (Kind::Cancel, number(0), None, number(1), number(2)),
        ("execute", _) => (Kind::Execute, number(0), None, number(1), number(2)),
        ("delete", _) => (Kind::Delete, number(0), None, 0, 0),
        ("level", _) => (Kind::Level, 0, side_of(rest[0]), number(1), number(2)),
        ("trade", _) => (Kind::Trade, 0, side_of(rest[0]), number(1), number(2)),
        ("bar", _) => (Kind::Low, 0, None, number(0), number(1)),
        ("clear", _) => (Kind::Clear, 0, None, 0, 0),
        _ => panic!("{words}"),
    };
    Recorded {
        exchange_ns: 0,
        local_ns: 0,
        order,
        price: Price::from_ticks(price.cast_signed()),
        quantity: Qty::from_lots(lots),
        instrument: 0,
        kind,
        side,
    }
}

fn side_of(word: &str) -> Option<Side> {
    match word {
        "B" => Some(Side::Buy),
        "S" => Some(Side::Sell),
        _ => None,
    }
}

fn words_of<const N: usize>(text: &str) -> [&str; N] {
    text.split_whitespace().collect::<Vec<_>>().try_into().unwrap()
}
