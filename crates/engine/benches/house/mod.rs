//! Setup for benches and tests of a whole engine: one instrument, and accounts with enough of both
//! its assets.

#![allow(dead_code, reason = "each bench uses a part of it")]

use engine::Engine;
use types::{
    AMOUNT_MAX, AccountId, AccountName, AccountSpec, Amount, Asset, AssetId, AssetName,
    CancelOrder, CancelRestriction, ClOrdId, Command, CreateAccount, Deposit, Entry, Envelope,
    Event, ExternalRef, FeeRates, Increment, InstrumentId, InstrumentSpec, ListAsset,
    ListInstrument, NewOrder, OrderId, OrderRef, OrderSize, OrderType, Origin, PRICE_MAX, Price,
    QTY_MAX, Qty, Side, StpMode, Symbol, TimeInForce,
};

/// The accounts are numbered from 1.
pub(crate) fn open(accounts: u32) -> Engine {
    let mut engine = Engine::default();
    let mut events = Vec::new();
    for command in set_up(accounts) {
        execute(&mut engine, 0, AccountId::VENUE, command, &mut events);
    }
    engine
}

/// The operator's commands of the setup.
pub(crate) fn set_up(accounts: u32) -> Vec<Command> {
    let mut commands = Vec::new();
    for name in ["BASE", "QUOTE"] {
        let name = AssetName::parse(name).expect("a valid name");
        commands.push(Command::ListAsset(ListAsset { asset: Asset { name, decimals: 0 } }));
    }
    let one = Increment { units: 1, decimals: 0 };
    let spec = InstrumentSpec {
        symbol: Symbol::parse("BASEQUOTE").expect("a valid name"),
        base: AssetId(0),
        quote: AssetId(1),
        tick_size: one,
        lot_size: one,
        min_price: Price::from_ticks(1),
        max_price: PRICE_MAX,
        min_qty: Qty::from_lots(1),
        max_qty: QTY_MAX,
        market_max_qty: QTY_MAX,
        min_notional: Amount::from_minor(1),
        max_notional: AMOUNT_MAX,
        max_open_orders: u32::MAX,
        fees: FeeRates { maker_fee_bps_x100: 100, taker_fee_bps_x100: 100 },
    };
    commands.push(Command::ListInstrument(ListInstrument { spec }));
    for account in 1..=accounts {
        let spec = AccountSpec {
            name: AccountName::parse(&format!("trader-{account}")).expect("a valid name"),
            fees: None,
            max_open_orders: u32::MAX,
            finished_orders_kept: 100,
            trades_kept: 100,
        };
        commands.push(Command::CreateAccount(CreateAccount { spec }));
        for asset in [AssetId(0), AssetId(1)] {
            let external_ref = ExternalRef::parse(&format!("d{}", asset.0)).expect("a valid name");
            let amount = Amount::from_minor(AMOUNT_MAX.minor() >> 12);
            let account = AccountId(account);
            commands.push(Command::Deposit(Deposit { account, asset, amount, external_ref }));
        }
    }
    commands
}

/// Applies a command; `events` are its events.
pub(crate) fn apply(
    engine: &mut Engine,
    now_ns: u64,
    account: AccountId,
    command: Command,
    events: &mut Vec<Event>,
) {
    events.clear();
    let envelope = Envelope { account, ..Envelope::venue(Origin::Replay, now_ns) };
    engine.apply(now_ns, &Entry { envelope, command }, events);
}

/// [`apply`] for commands that must not be refused.
pub(crate) fn execute(
    engine: &mut Engine,
    now_ns: u64,
    account: AccountId,
    command: Command,
    events: &mut Vec<Event>,
) {
    apply(engine, now_ns, account, command, events);
    let refused = |event: &Event| matches!(event, Event::CommandRejected(_));
    assert!(!events.iter().any(refused), "{events:?}");
}

pub(crate) fn limit_order(side: Side, ticks: i64, lots: u64, cl_ord_id: &str) -> NewOrder {
    NewOrder {
        instrument: InstrumentId(0),
        cl_ord_id: ClOrdId::parse(cl_ord_id).expect("a valid name"),
        side,
        order_type: OrderType::Limit,
        time_in_force: TimeInForce::Gtc,
        stp_mode: StpMode::None,
        price: Price::from_ticks(ticks),
        size: OrderSize::Base(Qty::from_lots(lots)),
        strategy_id: None,
        strategy_type: None,
        terms: None,
    }
}

pub(crate) fn cancel_order(order_id: OrderId) -> Command {
    Command::CancelOrder(CancelOrder {
        instrument: InstrumentId(0),
        order: OrderRef::by_id(order_id),
        cl_ord_id: ClOrdId::parse("c").expect("a valid name"),
        restriction: CancelRestriction::None,
    })
}

/// Resident memory of the process.
pub(crate) fn resident_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap_or_default();
    let kib = line.split_whitespace().nth(1).and_then(|kib| kib.parse::<u64>().ok());
    kib.unwrap_or_default() * 1024
}
