//! Random commands of every kind, drawn from so few ids, prices and names that they meet.

use std::fmt;

use engine::WORK_PER_COMMAND;
use proptest::prelude::*;
use proptest::strategy::Union;
use types::{
    AccountId, AccountLimits, AccountMode, AccountRisk, AccountSpec, AmendOrder, Asset, AssetId,
    AssetName, BandBreach, BustTrade, Calendar, CancelAll, CancelOrder, CancelOrderList,
    CancelRestriction, CircuitBreaker, ClOrdId, CloseSession, Command, CorrectTrade, CreateAccount,
    CreateKey, DelistInstrument, Deposit, Entry, Envelope, ExternalRef, FeeAsset, FeeRates,
    FeeSchedule, FeeTier, HaltLevel, HaltVenue, InstrumentId, InstrumentRules, InstrumentSpec,
    KeyId, KeySpec, ListAsset, ListInstrument, MassCancel, ModifyOrder, NewOrder, NewOrderList,
    OpenSession, OrderId, OrderListId, OrderListKind, OrderRef, OrderSize, OrderType, Peg,
    PegReference, PercentPrice, Phase, PriceBands, ReceivableId, ReplaceMode, ReplaceOrder,
    RevokeKey, Role, Sealed, Session, SessionId, SetAccountLimits, SetAccountRisk, SetFeeSchedule,
    SetInstrumentRules, SetKillSwitch, SetPhase, SettleReceivable, Side, StpMode, Symbol, Terms,
    TimeInForce, TradeId, UpdateAccount, UpdateInstrument, Withdraw,
};

use crate::house::{Driver, House, account_spec, entry, lots, minor, name, ticks};

/// What of the rules is drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Drawn {
    /// Icebergs, hidden and pegged orders, minimum quantities, market-to-limit.
    pub(crate) special: bool,
    pub(crate) self_trade: bool,
    pub(crate) modify: bool,
    pub(crate) triggers: bool,
    pub(crate) trailing: bool,
    pub(crate) lists: bool,
    /// Orders for the day and till a date.
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
    // One whose prices may be below zero.
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
    for account in 1..=4 {
        for (asset, amount) in [(0, 40), (1, 300), (2, 600)] {
            house.balances.insert((account, asset), amount);
        }
    }
    // Two that may come without balances, and one that is often short of everything.
    for account in 5..=6 {
        house.accounts.push(AccountSpec { max_open_orders: 6, ..account_spec(account) });
        house.balances.extend((0..3).map(|asset| ((account, asset), 0)));
    }

    house.balances.extend([((3, 0), 15), ((3, 1), 70), ((3, 2), 60)]);
    house
}

/// What is set up before a script starts.
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

/// A venue set up like this.
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

/// As `prop_oneof`, which in shrinking would come back to what has no weight.
macro_rules! drawn_of {
    ($( $weight:expr => $strategy:expr ),+ $(,)?) => {{
        let mut arms = vec![$( ($weight, $strategy.boxed()) ),+];
        arms.retain(|(weight, _)| *weight > 0);
        Union::new_weighted(arms)
    }};
}

/// A command, how much time has passed before it, and whether the engine starts anew behind each
/// of its parts.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) after_ns: u64,
    pub(crate) entry: Entry,
    pub(crate) restart: bool,
}

/// Commands, and how much of one is done at once.
#[derive(Clone)]
pub(crate) struct Script {
    pub(crate) work_max: u32,
    pub(crate) steps: Vec<Step>,
}

/// A line for a command: what is found is read by people.
impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "work {}", self.work_max)?;
        for Step { after_ns, entry, restart } in &self.steps {
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

pub(crate) fn steps(count: usize) -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(step(), 1..=count)
}

pub(crate) fn step() -> impl Strategy<Value = Step> {
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
    (account(), key, command(), after_ns, session, restart).prop_map(
        |(account, key, command, after_ns, session, restart)| {
            let mut entry = entry(account, key, command);
            if let Command::CloseSession(close) = &mut entry.command
                && close.session == SessionId(0)
            {
                close.session = SessionId(account.into());
            }
            if DRAWN.control {
                entry.envelope.session = SessionId(session.unwrap_or(account.into()));
            }
            Step { after_ns, entry, restart }
        },
    )
}

const SECOND_NS: u64 = 1_000_000_000;

/// Mostly the accounts of the house; rarely the venue's own, or none that there is.
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

fn order_ref() -> BoxedStrategy<OrderRef> {
    let id = || (0..24_u64).prop_map(OrderId);
    prop_oneof![
        5 => cl_ord_id().prop_map(OrderRef::by_cl_ord_id),
        5 => id().prop_map(OrderRef::by_id),
        1 => (id(), cl_ord_id()).prop_map(|(id, name)| OrderRef {
            order_id: Some(id),
            cl_ord_id: Some(name),
        }),
        1 => Just(OrderRef { order_id: None, cl_ord_id: None }),
    ]
    .boxed()
}

fn new_order() -> BoxedStrategy<NewOrder> {
    drawn_of![
        44 => plain_order(),
        weight(DRAWN.special, 16) => special_order(),
        weight(DRAWN.triggers, 16) => stop_order(),
        weight(DRAWN.dated || DRAWN.phases, 8) => timed_order(),
        weight(DRAWN.special && DRAWN.triggers && DRAWN.phases && DRAWN.dated, 1) => odd_order(),
    ]
    .boxed()
}

fn price() -> impl Strategy<Value = i64> {
    prop_oneof![30 => 3..=9_i64, 5 => 0..=13_i64, 3 => -7..=2_i64]
}

fn qty() -> impl Strategy<Value = u64> {
    prop_oneof![30 => 1..=12_u64, 4 => 13..=70_u64, 1 => Just(0)]
}

fn stp_mode() -> impl Strategy<Value = StpMode> {
    let modes = prop::sample::select(StpMode::ALL);
    drawn_of![2 => Just(StpMode::None), weight(DRAWN.self_trade, 3) => modes]
}

fn plain_order() -> BoxedStrategy<NewOrder> {
    let terms = prop_oneof![
        20 => Just((OrderType::Limit, TimeInForce::Gtc)),
        4 => Just((OrderType::Limit, TimeInForce::Ioc)),
        4 => Just((OrderType::Limit, TimeInForce::Fok)),
        4 => Just((OrderType::LimitMaker, TimeInForce::Gtc)),
        8 => Just((OrderType::Market, TimeInForce::Gtc)),
        1 => Just((OrderType::Market, TimeInForce::Ioc)),
        1 => Just((OrderType::LimitMaker, TimeInForce::Fok)),
    ];
    let quote = prop_oneof![1 => Just(None), 1 => (-5..450_i128).prop_map(Some)];
    let strategy = prop_oneof![5 => Just((None, None)), 1 => Just((Some(-1), Some(1_000_000)))];
    (instrument(), cl_ord_id(), side(), terms, price(), qty(), quote, strategy, stp_mode())
        .prop_map(|(instrument, cl_ord_id, side, terms, price, qty, quote, strategy, stp_mode)| {
            let (order_type, time_in_force) = terms;
            let by_quote = quote.filter(|_| order_type == OrderType::Market);
            let size = by_quote.map_or(OrderSize::Base(lots(qty)), |q| OrderSize::Quote(minor(q)));
            NewOrder {
                instrument,
                cl_ord_id,
                side,
                order_type,
                time_in_force,
                stp_mode,
                price: ticks(if order_type == OrderType::Market { 0 } else { price }),
                size,
                strategy_id: strategy.0,
                strategy_type: strategy.1,
                terms: None,
            }
        })
        .boxed()
}

/// Icebergs, hidden and pegged orders, minimum quantities, market-to-limit.
fn special_order() -> BoxedStrategy<NewOrder> {
    let reference = prop::sample::select(PegReference::ALL);
    let peg = (
        reference,
        prop::sample::select(vec![-2, -1, 0, 1, 2]),
        prop::option::weighted(0.3, 2..=10_i64),
    )
        .prop_map(|(reference, offset_ticks, limit)| Peg {
            reference,
            offset_ticks,
            limit: limit.map(ticks),
        });
    let kind = prop_oneof![
        4 => (1..=5_u64).prop_map(|qty| Terms { display_qty: lots(qty), ..Terms::default() }),
        3 => Just(Terms { hidden: true, ..Terms::default() }),
        4 => peg.clone().prop_map(|peg| Terms { peg: Some(peg), ..Terms::default() }),
        1 => peg.prop_map(|peg| Terms { peg: Some(peg), hidden: true, ..Terms::default() }),
        3 => (1..=8_u64).prop_map(|qty| Terms { min_qty: lots(qty), ..Terms::default() }),
        2 => Just(Terms::default()),
    ];
    let in_force = prop_oneof![
        8 => Just(TimeInForce::Gtc),
        1 => Just(TimeInForce::Ioc),
        1 => Just(TimeInForce::Fok),
    ];
    (plain_order(), kind, in_force, 3..=9_i64, qty())
        .prop_map(|(order, terms, time_in_force, price, qty)| {
            let pegged = terms.peg.is_some();
            let order_type = match order.order_type {
                OrderType::Market => OrderType::MarketToLimit,
                other => other,
            };
            let no_price = pegged || order_type == OrderType::MarketToLimit;
            NewOrder {
                order_type,
                time_in_force: if pegged { TimeInForce::Gtc } else { time_in_force },
                price: if no_price { ticks(0) } else { ticks(price) },
                size: OrderSize::Base(lots(qty)),
                terms: Some(terms),
                ..order
            }
        })
        .boxed()
}

fn stop_order() -> BoxedStrategy<NewOrder> {
    use OrderType::{StopLoss, StopLossLimit, TakeProfit, TakeProfitLimit};
    let kind = prop::sample::select(vec![StopLoss, StopLossLimit, TakeProfit, TakeProfitLimit]);
    let trails = drawn_of![
        12 => Just(None),
        weight(DRAWN.trailing, 5) => (500..5_000_u32).prop_map(Some),
        weight(DRAWN.trailing, 1) => Just(Some(20_000)),
    ];
    let in_force = prop_oneof![
        6 => Just(TimeInForce::Gtc),
        1 => Just(TimeInForce::Ioc),
        1 => Just(TimeInForce::Fok),
    ];
    let stop_price = prop_oneof![30 => 3..=9_i64, 1 => 0..=13_i64];
    let special = drawn_of![
        6 => Just(Terms::default()),
        weight(DRAWN.special, 1) => Just(Terms { display_qty: lots(2), ..Terms::default() }),
        weight(DRAWN.special, 1) => Just(Terms { min_qty: lots(4), ..Terms::default() }),
        weight(DRAWN.special, 1) => Just(Terms { hidden: true, ..Terms::default() }),
    ];
    (plain_order(), kind, trails, in_force, stop_price, any::<bool>(), qty(), special, 3..=9_i64)
        .prop_map(
            |(order, order_type, trails, in_force, stop_price, at_once, qty, special, price)| {
                let by_market = order_type.is_market();
                let stop_price = (trails.is_none() || !at_once).then_some(ticks(stop_price));
                let trailing_delta_bps = trails.unwrap_or(0);
                let terms = Terms { stop_price, trailing_delta_bps, ..Terms::default() };
                let terms = match by_market {
                    true => terms,
                    false => Terms {
                        display_qty: special.display_qty,
                        min_qty: special.min_qty,
                        hidden: special.hidden,
                        ..terms
                    },
                };
                NewOrder {
                    order_type,
                    time_in_force: if by_market { TimeInForce::Gtc } else { in_force },
                    price: if by_market { ticks(0) } else { ticks(price) },
                    size: OrderSize::Base(lots(qty)),
                    terms: Some(terms),
                    ..order
                }
            },
        )
        .boxed()
}

/// Orders that end at a time, or belong to an auction.
fn timed_order() -> BoxedStrategy<NewOrder> {
    let in_force = drawn_of![
        weight(DRAWN.dated, 2) => Just(TimeInForce::Gtd),
        weight(DRAWN.phases, 2) => Just(TimeInForce::Day),
        weight(DRAWN.phases, 3) => Just(TimeInForce::AtOpen),
        weight(DRAWN.phases, 2) => Just(TimeInForce::AtClose),
        1 => Just(TimeInForce::Gtc),
    ];
    let expire_ns = prop_oneof![9 => 1..600_u64, 1 => Just(0), 1 => Just(20 * SECOND_NS)];
    (new_untimed(), in_force, expire_ns)
        .prop_map(|(order, time_in_force, expire_ns)| {
            let expire_ns = if time_in_force == TimeInForce::Gtd { expire_ns } else { 0 };
            let terms = Terms { expire_ns, ..order.special() };
            let is_plain = terms == Terms::default() && order.terms.is_none();
            NewOrder { time_in_force, terms: (!is_plain).then_some(terms), ..order }
        })
        .boxed()
}

fn new_untimed() -> BoxedStrategy<NewOrder> {
    drawn_of![
        5 => plain_order(),
        weight(DRAWN.special, 2) => special_order(),
        weight(DRAWN.triggers, 2) => stop_order(),
    ]
    .boxed()
}

/// Terms that do not go together.
fn odd_order() -> BoxedStrategy<NewOrder> {
    let terms =
        prop::array::uniform4(any::<bool>()).prop_map(|[stop, trail, hidden, show]| Terms {
            stop_price: stop.then_some(ticks(5)),
            trailing_delta_bps: if trail { 1_000 } else { 0 },
            hidden,
            display_qty: lots(if show { 2 } else { 0 }),
            min_qty: lots(u64::from(stop != hidden)),
            ..Terms::default()
        });
    let kinds = prop::sample::select(OrderType::ALL);
    let in_force = prop::sample::select(TimeInForce::ALL);
    (plain_order(), kinds, in_force, terms)
        .prop_map(|(order, order_type, time_in_force, terms)| NewOrder {
            order_type,
            time_in_force,
            terms: Some(terms),
            ..order
        })
        .boxed()
}

fn new_list() -> BoxedStrategy<NewOrderList> {
    let kind = prop::sample::select(OrderListKind::ALL);
    let pair = (stop_order(), stop_order(), 3..=9_i64, 0..10_u8);
    (kind, plain_order(), pair, cl_ord_id(), any::<bool>(), 0..30_u8)
        .prop_map(|(kind, first, (one, other, price, form), cl_ord_id, turned, odd)| {
            let instrument = first.instrument;
            let first = NewOrder {
                order_type: if form < 3 { OrderType::LimitMaker } else { OrderType::Limit },
                time_in_force: TimeInForce::Gtc,
                price: if first.price.ticks() == 0 { ticks(price) } else { first.price },
                size: OrderSize::Base(lots(u64::from(form) + 1)),
                ..first
            };
            let side = if kind == OrderListKind::Oco { first.side } else { first.side.opposite() };
            let leg = |order: NewOrder, number: u8| NewOrder {
                instrument,
                side: if odd == 0 { order.side } else { side },
                size: if odd == 1 { order.size } else { first.size },
                cl_ord_id: if odd == 2 {
                    order.cl_ord_id
                } else {
                    name(&format!("l{number}{cl_ord_id}"))
                },
                ..order
            };
            let gain = match form % 3 {
                0 => NewOrder {
                    order_type: match other.order_type.is_market() {
                        true => OrderType::TakeProfit,
                        false => OrderType::TakeProfitLimit,
                    },
                    ..other
                },
                _ => NewOrder {
                    order_type: OrderType::LimitMaker,
                    time_in_force: TimeInForce::Gtc,
                    price: ticks(price),
                    terms: None,
                    ..other
                },
            };
            let stop = NewOrder {
                order_type: match one.order_type.is_market() {
                    true => OrderType::StopLoss,
                    false => OrderType::StopLossLimit,
                },
                ..one
            };
            let (gain, stop) = (leg(gain, 1), leg(stop, 2));
            let (one, other) = if turned { (stop, gain) } else { (gain, stop) };
            let orders = match kind {
                OrderListKind::Oco => vec![one, other],
                OrderListKind::Oto => vec![first, one],
                OrderListKind::Otoco => vec![first, one, other],
            };
            NewOrderList { instrument, cl_ord_id, kind, orders }
        })
        .boxed()
}

fn cancel() -> BoxedStrategy<CancelOrder> {
    let restriction = prop_oneof![
        6 => Just(CancelRestriction::None),
        1 => Just(CancelRestriction::OnlyNew),
        1 => Just(CancelRestriction::OnlyPartiallyFilled),
    ];
    (instrument(), order_ref(), cl_ord_id(), restriction)
        .prop_map(|(instrument, order, cl_ord_id, restriction)| CancelOrder {
            instrument,
            order,
            cl_ord_id,
            restriction,
        })
        .boxed()
}

fn external_ref() -> impl Strategy<Value = ExternalRef> {
    (0..16_u32).prop_map(|number| ExternalRef::parse(&format!("r{number}")).unwrap())
}

fn transfer() -> BoxedStrategy<Deposit> {
    let account = account().prop_map(AccountId);
    let amount =
        prop_oneof![20 => 1..150_i128, 10 => 1..16_i128, 1 => -1..=0_i128, 1 => Just(i128::MAX)];
    (account, asset(), amount.prop_map(minor), external_ref())
        .prop_map(|(account, asset, amount, external_ref)| Deposit {
            account,
            asset,
            amount,
            external_ref,
        })
        .boxed()
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
    let replace = (cancel(), any::<bool>(), new_order(), elsewhere).prop_map(|drawn| {
        let (cancel, stop, order, elsewhere) = drawn;
        let mode = if stop { ReplaceMode::StopOnFailure } else { ReplaceMode::AllowFailure };
        // Mostly in one instrument.
        let cancel = match elsewhere {
            true => cancel,
            false => CancelOrder { instrument: order.instrument, ..cancel },
        };
        ReplaceOrder { cancel, mode, order }
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
        4 => operator(),
        weight(DRAWN.control, 6) => control(),
        weight(DRAWN.bust, 14) => undo(),
        6 => rules(),
        1 => Just(Command::Tick(())),
        1 => Just(Command::Continue(())),
    ];
    drawn_of![5 => trading, 1 => others].boxed()
}

fn modify() -> impl Strategy<Value = ModifyOrder> {
    let price = prop::option::weighted(0.6, price().prop_map(ticks));
    let new_name = prop::option::weighted(0.3, cl_ord_id());
    (instrument(), order_ref(), new_name, 0..14_u64, price).prop_map(
        |(instrument, order, cl_ord_id, qty, price)| ModifyOrder {
            instrument,
            order,
            cl_ord_id,
            order_qty: lots(qty),
            price,
        },
    )
}

fn cancel_list() -> impl Strategy<Value = CancelOrderList> {
    let id = prop::option::weighted(0.6, (0..6_u64).prop_map(OrderListId));
    (instrument(), id, prop::option::weighted(0.6, cl_ord_id()), cl_ord_id()).prop_map(
        |(instrument, order_list, list_cl_ord_id, cl_ord_id)| CancelOrderList {
            instrument,
            order_list,
            list_cl_ord_id,
            cl_ord_id,
        },
    )
}

/// Kill switches, mass cancels, sessions.
fn control() -> BoxedStrategy<Command> {
    let account = || account().prop_map(AccountId);
    let kill = (account(), 0..9_u8)
        .prop_map(|(account, on)| Command::SetKillSwitch(SetKillSwitch { account, on: on == 0 }));
    let mass = (prop::option::of(instrument()), prop::option::of(side()), cl_ord_id()).prop_map(
        |(instrument, side, cl_ord_id)| {
            Command::MassCancel(MassCancel { instrument, side, cl_ord_id })
        },
    );
    let open = any::<bool>().prop_map(|cancel_on_disconnect| {
        Command::OpenSession(OpenSession { cancel_on_disconnect })
    });
    let close = (0..4_u64)
        .prop_map(|session| Command::CloseSession(CloseSession { session: SessionId(session) }));
    prop_oneof![2 => kill, 2 => mass, 4 => open, 4 => close].boxed()
}

/// Trades undone, and what is then owed.
fn undo() -> BoxedStrategy<Command> {
    let instrument = || prop_oneof![9 => Just(InstrumentId(0)), 1 => instrument()];
    let account = || prop_oneof![9 => 1..=3_u32, 1 => account()];
    let trade = || (instrument(), 1..5_u64, account(), account());
    let bust = trade().prop_map(|(instrument, trade_id, buyer, seller)| {
        Command::BustTrade(BustTrade {
            instrument,
            trade_id: TradeId(trade_id),
            buyer: AccountId(buyer),
            seller: AccountId(seller),
        })
    });
    let correct = (trade(), price()).prop_map(|((instrument, trade_id, buyer, seller), price)| {
        Command::CorrectTrade(CorrectTrade {
            instrument,
            trade_id: TradeId(trade_id),
            buyer: AccountId(buyer),
            seller: AccountId(seller),
            price: ticks(price),
        })
    });
    let settle = (0..5_u64).prop_map(|receivable| {
        Command::SettleReceivable(SettleReceivable { receivable: ReceivableId(receivable) })
    });
    prop_oneof![5 => bust, 5 => correct, 2 => settle].boxed()
}

/// What operators set: phases, halts, rules, limits, fees.
fn rules() -> BoxedStrategy<Command> {
    drawn_of![
        1 => Just(Command::Tick(())),
        weight(DRAWN.phases, 8) => phase(),
        weight(DRAWN.halts, 2) => halt(),
        weight(DRAWN.filters || DRAWN.bands, 3) => instrument_rules(),
        weight(DRAWN.delist, 2) => delist(),
        weight(DRAWN.modes || DRAWN.self_trade || DRAWN.rate, 3) => account_risk(),
        weight(DRAWN.limits, 3) => account_limits(),
        weight(DRAWN.schedules, 3) => fee_schedule(),
    ]
    .boxed()
}

fn phase() -> impl Strategy<Value = Command> {
    let phases = prop_oneof![
        3 => Just(Phase::Continuous),
        4 => prop::sample::select(Phase::ALL),
    ];
    let session = (0..200_u8, 0..90_000_u32, prop::sample::select(Phase::ALL))
        .prop_map(|(weekdays, begins_s, phase)| Session { weekdays, begins_s, phase });
    let calendar = (instrument(), session).prop_map(|(instrument, session)| {
        let mut sessions = [None; types::SESSIONS_MAX];
        sessions[0] = Some(session);
        Command::SetCalendar(Calendar { instrument, sessions })
    });
    let set = (instrument(), phases)
        .prop_map(|(instrument, phase)| Command::SetPhase(SetPhase { instrument, phase }));
    prop_oneof![12 => set, 1 => calendar]
}

fn halt() -> impl Strategy<Value = Command> {
    let resume_ns = prop_oneof![Just(0), 1..600_u64];
    let halt = (0..5_u8, resume_ns)
        .prop_map(|(level, resume_ns)| Command::HaltVenue(HaltVenue { level, resume_ns }));
    let level = || (0..6_000_u32, 0..20_u64);
    let breaker = (instrument(), level(), level()).prop_map(|(index, one, other)| {
        let level = |(decline_bps, halt_ns)| Some(HaltLevel { decline_bps, halt_ns });
        let levels = [level(one), level(other), None];
        Command::SetCircuitBreaker(CircuitBreaker { index, levels })
    });
    prop_oneof![2 => halt, 3 => Just(Command::ResumeVenue(())), 2 => breaker]
}

fn instrument_rules() -> BoxedStrategy<Command> {
    let bands = (0..6_000_u32, 0..6_000_u32, any::<bool>(), 0..40_u64).prop_map(
        |(static_bps, dynamic_bps, halts, breach_ns)| PriceBands {
            static_bps: if static_bps < 2_000 { 0 } else { static_bps },
            dynamic_bps: if dynamic_bps < 2_000 { 0 } else { dynamic_bps },
            breach: if halts { BandBreach::Halt } else { BandBreach::VolatilityAuction },
            breach_ns: if breach_ns < 10 { 0 } else { breach_ns },
        },
    );
    let percent = prop_oneof![
        2 => Just(PercentPrice::default()),
        1 => Just(PercentPrice {
            buy_max_bps: 14_000,
            buy_min_bps: 5_000,
            sell_max_bps: 16_000,
            sell_min_bps: 7_000,
        }),
    ];
    let filters = (0..4_u32, percent, any::<bool>(), 0..5_u64, 0..5_u32, 0..8_u8, 0..160_u64)
        .prop_map(|(mins, percent_price, by_avg, market_min, parts, counts, position)| {
            let max = |bit: u8| u32::from(counts & bit != 0) * 2;
            InstrumentRules {
                avg_price_mins: mins,
                percent_price,
                notional_by_avg_price: by_avg,
                market_min_qty: lots(market_min),
                iceberg_parts_max: parts,
                max_stop_orders: max(1),
                max_iceberg_orders: max(2) / 2,
                max_order_lists: max(4) / 2,
                max_amends: max(1),
                trailing_delta_min_bps: max(2) * 400,
                trailing_delta_max_bps: max(4) * 2_000,
                max_position: lots(if position < 60 { 0 } else { position }),
                bands: PriceBands::default(),
            }
        });
    (instrument(), filters, bands)
        .prop_map(|(instrument, filters, bands)| {
            let mut rules = if DRAWN.filters { filters } else { InstrumentRules::default() };
            if DRAWN.bands {
                rules.bands = bands;
            }
            Command::SetInstrumentRules(SetInstrumentRules { instrument, rules })
        })
        .boxed()
}

fn delist() -> impl Strategy<Value = Command> {
    let update = (instrument(), 8..14_i64, 20..50_u64, 0..8_u8).prop_map(
        |(instrument, max_price, max_qty, odd)| {
            let mut spec = house().instruments[instrument.0.min(2) as usize];
            (spec.max_price, spec.max_qty) = (ticks(max_price), lots(max_qty));
            spec.fees = rates(10_000, 90_000);
            match odd {
                0 => spec.tick_size.units += 1,
                1 => spec.min_qty = lots(0),
                2 => spec.fees = rates(0, FeeRates::MAX_BPS_X100 + 1),
                _ => {}
            }
            Command::UpdateInstrument(UpdateInstrument { instrument, spec })
        },
    );
    // An instrument that is gone for ever is no longer a place to try other rules in.
    let gone = prop_oneof![8 => Just(1), 1 => Just(0), 1 => Just(9)].prop_map(|instrument| {
        Command::DelistInstrument(DelistInstrument { instrument: InstrumentId(instrument) })
    });
    prop_oneof![4 => update, 1 => gone]
}

fn account_risk() -> impl Strategy<Value = Command> {
    let mode = drawn_of![
        4 => Just(AccountMode::Cash),
        weight(DRAWN.modes, 4) => Just(AccountMode::Limits),
        weight(DRAWN.modes, 2) => Just(AccountMode::None),
    ];
    (account(), mode, 0..3_u32, 0..12_u32, 0..40_u32).prop_map(
        |(account, mode, group, short, day)| {
            let risk = AccountRisk {
                mode: if account < 5 { AccountMode::Cash } else { mode },
                stp_group: if DRAWN.self_trade { group } else { 0 },
                max_orders_per_10s: if DRAWN.rate && short > 8 { short - 6 } else { 0 },
                max_orders_per_day: if DRAWN.rate && day > 30 { day - 25 } else { 0 },
            };
            Command::SetAccountRisk(SetAccountRisk { account: AccountId(account), risk })
        },
    )
}

fn account_limits() -> BoxedStrategy<Command> {
    let limits = (0..12_u64, 0..120_i128, 0..6_u32, 0..300_i128, 0..60_u64, 0..9_000_u32).prop_map(
        |(qty, notional, open, open_notional, position, collar)| AccountLimits {
            max_order_qty: lots(if qty < 6 { 0 } else { qty }),
            max_order_notional: minor(if notional < 40 { 0 } else { notional }),
            max_open_orders: if open < 2 { 0 } else { open },
            max_open_notional: minor(if open_notional < 100 { 0 } else { open_notional }),
            max_position: lots(if position < 20 { 0 } else { position }),
            collar_bps: if collar < 3_000 { 0 } else { collar },
        },
    );
    (account(), instrument(), limits)
        .prop_map(|(account, instrument, limits)| {
            let account = AccountId(account);
            Command::SetAccountLimits(SetAccountLimits { account, instrument, limits })
        })
        .boxed()
}

fn fee_schedule() -> BoxedStrategy<Command> {
    let tier = |volume_min: i128| {
        (-60_000..100_000_i32, 0..200_000_i32).prop_map(move |(maker, taker)| FeeTier {
            volume_min: minor(volume_min),
            maker_fee_bps_x100: maker,
            taker_fee_bps_x100: taker,
        })
    };
    let tiers = (tier(0), tier(150), tier(400), 0..20_u8).prop_map(|(one, two, three, odd)| {
        let mut tiers = [None; types::FEE_TIERS_MAX];
        tiers[0] = Some(if odd == 0 { two } else { one });
        tiers[1] = Some(two);
        tiers[2] = Some(three);
        tiers
    });
    let asset = prop::sample::select(FeeAsset::ALL);
    let schedule = (asset, tiers).prop_map(|(fee_asset, tiers)| FeeSchedule { fee_asset, tiers });
    (instrument(), prop::option::weighted(0.8, schedule))
        .prop_map(|(instrument, schedule)| {
            Command::SetFeeSchedule(SetFeeSchedule { instrument, schedule })
        })
        .boxed()
}

fn operator() -> BoxedStrategy<Command> {
    let asset = (0..3_u8, 17..20_u8).prop_map(|(number, decimals)| {
        let name = AssetName::parse(["B", "D", "E"][usize::from(number)]).unwrap();
        Command::ListAsset(ListAsset { asset: Asset { name, decimals } })
    });
    let list = (0..3_u8, 0..3_u16).prop_map(|(number, base)| {
        let symbol = Symbol::parse(["BQ", "X1", "X2"][usize::from(number)]).unwrap();
        let spec = InstrumentSpec { symbol, base: AssetId(base), ..house().instruments[0] };
        Command::ListInstrument(ListInstrument { spec })
    });
    let terms = (1..8_u32, 0..8_u32, prop::option::of(Just(rates(5_000, 1_000_000)))).prop_map(
        |(number, kept, fees)| AccountSpec {
            fees,
            max_open_orders: kept,
            finished_orders_kept: kept,
            trades_kept: kept,
            ..account_spec(number)
        },
    );
    let create = terms.clone().prop_map(|spec| Command::CreateAccount(CreateAccount { spec }));
    let update = (account(), terms).prop_map(|(account, mut spec)| {
        spec.name = account_spec(account).name;
        Command::UpdateAccount(UpdateAccount { account: AccountId(account), spec })
    });
    let key = (account(), 0..4_u8).prop_map(|(account, hash)| {
        let spec = KeySpec {
            account: AccountId(account),
            role: Role::ReadOnly,
            api_key_hash: [hash; 16],
            sealed_secret: Sealed::new(&[hash; 40]).unwrap(),
        };
        Command::CreateKey(CreateKey { spec })
    });
    let revoke = (0..4_u32).prop_map(|key| Command::RevokeKey(RevokeKey { key: KeyId(key) }));
    prop_oneof![asset, list, create, update, key, revoke].boxed()
}
