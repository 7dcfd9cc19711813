//! Comparison of the engine with the model.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use types::{
    AccountId, Amount, AssetId, BustTrade, CancelCause, Command, Event, ExpireCause, ExternalRef,
    InstrumentId, Order, PhaseCause, ReceivableId, RejectReason, SettleReceivable, Side, TradeId,
    Withdraw,
};

use crate::house::{Driver, deposit, entry, limit};
use crate::model::Model;
use crate::random::{RandomStep, Script, script, set_up};

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..Default::default() })]

    #[test]
    fn the_engine_does_what_the_model_does(script in script(160)) {
        play(&script);
    }
}

/// Longer scripts, as many as requested: `make soak`.
#[test]
#[ignore = "it takes as long as one wants"]
fn soak() {
    let seed: u64 = setting("SOAK_SEED").unwrap_or(0);
    let cases = setting("SOAK_CASES").unwrap_or(1_000);
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let config = ProptestConfig { cases, failure_persistence: None, ..Default::default() };
    let mut runner = TestRunner::new_with_rng(config, rng);
    let result = runner.run(&script(400), |script| {
        play(&script);
        Ok(())
    });
    if let Err(failure) = result {
        panic!("seed {seed}: {failure}");
    }
}

fn setting<T: std::str::FromStr>(name: &str) -> Option<T> {
    std::env::var(name).ok()?.parse().ok()
}

/// Plays a script to both, and compares them after every command.
fn play(script: &Script) -> Vec<Event> {
    let (mut venue, mut model) = both();
    let mut events = Vec::new();
    for step in &script.steps {
        // A tick drops a limited number of retry keys, and nothing of it is deferred.
        let is_tick = step.entry.command == Command::Tick(());
        venue.work_max = (!is_tick).then_some(script.work_max);
        events.extend(compare(&mut venue, &mut model, step));
    }
    events
}

/// A case that random scripts rarely reach: a busted trade whose proceeds were spent.
#[test]
fn receivables_are_the_same() {
    let trader = |account, command| entry(account, None, command);
    let withdraw = |amount, external_ref| {
        Command::Withdraw(Withdraw {
            account: AccountId(3),
            asset: AssetId(1),
            amount: Amount::from_minor(amount),
            external_ref: ExternalRef::parse(external_ref).unwrap(),
        })
    };
    let settle = |receivable| {
        let receivable = ReceivableId(receivable);
        Command::SettleReceivable(SettleReceivable { receivable })
    };
    let bust = Command::BustTrade(BustTrade {
        instrument: InstrumentId(0),
        trade_id: TradeId(1),
        buyer: AccountId(1),
        seller: AccountId(3),
    });
    let entries = [
        trader(3, Command::NewOrder(limit("a", Side::Sell, 10, 8))),
        trader(1, Command::NewOrder(limit("b", Side::Buy, 10, 8))),
        trader(3, withdraw(70, "one")),
        trader(3, withdraw(60, "two")),
        trader(0, bust.clone()),
        trader(0, bust),
        trader(0, settle(1)),
        trader(0, deposit(3, 1, 5, "three")),
        trader(0, deposit(3, 1, 500, "four")),
        trader(0, settle(1)),
    ];
    let step = |entry| RandomStep { after_ns: 1, entry, restart: true };
    let steps = entries.map(step).to_vec();
    let events = play(&Script { work_max: 1, steps });
    let settled = events.iter().filter(|event| matches!(event, Event::ReceivableSettled(_)));
    assert_eq!(settled.count(), 2, "{events:#?}");
}

/// Random scripts must reach every kind of event that they compare.
#[test]
fn random_scripts_reach_every_kind_of_event() {
    let mut runner = TestRunner::deterministic();
    let mut seen = BTreeSet::new();
    for _ in 0..2_000 {
        for event in play(&script(160).new_tree(&mut runner).unwrap().current()) {
            let text = format!("{event:?}");
            let kind = text.split('(').next().unwrap();
            seen.insert(kind.to_owned());
            match event {
                Event::CommandRejected(rejected) => seen.insert(format!("{:?}", rejected.reason)),
                Event::OrderExpired(expired) => seen.insert(format!("{:?}", expired.cause)),
                Event::OrderCanceled(canceled) => seen.insert(format!("{:?}", canceled.cause)),
                Event::PhaseChanged(changed) => seen.insert(format!("{:?}", changed.cause)),
                _ => false,
            };
        }
    }
    let kinds = EVENTS.iter().map(|kind| (*kind).to_owned());
    let all = kinds
        .chain(ExpireCause::ALL.iter().map(|cause| format!("{cause:?}")))
        .chain(CancelCause::ALL.iter().map(|cause| format!("{cause:?}")))
        .chain(PhaseCause::ALL.iter().map(|cause| format!("{cause:?}")))
        .chain(RejectReason::ALL.iter().map(|reason| format!("{reason:?}")));
    let missing: Vec<String> = all.filter(|what| !seen.contains(what)).collect();
    let expected = |what: &&String| !ELSEWHERE.contains(&what.as_str()) && *what != NEVER;
    let missing: Vec<&String> = missing.iter().filter(expected).collect();
    assert!(missing.is_empty(), "no script reaches {missing:?}");
}

/// The end of an order that enters without trading and must not rest: the ladder refuses such
/// orders.
const NEVER: &str = "Phase";

/// Kinds that need sums, numbers or a sequence that random scripts have rarely or never. Scenarios
/// have them, which are compared with the model too, or a test above.
const ELSEWHERE: &[&str] = &[
    "BelowOneLot",
    "ReceivableCreated",
    "ReceivableSettled",
    "NothingToSettle",
    "TradeBustedAlready",
    "SupplyAboveMax",
    "TooManyWithdrawals",
    "TooManyApprovals",
    "TooManyAssets",
    "TooManyInstruments",
    "TooManyAccounts",
    "TooManyKeys",
    "TooManyLogins",
    "TooManyKeysOfLogin",
    "TooManySessions",
    "NumberForgotten",
    "NumbersAnswered",
    "OrderRefreshed",
    "FillRevised",
    "TickTimesLotNotWhole",
    "LotNotWhole",
    "InstrumentAmountsTooLarge",
    "AccountLimitsTooHigh",
    "AtOpen",
    "AtClose",
    "TooManyIcebergOrders",
    "TooManyAmends",
    "InstrumentRulesInvalid",
];

const EVENTS: &[&str] = &[
    "OrderAccepted",
    "OrderRested",
    "TradeExecuted",
    "OrderCanceled",
    "OrderExpired",
    "OrderAmended",
    "OrderTriggered",
    "OrderModified",
    "BookReduced",
    "TradePrevented",
    "OrderListUpdated",
    "OrderRepriced",
    "OrderDecremented",
    "OrderRefreshed",
    "FillRevised",
    "Deposited",
    "Withdrawn",
    "WithdrawalRequested",
    "WithdrawalCompleted",
    "WithdrawalCanceled",
    "WithdrawalApproved",
    "WithdrawalApprovalsSet",
    "TradeBusted",
    "TradeCorrected",
    "ReceivableCreated",
    "ReceivableSettled",
    "AssetListed",
    "InstrumentListed",
    "AccountCreated",
    "AccountUpdated",
    "KeyCreated",
    "KeyRevoked",
    "LoginCreated",
    "LoginUpdated",
    "LoginRevoked",
    "NumberingDayBegun",
    "NumbersAnswered",
    "InstrumentUpdated",
    "InstrumentRulesSet",
    "PhaseChanged",
    "InstrumentDelisted",
    "FeeScheduleSet",
    "AccountRiskSet",
    "AccountLimitsSet",
    "KillSwitchSet",
    "VenueHalted",
    "VenueResumed",
    "CircuitBreakerSet",
    "CalendarSet",
    "AuctionIndicated",
    "AuctionUncrossed",
    "SessionOpened",
    "SessionClosed",
    "CommandRejected",
    "CommandRepeated",
];

fn both() -> (Driver, Model) {
    let (mut venue, mut model) = (Driver::default(), Model::new());
    for command in set_up() {
        compare(
            &mut venue,
            &mut model,
            &RandomStep { after_ns: 1, entry: entry(0, None, command), restart: false },
        );
    }
    (venue, model)
}

fn compare(venue: &mut Driver, model: &mut Model, step: &RandomStep) -> Vec<Event> {
    venue.now_ns += step.after_ns - 1;
    let mut events = venue.apply_entry(&step.entry);
    let expect = model.apply(venue.now_ns, &step.entry);
    loop {
        if step.restart {
            venue.restart();
        }
        if !venue.engine.has_deferred() {
            break;
        }
        venue.now_ns -= 1;
        model.sequence += 1;
        events.extend(venue.apply(0, Command::Continue(())));
    }
    let same = events.iter().zip(&expect).take_while(|(event, expect)| event == expect).count();
    let event_at = |events: &[Event]| events.get(same).cloned();
    assert_eq!(event_at(&events), event_at(&expect), "event {same} of {:?}", step.entry.command);
    assert_eq!(venue.engine.sequence(), model.sequence);

    for instrument in model.instruments() {
        for side in [Side::Buy, Side::Sell] {
            let expect = model.resting(instrument, side);
            let resting: Vec<Order> = venue.engine.resting(instrument, side).collect();
            assert_eq!(resting, expect);
            assert_eq!(venue.levels(instrument.0, side), model.levels(instrument, side));
        }
    }
    for asset in (0..model.asset_count()).map(AssetId) {
        let clearing = venue.engine.clearing(asset).map(Amount::minor);
        assert_eq!(clearing, Some(model.clearing(asset)), "asset {asset}");
    }
    let withdrawals: Vec<_> = venue.engine.withdrawals().copied().collect();
    assert_eq!(withdrawals, model.withdrawals());
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
            let trades: Vec<_> = venue.engine.account_trades(account).collect();
            assert_eq!(trades, owner.trades, "account {account}");
        }
    }
    events
}
