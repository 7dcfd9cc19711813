//! The small market of the tests: two assets, one instrument, two funded accounts.

use types::{
    AccountId, AccountName, AccountSpec, Amount, Asset, AssetId, AssetName, ClOrdId, Command,
    CreateAccount, Deposit, ExternalRef, FeeRates, Increment, InstrumentId, InstrumentSpec,
    ListAsset, ListInstrument, NewOrder, OrderSize, OrderType, Price, Qty, Side, StpMode, Symbol,
    TimeInForce,
};
use venue::Handle;

use crate::send;

pub const ALICE: AccountId = AccountId(1);
pub const BOB: AccountId = AccountId(2);
pub const INSTRUMENT: InstrumentId = InstrumentId(0);

const DEPOSITED: Amount = Amount::from_minor(1_000_000_000);

/// Number of finished orders and trades that the engine keeps of each account.
#[derive(Clone, Copy, Debug)]
pub struct Kept(pub u32);

/// Lists USD, OIL and OILUSD, and funds alice and bob, on a new venue.
pub fn set_up(handle: &Handle, kept: Kept) {
    for name in ["USD", "OIL"] {
        send(handle, AccountId::VENUE, asset(name, 2));
    }
    let spec = instrument();
    send(handle, AccountId::VENUE, Command::ListInstrument(ListInstrument { spec }));
    for (id, name) in [(ALICE, "alice"), (BOB, "bob")] {
        send(handle, AccountId::VENUE, account(name, 100_000, kept));
        for asset in [AssetId(0), AssetId(1)] {
            send(handle, AccountId::VENUE, deposit(id, asset, DEPOSITED, &asset.to_string()));
        }
    }
}

/// OILUSD: ticks of a cent, lots of one, and bounds that no test reaches by accident.
pub fn instrument() -> InstrumentSpec {
    InstrumentSpec {
        symbol: Symbol::parse("OILUSD").expect("a symbol"),
        base: AssetId(1),
        quote: AssetId(0),
        tick_size: Increment::parse("0.01").expect("an increment"),
        lot_size: Increment::parse("1").expect("an increment"),
        min_price: Price::from_ticks(1),
        max_price: Price::from_ticks(1_000_000),
        min_qty: Qty::from_lots(1),
        max_qty: Qty::from_lots(1_000_000),
        market_max_qty: Qty::from_lots(1_000_000),
        min_notional: Amount::ZERO,
        max_notional: Amount::from_minor(1 << 60),
        max_open_orders: 100_000,
        fees: FeeRates { maker_fee_bps_x100: 0, taker_fee_bps_x100: 500 },
    }
}

pub fn asset(name: &str, decimals: u8) -> Command {
    let name = AssetName::parse(name).expect("an asset's name");
    Command::ListAsset(ListAsset { asset: Asset { name, decimals } })
}

pub fn account(name: &str, max_open_orders: u32, kept: Kept) -> Command {
    let spec = AccountSpec {
        name: AccountName::parse(name).expect("an account's name"),
        fees: None,
        max_open_orders,
        finished_orders_kept: kept.0,
        trades_kept: kept.0,
    };
    Command::CreateAccount(CreateAccount { spec })
}

pub fn deposit(account: AccountId, asset: AssetId, amount: Amount, reference: &str) -> Command {
    let external_ref = ExternalRef::parse(reference).expect("a reference");
    Command::Deposit(Deposit { account, asset, amount, external_ref })
}

/// A limit order in the small market, good till it is canceled.
pub fn limit(cl_ord_id: &str, side: Side, price: i64, lots: u64) -> NewOrder {
    NewOrder {
        instrument: INSTRUMENT,
        cl_ord_id: ClOrdId::parse(cl_ord_id).expect("a client order id"),
        side,
        order_type: OrderType::Limit,
        time_in_force: TimeInForce::Gtc,
        stp_mode: StpMode::None,
        price: Price::from_ticks(price),
        size: OrderSize::Base(Qty::from_lots(lots)),
        strategy_id: None,
        strategy_type: None,
        terms: None,
    }
}
