//! The engine does what the model does.

use proptest::prelude::*;
use types::{AssetId, Command, Order, Side};

use crate::house::{Driver, entry};
use crate::model::Model;
use crate::random::{Step, set_up, steps};

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..Default::default() })]

    #[test]
    fn the_engine_does_what_the_model_does(steps in steps(160)) {
        let (mut venue, mut model) = both();
        for step in &steps {
            compare(&mut venue, &mut model, step);
        }
    }
}

/// Random scripts must reach what they are meant to compare.
#[test]
fn random_scripts_reach_every_kind_of_event() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..150 {
        let steps = steps(160).new_tree(&mut runner).unwrap().current();
        let (mut venue, mut model) = both();
        for step in &steps {
            for event in compare(&mut venue, &mut model, step) {
                let text = format!("{event:?}");
                let kind = text.split('(').next().unwrap().to_owned();
                let detail = match event {
                    types::Event::CommandRejected(rejected) => format!("{:?}", rejected.reason),
                    types::Event::OrderExpired(expired) => format!("{:?}", expired.cause),
                    types::Event::OrderCanceled(canceled) => format!("{:?}", canceled.cause),
                    _ => String::new(),
                };
                seen.insert(format!("{kind} {detail}").trim().to_owned());
            }
        }
    }
    use types::{CancelCause, ExpireCause, RejectReason};
    for cause in ExpireCause::ALL.iter().filter(|cause| cause.number() <= 5) {
        assert!(seen.contains(&format!("OrderExpired {cause:?}")), "{cause:?} in {seen:?}");
    }
    for cause in CancelCause::ALL.iter().filter(|cause| cause.number() <= 3) {
        assert!(seen.contains(&format!("OrderCanceled {cause:?}")), "{cause:?} in {seen:?}");
    }
    // The supply's limit takes sums that the random scripts do not have; `transfer.rs` tests it.
    let first_rules = [
        1, 2, 3, 4, 100, 101, 102, 110, 111, 112, 113, 120, 121, 130, 131, 140, 150, 160, 200, 201,
        210, 211, 220, 300, 301, 302, 304,
    ];
    let reached = |reason: &&RejectReason| first_rules.contains(&reason.number());
    for reason in RejectReason::ALL.iter().filter(reached) {
        assert!(seen.contains(&format!("CommandRejected {reason:?}")), "{reason:?} in {seen:?}");
    }
    let others = [
        "OrderAccepted",
        "OrderRested",
        "TradeExecuted",
        "OrderAmended",
        "Deposited",
        "Withdrawn",
        "AssetListed",
        "InstrumentListed",
        "AccountCreated",
        "AccountUpdated",
        "KeyCreated",
        "KeyRevoked",
        "CommandRepeated",
    ];
    for kind in others {
        assert!(seen.contains(kind), "{kind} in {seen:?}");
    }
}

fn both() -> (Driver, Model) {
    let (mut venue, mut model) = (Driver::default(), Model::new());
    for command in set_up() {
        compare(&mut venue, &mut model, &Step { after_ns: 1, entry: entry(0, None, command) });
    }
    (venue, model)
}

fn compare(venue: &mut Driver, model: &mut Model, step: &Step) -> Vec<types::Event> {
    venue.now_ns += step.after_ns - 1;
    let mut events = venue.apply_entry(&step.entry);
    let expect = model.apply(venue.now_ns, &step.entry);
    while venue.engine.has_deferred() {
        venue.now_ns -= 1;
        model.sequence += 1;
        events.extend(venue.apply(0, Command::Continue(())));
    }
    assert_eq!(events, expect, "{:?}", step.entry.command);
    assert_eq!(venue.engine.sequence(), model.sequence);

    for instrument in model.instruments() {
        for side in [Side::Buy, Side::Sell] {
            let expect = model.resting(instrument, side);
            let resting: Vec<Order> = venue.engine.resting(instrument, side).collect();
            assert_eq!(resting, expect);
            assert_eq!(venue.levels(instrument.0, side), model.levels(instrument, side));
        }
    }
    for (account, owner) in model.owners() {
        for asset in (0..model.asset_count()).map(AssetId) {
            let expect = (model.free(account, asset), model.locked(account, asset));
            assert_eq!(venue.balance(account.0, asset.0), expect, "account {account}");
        }
        for instrument in model.instruments() {
            let open: Vec<Order> = venue.engine.open_orders(account, instrument).collect();
            let expect = model.open_orders(account, instrument);
            assert_eq!(open, expect, "account {account}");
        }
        if account.0 > 0 {
            let finished: Vec<Order> = venue.engine.finished_orders(account).collect();
            assert_eq!(finished, owner.finished, "account {account}");
            let trades: Vec<_> = venue.engine.account_trades(account).copied().collect();
            assert_eq!(trades, owner.trades, "account {account}");
        }
    }
    events
}
