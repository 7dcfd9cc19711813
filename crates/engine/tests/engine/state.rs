//! The bytes of the state.

use engine::{Engine, WORK_PER_COMMAND};
use proptest::prelude::*;
use types::{
    AccountId, Asset, AssetId, AssetName, Command, InstrumentId, InstrumentSpec, ListAsset,
    ListInstrument, NewOrder, OrderSize, Reader, Side, Symbol,
};

use crate::house::{Driver, House, deposit, entry, event_bytes, limit, lots, market, state_bytes};
use crate::random::{self, RandomStep, steps};

fn run(venue: &mut Driver, steps: &[RandomStep]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for step in steps {
        venue.now_ns += step.after_ns - 1;
        bytes.extend(event_bytes(&venue.apply_whole(&step.entry)));
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..Default::default() })]

    #[test]
    fn a_restored_engine_goes_on_like_the_one_that_was_saved(
        before in steps(120),
        after in steps(60),
    ) {
        let mut venue = random::open();
        run(&mut venue, &before);
        let bytes = state_bytes(&venue.engine);
        let restored = Engine::read_state(Reader(&bytes)).expect("its own state");
        prop_assert_eq!(&state_bytes(&restored), &bytes);
        let mut restored = Driver::over(restored, &venue);
        prop_assert_eq!(run(&mut restored, &after), run(&mut venue, &after));
        prop_assert_eq!(state_bytes(&restored.engine), state_bytes(&venue.engine));
    }

    #[test]
    fn the_same_commands_give_the_same_events(steps in steps(120)) {
        let (mut one, mut other) = (random::open(), random::open());
        prop_assert_eq!(run(&mut one, &steps), run(&mut other, &steps));
        prop_assert_eq!(state_bytes(&one.engine), state_bytes(&other.engine));
    }

    /// Damage is detected, or it changes a number to another valid one.
    #[test]
    fn damaged_bytes_are_no_reason_to_panic(
        steps in steps(60),
        flips in prop::collection::vec((any::<prop::sample::Index>(), 0..8_u8), 40),
        after in steps(20),
    ) {
        let mut venue = random::open();
        run(&mut venue, &steps);
        let bytes = state_bytes(&venue.engine);
        for (at, bit) in flips {
            let mut damaged = bytes.clone();
            damaged[at.index(bytes.len())] ^= 1 << bit;
            check_damaged(&damaged, &after);
        }
    }
}

/// The balances of assets that were listed late lie elsewhere than those of the first.
#[test]
fn late_assets_trade_and_are_restored() {
    let mut venue = House::default().open();
    for at in 3..=200 {
        let name = AssetName::parse(&format!("A{at}")).unwrap();
        let asset = Asset { name, decimals: 0 };
        venue.apply(0, Command::ListAsset(ListAsset { asset }));
    }
    for (instrument, base) in (2..).map(InstrumentId).zip([200, 63, 64]) {
        let symbol = Symbol::parse(&format!("A{base}Q")).unwrap();
        let plain = House::default().instruments[0];
        let spec = InstrumentSpec { symbol, base: AssetId(base), ..plain };
        venue.apply(0, Command::ListInstrument(ListInstrument { spec }));
        venue.apply(0, deposit(1, base, 100, &format!("late-{base}")));
        let place = |name: &str, side, qty| {
            let order = limit(&format!("{name}-{base}"), side, qty, 50);
            Command::NewOrder(NewOrder { instrument, ..order })
        };
        venue.apply(1, place("sell", Side::Sell, 60));
        let mut untouched = venue.clone();
        venue.restart();
        for venue in [&mut venue, &mut untouched] {
            venue.apply(2, place("buy", Side::Buy, 40));
            assert_eq!(venue.balance(1, base), (40, 20));
            assert_eq!(venue.balance(2, base), (40, 0));
            assert_eq!(venue.engine.balances(AccountId(2)).count(), 201);
        }
        assert_eq!(state_bytes(&venue.engine), state_bytes(&untouched.engine));
    }
    assert_eq!(venue.balance(3, 200), (0, 0));
}

/// Bytes that can be read must be a state without contradictions.
fn check_damaged(bytes: &[u8], after: &[RandomStep]) {
    let Some(mut engine) = Engine::read_state(Reader(bytes)) else { return };
    engine.assert_consistent();
    assert_eq!(state_bytes(&engine), bytes);
    for step in after {
        engine.apply(0, &step.entry, &mut Vec::new());
        engine.assert_consistent();
    }
}

fn check_every_flipped_bit(bytes: &[u8], after: &[RandomStep]) {
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut damaged = bytes.to_vec();
            damaged[at] ^= 1 << bit;
            check_damaged(&damaged, after);
        }
    }
}

/// Every part of a state: open and finished orders, trades, keys, retry keys, external references,
/// and an order that waits for a `Continue`.
fn busy() -> Driver {
    let mut house = House::default();
    house.instruments[0].max_qty = lots(5_000);
    house.accounts[0].finished_orders_kept = 3;
    house.accounts[0].trades_kept = 3;
    let mut venue = house.open();
    venue.unchecked = true;
    for number in 0..WORK_PER_COMMAND + 3 {
        let sell = limit(&format!("s{number}"), Side::Sell, 1, 5);
        venue.apply(1, Command::NewOrder(sell));
    }
    venue.apply(1, Command::NewOrder(limit("b", Side::Buy, 3, 4)));
    let key = types::KeySpec {
        account: AccountId(1),
        role: types::Role::Trader,
        login: None,
        api_key_hash: [1; 16],
        sealed_secret: types::Sealed::new(b"sealed").unwrap(),
    };
    venue.apply(0, Command::CreateKey(Box::new(types::CreateKey { spec: key })));
    venue.apply_entry(&entry(1, Some([9; 16]), Command::Tick(())));
    venue.apply(2, Command::NewOrder(limit("big", Side::Buy, u64::from(WORK_PER_COMMAND) + 5, 5)));
    assert!(venue.engine.has_deferred());
    venue
}

#[test]
fn work_that_waits_is_part_of_the_state() {
    let mut venue = busy();
    let bytes = state_bytes(&venue.engine);
    let restored = Engine::read_state(Reader(&bytes)).expect("its own state");
    restored.assert_consistent();
    assert_eq!(state_bytes(&restored), bytes);
    let mut restored = Driver::over(restored, &venue);
    let events = restored.apply(0, Command::Continue(()));
    assert_eq!(events.len(), 4); // three trades, and the rest rests
    assert_eq!(events, venue.apply(0, Command::Continue(())));
}

#[test]
fn a_cut_state_is_refused() {
    let bytes = state_bytes(&busy().engine);
    for cut in 0..bytes.len() {
        assert!(Engine::read_state(Reader(&bytes[..cut])).is_none(), "cut at {cut}");
    }
    let mut longer = bytes.clone();
    longer.push(0);
    assert!(Engine::read_state(Reader(&longer)).is_none());
    assert!(Engine::read_state(Reader(&bytes)).is_some());
}

#[test]
fn every_flipped_bit_of_a_busy_state_is_survived() {
    let mut venue = busy();
    let bytes = state_bytes(&venue.engine);
    let after = [
        Command::Continue(()),
        Command::NewOrder(market("m", Side::Sell, OrderSize::Base(lots(3)))),
        Command::NewOrder(limit("n", Side::Buy, 3, 5)),
    ]
    .map(|command| RandomStep { after_ns: 1, entry: entry(3, None, command), restart: false });
    check_every_flipped_bit(&bytes, &after);
    venue.apply(0, Command::Continue(()));
}

/// Icebergs, hidden and pegged orders, prevented quantities, and an order that enters the book
/// again, for which pegs wait.
fn special() -> Driver {
    let (mut venue, _) = crate::script::play(
        "1 buy 3 @ 90
         1 sell 9 @ 110 display 4
         1 sell 5 @ 110 hidden
         1 sell 1 @ 109
         2 buy 3 peg market -3 limit 115
         3 buy 3 peg mid hidden
         4 buy 5 @ 95 as m
         4 sell 2 @ 95 stp decrement
         3 buy 2 @ 110 display 1",
    );
    venue.work_max = Some(1);
    let modify = types::ModifyOrder {
        instrument: InstrumentId(0),
        order: types::OrderRef::by_cl_ord_id(crate::house::name("m")),
        cl_ord_id: None,
        order_qty: lots(8),
        price: Some(crate::house::ticks(110)),
    };
    venue.apply(4, Command::ModifyOrder(modify));
    assert!(venue.engine.has_deferred());
    venue
}

#[test]
fn every_flipped_bit_of_a_state_with_special_terms_is_survived() {
    let mut venue = special();
    let bytes = state_bytes(&venue.engine);
    let after = [
        Command::Continue(()),
        Command::NewOrder(market("m", Side::Sell, OrderSize::Base(lots(9)))),
        Command::NewOrder(limit("n", Side::Buy, 90, 112)),
        Command::NewOrder(limit("o", Side::Sell, 90, 80)),
    ]
    .map(|command| RandomStep { after_ns: 1, entry: entry(3, None, command), restart: false });
    check_every_flipped_bit(&bytes, &after);
    for cut in 0..bytes.len() {
        assert!(Engine::read_state(Reader(&bytes[..cut])).is_none(), "cut at {cut}");
    }
    while venue.engine.has_deferred() {
        venue.restart();
        venue.apply(0, Command::Continue(()));
    }
}

/// A stop that waits for its list knows no price yet: it cannot have begun to trail one.
#[test]
fn every_flipped_bit_of_a_list_that_waits_is_survived() {
    let (venue, _) = crate::script::play(
        "2 sell 3 @ 100
         2 buy 3 @ 60
         1 oto entry : buy 2 @ 90 : sell 2 stop 70
         1 opoco bracket : buy 2 @ 80 : sell 0 @ 110 post : sell 0 @ 50 stop 60
         1 oco exit : sell 1 @ 120 post : sell 1 stop 55",
    );
    let bytes = state_bytes(&venue.engine);
    let after = [
        Command::NewOrder(limit("n", Side::Sell, 4, 80)),
        Command::NewOrder(market("m", Side::Sell, OrderSize::Base(lots(1)))),
    ]
    .map(|command| RandomStep { after_ns: 1, entry: entry(2, None, command), restart: false });
    check_every_flipped_bit(&bytes, &after);
}

/// No request makes an order that is hidden and has a displayed part.
#[test]
fn every_flipped_bit_of_stops_with_special_terms_is_survived() {
    let (venue, _) = crate::script::play(
        "2 sell 3 @ 100
         2 buy 1 @ 44
         2 buy 1 @ 40
         1 sell 9 @ 40 stop 43 display 2
         1 sell 9 @ 41 stop 43 hidden
         1 opoco bracket : buy 6 @ 80 : sell 0 @ 110 post : sell 0 @ 42 stop 43 display 1",
    );
    let bytes = state_bytes(&venue.engine);
    let after = [
        Command::NewOrder(limit("n", Side::Sell, 9, 80)),
        Command::NewOrder(limit("m", Side::Sell, 2, 40)),
        Command::NewOrder(limit("o", Side::Buy, 20, 60)),
    ]
    .map(|command| RandomStep { after_ns: 1, entry: entry(2, None, command), restart: false });
    check_every_flipped_bit(&bytes, &after);
}

/// The legs of an OCO share what they hold, which is of one asset.
#[test]
fn every_flipped_bit_of_a_list_of_buys_is_survived() {
    let (venue, _) = crate::script::play(
        "2 sell 3 @ 100
         2 buy 3 @ 80
         1 oco entry : buy 3 @ 85 stop 110 : buy 3 @ 90 post",
    );
    let bytes = state_bytes(&venue.engine);
    let after = [
        Command::NewOrder(market("m", Side::Buy, OrderSize::Base(lots(1)))),
        Command::NewOrder(limit("n", Side::Sell, 4, 80)),
    ]
    .map(|command| RandomStep { after_ns: 1, entry: entry(2, None, command), restart: false });
    check_every_flipped_bit(&bytes, &after);
}

/// Accounts without balances have counters for each instrument, and their open orders need these.
#[test]
fn every_flipped_bit_of_a_state_without_balances_is_survived() {
    let (venue, _) = crate::script::play(
        "with balance 1 0B 0Q 0C
         1 risk limits
         1 limits position=500
         2 sell 3 @ 100
         1 buy 5 @ 100 as a
         1 sell 2 @ 110
         1 sell 4 stop 90",
    );
    let bytes = state_bytes(&venue.engine);
    let after = [
        Command::NewOrder(limit("n", Side::Buy, 3, 99)),
        crate::house::cancel_named("a"),
        Command::NewOrder(market("m", Side::Sell, OrderSize::Base(lots(3)))),
    ]
    .map(|command| RandomStep { after_ns: 1, entry: entry(1, None, command), restart: false });
    check_every_flipped_bit(&bytes, &after);
}

#[test]
fn another_version_is_refused() {
    let mut bytes = state_bytes(&Engine::default());
    assert!(Engine::read_state(Reader(&bytes)).is_some());
    bytes[0] += 1;
    assert!(Engine::read_state(Reader(&bytes)).is_none());
    assert!(Engine::read_state(Reader(&[])).is_none());
}

/// Old orders are found after a restart, with any number of ids after them.
#[test]
fn old_orders_are_found_after_a_restart() {
    let mut venue = House::default().open();
    venue.unchecked = true;
    venue.apply(1, Command::NewOrder(limit("old", Side::Buy, 1, 1)));
    for _ in 0..200_000 {
        let ioc =
            NewOrder { time_in_force: types::TimeInForce::Ioc, ..limit("ioc", Side::Buy, 1, 1) };
        venue.apply(2, Command::NewOrder(ioc));
    }
    let find = |venue: &Driver, account: u32, id: u64| {
        let order = types::OrderRef::by_id(types::OrderId(id));
        let found = venue.engine.order(AccountId(account), InstrumentId(0), &order);
        found.is_some()
    };
    for restart in [false, true, true] {
        if restart {
            venue.restart();
        }
        assert!(find(&venue, 1, 1));
        assert!(!find(&venue, 2, 199_901));
        assert!(find(&venue, 2, 199_902));
        assert!(find(&venue, 2, 200_001));
        assert!(!find(&venue, 2, 200_002));
    }
    let cancel = crate::house::cancel_named("old");
    assert!(venue.reason(1, cancel).is_none());
}

#[test]
fn only_known_rules_are_applied_and_read() {
    let newer = engine::RULES_VERSION + 1;
    for unknown in [0, newer] {
        assert!(Engine::with_rules(unknown).is_none(), "{unknown}");
    }
    let mut venue = busy();
    let bytes = state_bytes(&venue.engine);
    assert_eq!(bytes[..2], engine::RULES_VERSION.to_le_bytes(), "a state begins with its version");
    assert!(!venue.engine.raise_rules(newer));
    assert_eq!(venue.engine.rules(), engine::RULES_VERSION);

    // A newer program's state is the same but for its version, and is refused by this one.
    venue.engine.know_rules(newer);
    assert!(venue.engine.raise_rules(newer) && !venue.engine.raise_rules(newer + 1));
    assert!(!venue.engine.raise_rules(engine::RULES_VERSION), "it does not go back");
    let raised = state_bytes(&venue.engine);
    assert_eq!((&raised[..2], &raised[2..]), (&newer.to_le_bytes()[..], &bytes[2..]));
    for version in [0, newer] {
        let other = [&version.to_le_bytes(), &bytes[2..]].concat();
        assert!(Engine::read_state(Reader(&other)).is_none(), "{version}");
    }
}
