//! Memory per resting order, all told: a million orders of 2,000 accounts on 200,000 prices.
//!
//! `cargo bench -p engine --bench memory` prints the growth of the resident memory for names as the
//! venue generates them and for the longest there are, and fails if it is more than is promised.

use engine::Engine;
use types::{
    AMOUNT_MAX, AccountId, AccountName, AccountSpec, Amount, Asset, AssetId, AssetName, ClOrdId,
    Command, CreateAccount, Deposit, Entry, Envelope, Event, ExternalRef, FeeRates, Increment,
    InstrumentId, InstrumentSpec, ListAsset, ListInstrument, NewOrder, OrderSize, OrderType,
    Origin, PRICE_MAX, Price, QTY_MAX, Qty, Side, StpMode, Symbol, TimeInForce,
};

const ACCOUNTS: u32 = 2_000;
const ORDERS: u64 = 1_000_000;
const PRICES_A_SIDE: u64 = 100_000;
const MIDDLE: i64 = 1_000_000;

fn main() {
    println!("{:38}{:>9}{:>9}", "a million resting orders", "bytes", "at most");
    measure("names as generated, 20 characters", 20, 128);
    measure("names of 36 characters", ClOrdId::LEN_MAX, 176);
}

fn measure(name: &str, name_len: usize, bytes_max: u64) {
    let mut engine = open();
    let before = resident_bytes();
    let mut events = Vec::new();
    for number in 0..ORDERS {
        let (account, order) = order(number, name_len);
        apply(&mut engine, account, Command::NewOrder(order), &mut events);
    }
    let bytes = resident_bytes().saturating_sub(before) / ORDERS;
    assert_eq!(engine.resting_count() as u64, ORDERS);
    println!("{name:38}{bytes:>9}{bytes_max:>9}");
    assert!(bytes <= bytes_max);
}

fn order(number: u64, name_len: usize) -> (AccountId, NewOrder) {
    // The finalizer of SplitMix64.
    let hash = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    let away = 1 + (hash % PRICES_A_SIDE) as i64;
    let (side, price) = match hash >> 63 {
        0 => (Side::Buy, MIDDLE - away),
        _ => (Side::Sell, MIDDLE + away),
    };
    let text = format!("{number:0name_len$}");
    let order = NewOrder {
        instrument: InstrumentId(0),
        cl_ord_id: ClOrdId::parse(&text).expect("digits"),
        side,
        order_type: OrderType::Limit,
        time_in_force: TimeInForce::Gtc,
        stp_mode: StpMode::None,
        price: Price::from_ticks(price),
        size: OrderSize::Base(Qty::from_lots(1 + hash % 100)),
        strategy_id: None,
        strategy_type: None,
        terms: None,
    };
    (AccountId(1 + (number % u64::from(ACCOUNTS)) as u32), order)
}

/// One instrument, and accounts that own enough.
fn open() -> Engine {
    let mut engine = Engine::default();
    let mut events = Vec::new();
    let mut operate = |command| apply(&mut engine, AccountId::VENUE, command, &mut events);
    for name in ["BASE", "QUOTE"] {
        let name = AssetName::parse(name).expect("a valid name");
        operate(Command::ListAsset(ListAsset { asset: Asset { name, decimals: 0 } }));
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
        fees: FeeRates::ZERO,
    };
    operate(Command::ListInstrument(ListInstrument { spec }));
    for account in 1..=ACCOUNTS {
        let spec = AccountSpec {
            name: AccountName::parse(&format!("trader-{account}")).expect("a valid name"),
            fees: None,
            max_open_orders: u32::MAX,
            finished_orders_kept: 100,
            trades_kept: 100,
        };
        operate(Command::CreateAccount(CreateAccount { spec }));
        for asset in [AssetId(0), AssetId(1)] {
            let external_ref = ExternalRef::parse(&format!("d{}", asset.0)).expect("a valid name");
            let amount = Amount::from_minor(AMOUNT_MAX.minor() >> 12);
            let account = AccountId(account);
            operate(Command::Deposit(Deposit { account, asset, amount, external_ref }));
        }
    }
    engine
}

fn apply(engine: &mut Engine, account: AccountId, command: Command, events: &mut Vec<Event>) {
    events.clear();
    let envelope = Envelope { account, ..Envelope::venue(Origin::Replay, 0) };
    engine.apply(0, &Entry { envelope, command }, events);
    let refused = |event: &Event| matches!(event, Event::CommandRejected(_));
    assert!(!events.iter().any(refused), "{events:?}");
}

fn resident_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).expect("a resident size");
    let kib: Option<u64> = line.split_whitespace().nth(1).and_then(|kib| kib.parse().ok());
    kib.expect("a number") * 1024
}
