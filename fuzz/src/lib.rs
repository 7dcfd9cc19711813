//! A small venue, and what no command may do to it.

use engine::{Engine, WORK_PER_COMMAND};
use types::{
    AccountId, AccountMode, AccountName, AccountRisk, AccountSpec, Amount, Asset, AssetId,
    AssetName, Command, CreateAccount, Deposit, Entry, Envelope, Event, ExternalRef, FeeRates,
    Increment, InstrumentSpec, ListAsset, ListInstrument, Origin, Price, Qty, Reader,
    SetAccountRisk, Symbol,
};

/// The most events of one unit of a command's work: a trade, both books, both
/// lists, the next part of an iceberg.
const EVENTS_PER_WORK: usize = 16;

/// The most events of one command.
pub const EVENTS_MAX: usize = (WORK_PER_COMMAND as usize + 1) * EVENTS_PER_WORK;

/// `Continue`s after which the work of one command is done: no script is long enough for more.
pub const CONTINUES_MAX: usize = 1_000;

/// The entries that are read of one input.
const ENTRIES_MAX: usize = 2_000;

/// Two assets, two instruments, four accounts, the last two without balances.
pub fn small_venue() -> Engine {
    let mut engine = Engine::default();
    let mut events = Vec::new();
    for command in set_up() {
        let envelope = Envelope::venue(Origin::Admin, 0);
        engine.apply(1, &Entry { envelope, command }, &mut events);
    }
    let refused = events.iter().find(|event| matches!(event, Event::CommandRejected(_)));
    assert_eq!(refused, None);
    engine
}

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

/// Applies (time, entry) after (time, entry), as they lie in a log, until something else comes.
pub fn apply_all(engine: &mut Engine, bytes: &[u8]) {
    let mut reader = Reader(bytes);
    for _ in 0..ENTRIES_MAX {
        let Some((sequenced_ns, entry)) = read_timed(&mut reader) else { break };
        apply(engine, sequenced_ns, &entry);
    }
    engine.assert_consistent();
}

fn read_timed(r: &mut Reader<'_>) -> Option<(u64, Entry)> {
    Some((r.read()?, r.read()?))
}

/// Applies one entry and the `Continue`s that it leads to: neither may be without end.
fn apply(engine: &mut Engine, sequenced_ns: u64, entry: &Entry) {
    let mut events = Vec::new();
    engine.apply(sequenced_ns, entry, &mut events);
    assert!(events.len() <= EVENTS_MAX, "{} events of {:?}", events.len(), entry.command);
    let envelope = Envelope::venue(Origin::Venue, 0);
    let rest = Entry { envelope, command: Command::Continue(()) };
    let mut continues = 0;
    while engine.has_deferred() {
        events.clear();
        engine.apply(sequenced_ns, &rest, &mut events);
        assert!(events.len() <= EVENTS_MAX, "{} events of {:?}", events.len(), entry.command);
        continues += 1;
        assert!(continues <= CONTINUES_MAX, "{:?} does not end", entry.command);
    }
}
