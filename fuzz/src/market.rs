//! A small market: its venue, its orders.

use engine::Engine;
use types::{
    AccountId, AccountMode, AccountName, AccountRisk, AccountSpec, Amount, Asset, AssetId,
    AssetName, ClOrdId, Command, CreateAccount, Deposit, Entry, Envelope, Event, ExternalRef,
    FeeRates, Increment, InstrumentId, InstrumentSpec, ListAsset, ListInstrument, NewOrder,
    NewOrderList, OrderListKind, OrderSize, OrderType, Origin, Peg, PegReference, Price, Qty,
    SetAccountRisk, Side, StpMode, Symbol, Terms, TimeInForce,
};

/// Two assets, two instruments, four accounts, the last two without balances.
pub fn small_venue() -> Engine {
    let mut engine = Engine::default();
    let commands = set_up().into_iter().map(|command| (AccountId::VENUE, command));
    commands.for_each(|command| apply(&mut engine, command));
    engine
}

/// [`small_venue`] with orders of most kinds.
pub fn busy_venue() -> Engine {
    let mut engine = small_venue();
    trading().into_iter().for_each(|command| apply(&mut engine, command));
    engine.assert_consistent();
    engine
}

/// Applies a command, which must be accepted.
fn apply(engine: &mut Engine, (account, command): (AccountId, Command)) {
    let envelope = Envelope { account, ..Envelope::venue(Origin::Admin, 0) };
    let mut events = Vec::new();
    engine.apply(1, &Entry { envelope, command }, &mut events);
    let refused = events.iter().find(|event| matches!(event, Event::CommandRejected(_)));
    assert_eq!(refused, None);
}

/// What makes [`busy_venue`] of a new venue, and the accounts that send it.
pub(crate) fn set_up_and_trade() -> impl Iterator<Item = (AccountId, Command)> {
    set_up().into_iter().map(|command| (AccountId::VENUE, command)).chain(trading())
}

/// Lists and funds what [`small_venue`] has.
fn set_up() -> Vec<Command> {
    let mut commands = Vec::new();
    for name in ["B", "Q"] {
        let name = AssetName::parse(name).expect("a valid name");
        commands.push(Command::ListAsset(ListAsset { asset: Asset { name, decimals: 0 } }));
    }
    for (symbol, price_max) in [("BQ", 100), ("WIDE", 1 << 50)] {
        let one = Increment { units: 1, decimals: 0 };
        let spec = InstrumentSpec {
            symbol: Symbol::parse(symbol).expect("a valid symbol"),
            base: AssetId(0),
            quote: AssetId(1),
            tick_size: one,
            lot_size: one,
            min_price: Price::from_ticks(1),
            max_price: Price::from_ticks(price_max),
            min_qty: Qty::from_lots(1),
            max_qty: Qty::from_lots(1 << 50),
            market_max_qty: Qty::from_lots(1 << 50),
            min_notional: Amount::from_minor(1),
            max_notional: Amount::from_minor(1 << 110),
            max_open_orders: 1_000,
            fees: FeeRates { maker_fee_bps_x100: 1_000, taker_fee_bps_x100: 20_000 },
        };
        commands.push(Command::ListInstrument(ListInstrument { spec }));
    }
    for number in 1..=4 {
        let spec = AccountSpec {
            name: AccountName::parse(&format!("account-{number}")).expect("a valid name"),
            fees: None,
            max_open_orders: 1_000,
            finished_orders_kept: 10,
            trades_kept: 10,
        };
        commands.push(Command::CreateAccount(CreateAccount { spec }));
        let account = AccountId(number);
        let mode = match number {
            3 => AccountMode::Limits,
            4 => AccountMode::None,
            _ => AccountMode::Cash,
        };
        if mode != AccountMode::Cash {
            let risk = AccountRisk { mode, ..AccountRisk::PLAIN };
            commands.push(Command::SetAccountRisk(SetAccountRisk { account, risk }));
            continue;
        }
        for asset in [0, 1] {
            commands.push(Command::Deposit(Deposit {
                account,
                asset: AssetId(asset),
                amount: Amount::from_minor(1 << 100),
                external_ref: ExternalRef::parse(&format!("start-{asset}")).expect("a valid name"),
            }));
        }
    }
    commands
}

/// Trades, and orders that rest, wait, hide, follow a price, or are in a list.
fn trading() -> Vec<(AccountId, Command)> {
    let limit = |name: &str, side, qty, price, terms| NewOrder {
        cl_ord_id: ClOrdId::parse(name).expect("a valid name"),
        size: OrderSize::Base(Qty::from_lots(qty)),
        terms,
        ..order(InstrumentId(0), side, Price::from_ticks(price))
    };
    let iceberg = Terms { display_qty: Qty::from_lots(4), ..Terms::default() };
    let hidden = Terms { hidden: true, ..Terms::default() };
    let peg = Peg { reference: PegReference::Primary, offset_ticks: -1, limit: None };
    let pegged = Terms { peg: Some(peg), ..Terms::default() };
    let stop = |name: &str, side, price, stop_price| NewOrder {
        order_type: OrderType::StopLossLimit,
        ..limit(name, side, 6, price, Some(Terms { stop_price: Some(stop_price), ..iceberg }))
    };
    let [low, lower, high] = [30, 25, 65].map(Price::from_ticks);
    let list = NewOrderList {
        instrument: InstrumentId(0),
        cl_ord_id: ClOrdId::parse("list").expect("a valid name"),
        kind: OrderListKind::Oto,
        orders: vec![limit("first", Side::Buy, 2, 35, None), stop("then", Side::Sell, 20, lower)],
    };
    let (one, two) = (AccountId(1), AccountId(2));
    let orders = [
        (one, limit("resting-sell", Side::Sell, 10, 50, None)),
        (two, limit("resting-buy", Side::Buy, 10, 40, None)),
        (two, limit("trade", Side::Buy, 4, 50, None)),
        (one, stop("stop-sell", Side::Sell, 25, low)),
        (two, stop("stop-buy", Side::Buy, 70, high)),
        (one, limit("iceberg", Side::Sell, 9, 60, Some(iceberg))),
        (one, limit("hidden", Side::Sell, 5, 60, Some(hidden))),
        (one, limit("pegged", Side::Buy, 3, 0, Some(pegged))),
    ];
    let orders = orders.into_iter().map(|(account, order)| (account, Command::NewOrder(order)));
    orders.chain([(two, Command::NewOrderList(list))]).collect()
}

/// A limit order of a name of its own.
pub(crate) fn order(instrument: InstrumentId, side: Side, price: Price) -> NewOrder {
    NewOrder {
        instrument,
        cl_ord_id: ClOrdId::parse("fuzz").expect("a valid name"),
        side,
        order_type: OrderType::Limit,
        time_in_force: TimeInForce::Gtc,
        stp_mode: StpMode::None,
        price,
        size: OrderSize::Base(Qty::from_lots(1_000)),
        strategy_id: None,
        strategy_type: None,
        terms: None,
    }
}
