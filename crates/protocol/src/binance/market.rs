use schemars::JsonSchema;
use serde::Serialize;
use types::{
    Amount, Asset, AssetId, AssetName, ClOrdId, FeeRates, Increment, Instrument, InstrumentId,
    InstrumentRules, InstrumentSpec, Phase, Price, Qty, Symbol,
};

/// An instrument together with its assets: all that is needed to read and print its numbers.
#[derive(Clone, Copy, Debug)]
pub struct Market {
    pub instrument: Instrument,
    pub base: Asset,
    pub quote: Asset,
    pub rules: InstrumentRules,
    pub status: SymbolStatus,
}

/// Whether a symbol trades, in Binance's words.
#[derive(Clone, Copy, Debug, Eq, PartialEq, JsonSchema, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SymbolStatus {
    PreTrading,
    Trading,
    /// Never: the day ends with its closing auction.
    PostTrading,
    EndOfDay,
    Halt,
    AuctionMatch,
    /// Delisted.
    Break,
}

impl SymbolStatus {
    pub const fn new(phase: Phase, is_delisted: bool, is_venue_halted: bool) -> Self {
        match phase {
            _ if is_delisted => Self::Break,
            _ if is_venue_halted => Self::Halt,
            Phase::Continuous => Self::Trading,
            Phase::PreOpen => Self::PreTrading,
            Phase::OpeningAuction | Phase::VolatilityAuction | Phase::ClosingAuction => {
                Self::AuctionMatch
            }
            Phase::Halt => Self::Halt,
            Phase::Closed => Self::EndOfDay,
        }
    }
}

/// Finds a market by its symbol.
pub type Markets<'a> = &'a dyn Fn(&str) -> Option<Market>;

impl Market {
    /// One to read examples with: a tick is 0.01 USDT, a lot 0.00001 BTC.
    pub(crate) fn example() -> Self {
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
        Self { instrument, base, quote, rules, status: SymbolStatus::Trading }
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

    /// The base or the quote asset: fees are taken from one of the two.
    pub fn asset(&self, id: AssetId) -> &Asset {
        match id == self.instrument.spec.base {
            true => &self.base,
            false => &self.quote,
        }
    }
}

/// A name for an order or a cancel whose client gave none: 20 letters and digits, which the engine
/// packs into 16 bytes. The first is a digit, since clients know their own names by how they begin:
/// NautilusTrader takes all that begin with an O for its own. The randomness is the caller's.
pub fn generated_cl_ord_id(random: [u8; 16]) -> ClOrdId {
    const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    const LEN: usize = 20; // 10 * 62^19 is above 2^116
    let mut rest = u128::from_le_bytes(random);
    let mut text = String::with_capacity(LEN);
    for at in 0..LEN {
        let choices = if at == 0 { 10 } else { 62 };
        text.push(char::from(ALPHABET[(rest % choices) as usize]));
        rest /= choices;
    }
    ClOrdId::parse(&text).expect("20 letters and digits")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_phase_has_a_status_and_a_halt_comes_before_it() {
        let status = |phase| SymbolStatus::new(phase, false, false);
        assert_eq!(status(Phase::PreOpen), SymbolStatus::PreTrading);
        for phase in [Phase::OpeningAuction, Phase::VolatilityAuction, Phase::ClosingAuction] {
            assert_eq!(status(phase), SymbolStatus::AuctionMatch);
        }
        assert_eq!(status(Phase::Continuous), SymbolStatus::Trading);
        assert_eq!(status(Phase::Halt), SymbolStatus::Halt);
        assert_eq!(status(Phase::Closed), SymbolStatus::EndOfDay);
        let halted = SymbolStatus::new(Phase::Continuous, false, true);
        assert_eq!(halted, SymbolStatus::Halt);
        assert_eq!(SymbolStatus::new(Phase::Continuous, true, true), SymbolStatus::Break);
    }

    #[test]
    fn generated_names_have_20_characters_and_differ() {
        let zero = generated_cl_ord_id([0; 16]);
        let ones = generated_cl_ord_id([0xff; 16]);
        assert_eq!(zero.as_str(), "0".repeat(20));
        assert_eq!(ones.as_str().len(), 20);
        assert_ne!(generated_cl_ord_id([1; 16]), generated_cl_ord_id([2; 16]));
        for byte in 0..=u8::MAX {
            let name = generated_cl_ord_id([byte; 16]).to_string();
            assert!(name.starts_with(|first: char| first.is_ascii_digit()), "{name}");
        }
        assert!(ones.pack().is_some(), "every resting order has one");
    }
}
