//! Several accounts in one run: each has its own sums, and none gets what another one got.

use std::sync::atomic::AtomicBool;

use proptest::prelude::*;
use recorded::{Event, Kind};
use strategy::backtest::{
    BarsInMemory, FeedLatency, Fills, Inside, LevelRules, Memory, OrderLatency, QueueModel, Setup,
};
use strategy::job::{AccountJob, Done, Job, Mode, set};
use strategy::{Bar, Fees, Fill, FillCause, Instrument, Journal, RiskLimits};
use types::{Increment, Price, Qty, Side};

const MS: i64 = 1_000_000;
const MAKERS: [(&str, &str); 2] = [("first", "market-maker"), ("second", "market-maker")];

fn job(mode: Mode, accounts: &[(&str, &str)]) -> Job {
    let one = Increment { units: 1, decimals: 0 };
    let account = |(name, strategy): &(&str, &str)| AccountJob::new(name, strategy).expect("known");
    let mut accounts: Vec<AccountJob> = accounts.iter().map(account).collect();
    for (key, value) in [("interval-ms", "5"), ("lots", "3"), ("half-spread", "0.5")] {
        // A strategy without such a parameter is left as it is.
        if accounts.iter().any(|of| of.values.list().any(|(name, _)| name == key)) {
            set(&mut accounts, key, value).expect("in its range");
        }
    }
    Job {
        mode,
        setup: Setup {
            instruments: vec![Instrument::new("X", one, one)],
            fees: Fees { maker: -1_000, taker: 5_000 },
            funding: Default::default(),
            limits: RiskLimits::default(),
            latency: OrderLatency::constant(MS),
            feed: FeedLatency::Recorded,
            sample_ns: 100 * MS,
        },
        rules: LevelRules {
            queue: QueueModel::RiskAverse,
            fills: Fills::Partial,
            consumed_ns: 50 * MS,
        },
        inside: Inside::Pessimistic,
        accounts,
    }
}

fn journals(job: &Job) -> Vec<Journal> {
    job.accounts.iter().map(|_| Journal::new(1_000.0)).collect()
}

fn play(job: &Job, events: &[Event]) -> Done {
    let stop = AtomicBool::new(false);
    job.run(Memory::new(events), journals(job), &stop).expect("the events are sound")
}

/// Time, what, side, price, quantity and the order that is meant.
type Step = (u16, u8, bool, i64, u64, u64);

/// Levels and trades, or orders and executions.
fn events(steps: &[Step], is_by_order: bool) -> Vec<Event> {
    let mut at_ns = 0;
    let event = |(order, (delay, what, is_buy, ticks, lots, of)): (usize, &Step)| {
        at_ns += i64::from(*delay) * MS / 10;
        let kind = match (is_by_order, what) {
            (false, 0) => Kind::Trade,
            (false, _) => Kind::Level,
            (true, 0) => Kind::Execute,
            (true, 1) => Kind::Cancel,
            (true, _) => Kind::Add,
        };
        let price = if *is_buy == (kind == Kind::Trade) { 100 + ticks } else { 104 - ticks };
        Event {
            order: if kind == Kind::Add { 1 + order as u64 } else { 1 + of % (1 + order as u64) },
            ..Event::cleared(0, at_ns, at_ns).then(
                kind,
                if *is_buy { Side::Buy } else { Side::Sell },
                Price::from_ticks(price),
                Qty::from_lots(lots + u64::from(is_by_order || kind == Kind::Trade)),
            )
        }
    };
    steps.iter().enumerate().map(event).collect()
}

fn signed(fill: &Fill) -> i64 {
    let lots = fill.qty.lots() as i64;
    if fill.side == Side::Buy { lots } else { -lots }
}

/// Cash and position of each account are the sums of its fills, and those of all are the whole.
fn check_sums(done: &Done) -> Result<(), TestCaseError> {
    for (context, journal) in done.accounts() {
        let account = context.account(0);
        let position: i64 = journal.fills.iter().map(signed).sum();
        let value = |fill: &Fill| i128::from(signed(fill)) * i128::from(fill.price.ticks());
        let cash: i128 = journal.fills.iter().map(|fill| -value(fill)).sum();
        let fees: i128 = journal.fills.iter().map(|fill| fill.fee).sum();
        prop_assert_eq!((account.position, account.cash, account.fees), (position, cash, fees));
    }
    let whole = &done.whole().totals;
    let fills: u64 = done.journals.iter().map(|journal| journal.totals.fills).sum();
    let orders: u64 = done.journals.iter().map(|journal| journal.totals.orders).sum();
    prop_assert_eq!((whole.fills, whole.orders), (fills, orders));
    let last = done.whole().samples.last().map_or(0.0, |sample| sample.pnl);
    prop_assert!((last - done.pnl()).abs() < 1e-6, "{} {}", last, done.pnl());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn accounts_have_their_own_sums_in_each_mode(
        steps in prop::collection::vec(
            (0u16..40, 0u8..4, any::<bool>(), -3i64..6, 0u64..8, any::<u64>()), 1..300),
    ) {
        for mode in [
            Mode::Levels,
            Mode::Trades,
            Mode::Orders { impact: false },
            Mode::Orders { impact: true },
        ] {
            let events = events(&steps, matches!(mode, Mode::Orders { .. }));
            let done = play(&job(mode, &MAKERS), &events);
            check_sums(&done)?;
        }
    }

    /// What one trade's queue gives to all accounts is not more than the trade.
    #[test]
    fn a_trade_is_shared_by_all_accounts(
        steps in prop::collection::vec(
            (1u16..40, 0u8..2, any::<bool>(), -3i64..6, 0u64..8, any::<u64>()), 1..300),
    ) {
        let events = events(&steps, false);
        let done = play(&job(Mode::Levels, &MAKERS), &events);
        for trade in events.iter().filter(|event| event.kind == Kind::Trade) {
            let of_trade = done.journals.iter().flat_map(|journal| &journal.fills).filter(|fill| {
                fill.exchange_ns == trade.exchange_ns && fill.cause == FillCause::Queue
            });
            let lots: u64 = of_trade.map(|fill| fill.qty.lots()).sum();
            prop_assert!(lots <= trade.quantity.lots(), "{} of {:?}", lots, trade);
        }
    }
}

#[test]
fn over_bars_an_account_is_as_if_it_were_alone() {
    let price = |at: i64| Price::from_ticks(1_000 + (at * 37) % 50 - (at * 11) % 70);
    let bar = |at: i64| {
        let (open, close) = (price(at), price(at + 1));
        let (high, low) = (open.max(close), open.min(close));
        let volume = Qty::from_lots(1);
        Bar { instrument: 0, at_ns: at * 60_000 * MS, open, high, low, close, volume }
    };
    let bars: Vec<Bar> = (0..2_000).map(bar).collect();
    let stop = AtomicBool::new(false);
    let run = |accounts: &[(&str, &str)]| {
        let mut job = job(Mode::Bars, accounts);
        set(&mut job.accounts, "quick.fast", "3").expect("in its range");
        let source = BarsInMemory::new(&bars);
        job.run_bars(source, journals(&job), &stop).expect("the bars are sound")
    };
    let both = run(&[("quick", "ema-cross"), ("slow", "ema-cross")]);
    let alone = run(&[("quick", "ema-cross")]);
    let quick = |done: &Done| done.journals[0].fills.clone();
    assert!(quick(&alone).len() > 20, "{}", quick(&alone).len());
    assert_eq!(quick(&both), quick(&alone));
    assert_ne!(both.journals[1].fills.len(), quick(&both).len());
    let sum: f64 = both.ran.contexts.iter().map(|context| context.pnl(0)).sum();
    assert!((both.pnl() - sum).abs() < 1e-9);
    assert_eq!(both.whole().totals.samples, 2_000);
}

#[test]
fn parameters_are_set_in_one_account_or_in_all_that_have_them() {
    let mut accounts = job(Mode::Levels, &[("a", "market-maker"), ("b", "twap")]).accounts;
    let get = |accounts: &[AccountJob], at: usize, key: &str| {
        let value = accounts[at].values.list().find(|(name, _)| *name == key);
        value.map(|(_, value)| value.to_string())
    };
    set(&mut accounts, "lots", "7").expect("both have it");
    set(&mut accounts, "b.lots", "9").expect("it has it");
    set(&mut accounts, "half-spread", "2").expect("one has it");
    assert_eq!(get(&accounts, 0, "lots").as_deref(), Some("7"));
    assert_eq!(get(&accounts, 1, "lots").as_deref(), Some("9"));
    assert_eq!(get(&accounts, 0, "half-spread").as_deref(), Some("2"));
    let refused = |accounts: &mut [AccountJob], key: &str| {
        set(accounts, key, "1").expect_err("it is refused").to_string()
    };
    let sentence = refused(&mut accounts, "c.lots");
    assert_eq!(sentence, "no account is called \"c\": there are a, b");
    let sentence = refused(&mut accounts, "b.half-spread");
    assert!(
        sentence.starts_with("no parameter is called \"half-spread\": there are"),
        "{sentence}"
    );
    let sentence = refused(&mut accounts, "size");
    assert!(sentence.starts_with("no parameter is called \"size\""), "{sentence}");
}
