//! Random commands of every kind, drawn from few ids, prices and names, so that they interact.

mod operator;
mod order;

use std::fmt;

use engine::WORK_PER_COMMAND;
use proptest::prelude::*;
use proptest::strategy::Union;
use types::{
    AccountId, AccountMode, AccountRisk, AccountSpec, AmendOrder, AssetId, CancelAll, CancelOrder,
    ClOrdId, Command, Deposit, Entry, Envelope, FeeRates, InstrumentId, InstrumentSpec, KeyId,
    ReplaceMode, ReplaceOrder, SessionId, SetAccountRisk, Side, Symbol, Withdraw,
};

use crate::house::{Driver, House, account_spec, entry, lots, minor, name, ticks};
use crate::random::operator::{control, logins, operator, rules, transfer, undo, withdrawal};
use crate::random::order::{cancel, cancel_list, modify, new_list, new_order, order_ref};

/// The parts of the rules that are drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Drawn {
    /// Icebergs, hidden and pegged orders, minimum quantities, market-to-limit.
    pub(crate) special: bool,
    pub(crate) self_trade: bool,
    pub(crate) modify: bool,
    pub(crate) triggers: bool,
    pub(crate) trailing: bool,
    pub(crate) lists: bool,
    /// Day orders and orders good till date.
    pub(crate) dated: bool,
    pub(crate) phases: bool,
    pub(crate) bands: bool,
    pub(crate) halts: bool,
    /// Percent price, counts of special orders, positions and the like.
    pub(crate) filters: bool,
    pub(crate) delist: bool,
    pub(crate) modes: bool,
    pub(crate) limits: bool,
    pub(crate) rate: bool,
    pub(crate) schedules: bool,
    pub(crate) bust: bool,
    /// Kill switch, mass cancel, sessions.
    pub(crate) control: bool,
}

impl Drawn {
    /// All that is compared.
    pub(crate) const ALL: Self = Self {
        special: true,
        self_trade: true,
        modify: true,
        triggers: true,
        trailing: true,
        filters: true,
        lists: true,
        modes: true,
        limits: true,
        rate: true,
        schedules: true,
        phases: true,
        dated: true,
        bands: true,
        halts: true,
        delist: true,
        bust: true,
        control: true,
    };
}

const DRAWN: Drawn = Drawn::ALL;

const fn weight(drawn: bool, weight: u32) -> u32 {
    if drawn { weight } else { 0 }
}

/// Tight enough that every refusal occurs.
pub(crate) fn house() -> House {
    let mut house = House::default();
    house.instruments[0].fees = rates(20_000, 150_000);
    house.instruments[1].fees = rates(0, 30_000);
    for spec in &mut house.instruments {
        (spec.max_price, spec.max_qty, spec.market_max_qty) = (ticks(12), lots(40), lots(60));
        (spec.min_qty, spec.min_notional, spec.max_notional) = (lots(2), minor(8), minor(400));
        spec.max_open_orders = 4;
    }
    house.instruments[1].min_qty = lots(1);
    // An instrument whose prices may be negative.
    let symbol = Symbol::parse("NEG").unwrap();
    house.instruments.push(InstrumentSpec {
        symbol,
        min_price: ticks(-6),
        min_notional: minor(0),
        ..house.instruments[0]
    });
    for spec in &mut house.accounts {
        (spec.max_open_orders, spec.finished_orders_kept, spec.trades_kept) = (6, 4, 8);
    }
    house.accounts[1].fees = Some(rates(300_000, 0));
    (house.accounts[3].finished_orders_kept, house.accounts[3].trades_kept) = (0, 0);
    for account in 1..=4 {
        for (asset, amount) in [(0, 40), (1, 300), (2, 600)] {
            house.balances.insert((account, asset), amount);
        }
    }
    // Two accounts that may be without balances, and one that is often short of everything.
    for account in 5..=6 {
        house.accounts.push(AccountSpec { max_open_orders: 6, ..account_spec(account) });
        house.balances.extend((0..3).map(|asset| ((account, asset), 0)));
    }

    house.balances.extend([((3, 0), 15), ((3, 1), 70), ((3, 2), 60)]);
    house
}

/// The setup at the start of a script.
pub(crate) fn set_up() -> Vec<Command> {
    let mut commands = house().commands();
    if DRAWN.self_trade {
        for account in [1, 4] {
            let risk = AccountRisk { stp_group: 1, ..AccountRisk::PLAIN };
            let account = AccountId(account);
            commands.push(Command::SetAccountRisk(SetAccountRisk { account, risk }));
        }
    }
    if DRAWN.modes {
        for (account, mode) in [(5, AccountMode::Limits), (6, AccountMode::None)] {
            let risk = AccountRisk { mode, ..AccountRisk::PLAIN };
            let account = AccountId(account);
            commands.push(Command::SetAccountRisk(SetAccountRisk { account, risk }));
        }
    }
    commands
}

/// A venue with this setup.
pub(crate) fn open() -> Driver {
    let mut driver = Driver::default();
    for command in set_up() {
        driver.apply(0, command);
    }
    driver
}

fn rates(maker_fee_bps_x100: u32, taker_fee_bps_x100: u32) -> FeeRates {
    FeeRates { maker_fee_bps_x100, taker_fee_bps_x100 }
}

/// Like `prop_oneof`, which in shrinking would return to choices of weight zero.
macro_rules! drawn_of {
    ($( $weight:expr => $strategy:expr ),+ $(,)?) => {{
        let mut arms = vec![$( ($weight, $strategy.boxed()) ),+];
        arms.retain(|(weight, _)| *weight > 0);
        Union::new_weighted(arms)
    }};
}
use drawn_of;

/// A command, the time since the previous one, and whether the engine restarts after each of its
/// parts.
#[derive(Clone, Debug)]
pub(crate) struct RandomStep {
    pub(crate) after_ns: u64,
    pub(crate) entry: Entry,
    pub(crate) restart: bool,
}

/// Commands, and the limit of their work.
#[derive(Clone)]
pub(crate) struct Script {
    pub(crate) work_max: u32,
    pub(crate) steps: Vec<RandomStep>,
}

/// A line for each command, because people read the failures.
impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "work {}", self.work_max)?;
        for RandomStep { after_ns, entry, restart } in &self.steps {
            let Envelope { account, session, retry_key, .. } = &entry.envelope;
            let restart = if *restart { " restart" } else { "" };
            let retry = if retry_key.is_some() { " retry" } else { "" };
            let command = &entry.command;
            writeln!(f, "+{after_ns} {account}/{session}{retry}{restart} {command:?}")?;
        }
        Ok(())
    }
}

pub(crate) fn script(count: usize) -> impl Strategy<Value = Script> {
    let work_max = prop_oneof![3 => Just(WORK_PER_COMMAND), 1 => Just(1), 1 => 2..8_u32];
    (work_max, steps(count)).prop_map(|(work_max, steps)| Script { work_max, steps })
}

pub(crate) fn steps(count: usize) -> impl Strategy<Value = Vec<RandomStep>> {
    prop::collection::vec(step(), 1..=count)
}

pub(crate) fn step() -> impl Strategy<Value = RandomStep> {
    let key = prop_oneof![9 => Just(None), 1 => (0..6_u8).prop_map(|key| Some([key; 16]))];
    let after_ns = prop_oneof![
        120 => Just(1_u64),
        4 => Just(30),
        3 => Just(60_000_000),
        2 => Just(11 * SECOND_NS),
        1 => Just(13 * 3_600 * SECOND_NS),
    ];
    // Mostly an account's own, none at all, or rarely another's.
    let session = prop_oneof![10 => Just(None), 6 => Just(Some(0)), 1 => (1..4_u64).prop_map(Some)];
    let restart = prop::bool::weighted(0.03);
    let client_seq = prop_oneof![9 => Just(0), 1 => 1..30_u64];
    let operator = (0..4_u32).prop_map(KeyId);
    (account(), key, command(), after_ns, (session, client_seq), restart, operator).prop_map(
        |(account, key, command, after_ns, (session, client_seq), restart, operator)| {
            let mut entry = entry(account, key, command);
            entry.envelope.key = operator;
            if let Command::CloseSession(close) = &mut entry.command
                && close.session == SessionId(0)
            {
                close.session = SessionId(account.into());
            }
            if DRAWN.control {
                entry.envelope.session = SessionId(session.unwrap_or(account.into()));
                entry.envelope.client_seq = client_seq;
            }
            RandomStep { after_ns, entry, restart }
        },
    )
}

const SECOND_NS: u64 = 1_000_000_000;

/// Mostly the accounts of the setup; rarely the venue's own, or an unknown one.
fn account() -> impl Strategy<Value = u32> {
    let others = weight(DRAWN.modes, 10);
    drawn_of![45 => 1..=2_u32, 20 => 3..=4_u32, others => 5..=6_u32, 1 => Just(0), 1 => Just(7), 1 => Just(77)]
}

fn instrument() -> impl Strategy<Value = InstrumentId> {
    prop_oneof![60 => Just(0), 9 => Just(1), 9 => Just(2), 1 => Just(3), 1 => Just(9)]
        .prop_map(InstrumentId)
}

fn side() -> impl Strategy<Value = Side> {
    prop_oneof![Just(Side::Buy), Just(Side::Sell)]
}

fn cl_ord_id() -> impl Strategy<Value = ClOrdId> {
    (0..7_u8).prop_map(|number| name(&format!("n{number}")))
}

fn asset() -> impl Strategy<Value = AssetId> {
    prop_oneof![20 => 0..3_u16, 1 => Just(9)].prop_map(AssetId)
}

fn command() -> BoxedStrategy<Command> {
    let amend = (instrument(), order_ref(), prop::option::weighted(0.3, cl_ord_id()), 0..10_u64)
        .prop_map(|(instrument, order, cl_ord_id, qty)| AmendOrder {
            instrument,
            order,
            cl_ord_id,
            order_qty: lots(qty),
        });
    let elsewhere = prop::bool::weighted(0.3);
    let replace = (cancel(), any::<(bool, bool)>(), new_order(), elsewhere).prop_map(|drawn| {
        let (cancel, (stop, cancel_when_limited), order, elsewhere) = drawn;
        let mode = if stop { ReplaceMode::StopOnFailure } else { ReplaceMode::AllowFailure };
        // Mostly in one instrument.
        let cancel =
            if elsewhere { cancel } else { CancelOrder { instrument: order.instrument, ..cancel } };
        ReplaceOrder { cancel, mode, cancel_when_limited, order }
    });
    let cancel_all = (instrument(), cl_ord_id())
        .prop_map(|(instrument, cl_ord_id)| CancelAll { instrument, cl_ord_id });
    let withdraw = transfer().prop_map(|Deposit { account, asset, amount, external_ref }| {
        Command::Withdraw(Withdraw { account, asset, amount, external_ref })
    });
    let trading = drawn_of![
        60 => new_order().prop_map(Command::NewOrder),
        12 => cancel().prop_map(Command::CancelOrder),
        2 => cancel_all.prop_map(Command::CancelAll),
        6 => replace.prop_map(Command::ReplaceOrder),
        10 => amend.prop_map(Command::AmendOrder),
        weight(DRAWN.modify, 12) => modify().prop_map(Command::ModifyOrder),
        weight(DRAWN.lists, 16) => new_list().prop_map(Command::NewOrderList),
        weight(DRAWN.lists, 3) => cancel_list().prop_map(Command::CancelOrderList),
    ];
    let others = drawn_of![
        4 => transfer().prop_map(Command::Deposit),
        4 => withdraw,
        11 => withdrawal(),
        4 => operator(),
        6 => logins(),
        weight(DRAWN.control, 9) => control(),
        weight(DRAWN.bust, 14) => undo(),
        6 => rules(),
        1 => Just(Command::Tick(())),
        1 => Just(Command::Continue(())),
    ];
    drawn_of![5 => trading, 1 => others].boxed()
}
