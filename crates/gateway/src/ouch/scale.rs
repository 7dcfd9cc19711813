//! Prices and symbols of instruments in the fields of OUCH.

use std::collections::HashMap;

use protocol::ouch::{Alpha, PRICE_DECIMALS, alpha};
use types::{Instrument, InstrumentId, PRICE_MAX, Price, Symbol};

/// An instrument as OUCH names and prices it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    pub(super) symbol: Symbol,
    /// `None` if the symbol is longer than the field.
    pub(super) alpha: Option<Alpha<8>>,
    /// Units of 10^-4 in one tick; `None` if a tick is no whole number of them.
    units_per_tick: Option<u64>,
    /// Whether its phase ends by itself, so that a day has an end.
    pub(super) closes: bool,
}

/// All instruments, by id and by symbol.
#[derive(Clone, Debug, Default)]
pub(super) struct Scales {
    of: Vec<Scale>,
    by_alpha: HashMap<Alpha<8>, InstrumentId>,
    by_symbol: HashMap<Vec<u8>, InstrumentId>,
}

impl Scales {
    /// Lists an instrument, or gives it other terms.
    pub(super) fn list(&mut self, instrument: &Instrument) {
        let scale = Scale::of(instrument);
        let (id, symbol) = (instrument.id, scale.symbol.as_bytes());
        match self.of.get_mut(id.0 as usize) {
            Some(known) => *known = Scale { closes: known.closes, ..scale },
            None => self.of.push(scale),
        }
        self.by_symbol.insert(symbol.to_vec(), id);
        if let Some(alpha) = scale.alpha {
            self.by_alpha.insert(alpha, id);
        }
    }

    pub(super) fn set_closes(&mut self, id: InstrumentId, closes: bool) {
        if let Some(known) = self.of.get_mut(id.0 as usize) {
            known.closes = closes;
        }
    }

    pub(super) fn get(&self, id: InstrumentId) -> &Scale {
        self.of.get(id.0 as usize).expect("an instrument is listed before it has orders")
    }

    pub(super) fn find(&self, alpha: Alpha<8>) -> Option<InstrumentId> {
        self.by_alpha.get(&alpha).copied()
    }

    pub(super) fn find_long(&self, symbol: &[u8]) -> Option<InstrumentId> {
        self.by_symbol.get(symbol).copied()
    }

    /// The symbols whose prices or names need an appendage, each with the reason.
    pub(super) fn beyond_fields(&self) -> impl Iterator<Item = String> + '_ {
        self.of.iter().filter_map(|scale| {
            let symbol = scale.symbol;
            if scale.units_per_tick.is_none() {
                Some(format!("{symbol}: a tick is finer than 0.0001, name prices by tag 201"))
            } else if scale.alpha.is_none() {
                Some(format!("{symbol}: longer than 8 characters, name it by tag 200"))
            } else {
                None
            }
        })
    }
}

impl Scale {
    fn of(instrument: &Instrument) -> Self {
        let (symbol, tick) = (instrument.spec.symbol, instrument.spec.tick_size);
        let power = 10_u64.pow(u32::from(tick.decimals.abs_diff(PRICE_DECIMALS)));
        let units_per_tick = if tick.decimals <= PRICE_DECIMALS {
            tick.units.checked_mul(power)
        } else {
            tick.units.is_multiple_of(power).then_some(tick.units / power)
        };
        Self { symbol, alpha: alpha(symbol.as_bytes()), units_per_tick, closes: false }
    }

    /// The price in the field; `None` if it does not fit.
    pub(super) fn field_of(&self, price: Price) -> Option<u64> {
        u64::try_from(price.ticks()).ok()?.checked_mul(self.units_per_tick?)
    }

    /// The price of the field; `None` unless it is a whole number of ticks.
    pub(super) fn price_of(&self, field: u64) -> Option<Price> {
        let per_tick = self.units_per_tick?;
        let ticks = field.is_multiple_of(per_tick).then_some(field / per_tick)?;
        let price = Price::from_ticks(i64::try_from(ticks).ok()?);
        (price <= PRICE_MAX).then_some(price)
    }

    /// An offset in units of 10^-4, in ticks.
    pub(super) fn offset_of(&self, field: i32) -> Option<i32> {
        let per_tick = i64::try_from(self.units_per_tick?).ok()?;
        let field = i64::from(field);
        if field % per_tick != 0 {
            return None;
        }
        i32::try_from(field / per_tick).ok()
    }
}

#[cfg(test)]
mod tests {
    use types::{Increment, Market};

    use super::*;

    fn scale(tick: &str) -> Scale {
        let mut instrument = Market::example().instrument;
        instrument.spec.tick_size = Increment::parse(tick).unwrap();
        Scale::of(&instrument)
    }

    #[test]
    fn prices_are_exact_or_refused() {
        let cents = scale("0.01");
        assert_eq!(cents.price_of(1_503_400), Some(Price::from_ticks(15_034)));
        assert_eq!(cents.price_of(1_503_450), None);
        assert_eq!(cents.field_of(Price::from_ticks(15_034)), Some(1_503_400));
        assert_eq!(cents.field_of(Price::from_ticks(-1)), None);
        assert_eq!((cents.offset_of(-200), cents.offset_of(50)), (Some(-2), None));
        assert_eq!(scale("0.00020").price_of(4), Some(Price::from_ticks(2)));
        let whole = scale("5");
        assert_eq!(whole.price_of(100_000), Some(Price::from_ticks(2)));
        let fine = scale("0.00001");
        assert_eq!((fine.price_of(1), fine.field_of(Price::from_ticks(1))), (None, None));
        assert_eq!(cents.price_of(u64::MAX), None);
    }
}
