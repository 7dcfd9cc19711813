//! An instrument with its assets, rules and trading state.

use crate::{
    Amount, Asset, AssetId, AssetName, FeeRates, Increment, Instrument, InstrumentId,
    InstrumentRules, InstrumentSpec, Phase, Price, Qty, Symbol,
};

/// An instrument together with its assets: all that a gateway needs to parse and print its numbers.
#[derive(Clone, Copy, Debug)]
pub struct Market {
    pub instrument: Instrument,
    pub base: Asset,
    pub quote: Asset,
    pub rules: InstrumentRules,
    pub trading: TradingState,
}

/// The current phase of an instrument, and its rules.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct TradingState {
    pub phase: Phase,
    /// When the phase ends by itself.
    pub until_ns: Option<u64>,
    pub is_delisted: bool,
    pub is_venue_halted: bool,
}

impl TradingState {
    /// The state until the engine has published one.
    pub const CONTINUOUS: Self = Self {
        phase: Phase::Continuous,
        until_ns: None,
        is_delisted: false,
        is_venue_halted: false,
    };

    /// Zero for a phase that does not end by itself.
    pub fn enter_phase(&mut self, phase: Phase, until_ns: u64) {
        self.phase = phase;
        self.until_ns = (until_ns > 0).then_some(until_ns);
    }

    /// A delisted instrument stays in its phase.
    pub fn delist(&mut self) {
        self.is_delisted = true;
        self.until_ns = None;
    }
}

/// Finds a market by its symbol.
pub type Markets<'a> = &'a dyn Fn(&str) -> Option<Market>;

impl Market {
    /// A market for examples: a tick is 0.01 USDT, a lot 0.00001 BTC.
    pub fn example() -> Self {
        let asset = |name| Asset { name: AssetName::parse(name).expect("letters"), decimals: 8 };
        let (base, quote) = (asset("BTC"), asset("USDT"));
        let increment = |text| Increment::parse(text).expect("a decimal");
        let spec = InstrumentSpec {
            symbol: Symbol::parse("BTCUSDT").expect("letters"),
            base: AssetId(0),
            quote: AssetId(1),
            tick_size: increment("0.01"),
            lot_size: increment("0.00001"),
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
        let instrument = Instrument::new(InstrumentId(0), spec, &base, &quote);
        let instrument = instrument.expect("ticks and lots of these assets");
        let rules = InstrumentRules::default();
        Self { instrument, base, quote, rules, trading: TradingState::CONTINUOUS }
    }

    pub fn symbol(&self) -> &str {
        self.instrument.spec.symbol.as_str()
    }

    pub fn price(&self, price: Price) -> String {
        self.instrument.format_price(price, self.quote.decimals)
    }

    pub fn qty(&self, qty: Qty) -> String {
        self.instrument.format_qty(qty, self.base.decimals)
    }

    /// A sum of quantities, in lots.
    pub fn volume(&self, lots: i128) -> String {
        self.instrument.spec.lot_size.format(lots, self.base.decimals)
    }

    pub fn quote_amount(&self, amount: Amount) -> String {
        self.quote.format_amount(amount)
    }

    /// The base or the quote asset: every fee is in one of the two.
    pub fn asset(&self, id: AssetId) -> &Asset {
        if id == self.instrument.spec.base { &self.base } else { &self.quote }
    }
}
