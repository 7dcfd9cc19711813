//! What the tests of this module share: a market, its orders, a shorthand for parameters.

use types::{
    Amount, Asset, AssetId, AssetName, ClOrdId, FeeRates, Increment, Instrument, InstrumentId,
    InstrumentSpec, Price, Qty, Symbol,
};

use crate::binance::{Market, Params};

pub(crate) fn asset(name: &str, decimals: u8) -> Asset {
    Asset { name: AssetName::parse(name).unwrap(), decimals }
}

/// A tick is 0.01 USDT, a lot 0.00001 BTC.
pub(crate) fn btcusdt() -> Market {
    let (base, quote) = (asset("BTC", 8), asset("USDT", 8));
    let spec = InstrumentSpec {
        symbol: Symbol::parse("BTCUSDT").unwrap(),
        base: AssetId(0),
        quote: AssetId(1),
        tick_size: Increment::parse("0.01").unwrap(),
        lot_size: Increment::parse("0.00001").unwrap(),
        min_price: Price::from_ticks(1),
        max_price: Price::from_ticks(100_000_000),
        min_qty: Qty::from_lots(1),
        max_qty: Qty::from_lots(900_000_000),
        market_max_qty: Qty::from_lots(10_000_000),
        min_notional: Amount::from_minor(500_000_000),
        max_notional: Amount::from_minor(900_000_000_000_000),
        max_open_orders: 200,
        fees: FeeRates { maker_fee_bps_x100: 1_000, taker_fee_bps_x100: 1_500 },
    };
    let instrument = Instrument::new(InstrumentId(0), spec, &base, &quote).unwrap();
    Market { instrument, base, quote }
}

pub(crate) fn markets(symbol: &str) -> Option<Market> {
    (symbol == "BTCUSDT").then(btcusdt)
}

pub(crate) fn cl(text: &str) -> ClOrdId {
    ClOrdId::parse(text).unwrap()
}

pub(crate) fn query(text: &str) -> Params {
    Params::parse(text, b"").unwrap()
}
