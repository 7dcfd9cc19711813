//! What messages can say: the fields of the narrowest feed, ITCH 5.0.
//!
//! The numbers of messages depend on it, so it stands here and not with the encoder.

use thiserror::Error;
use types::{Instrument, InstrumentId, Price};

/// A price is a whole number of units of 10^-4, in 32 bits.
pub const PRICE_DECIMALS: u8 = 4;
const UNITS_MAX: u64 = u32::MAX as u64;
const SYMBOL_MAX: usize = 8;

/// Why an instrument is in no message.
#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
pub enum Unsayable {
    #[error("a tick is finer than 0.0001")]
    FineTick,
    #[error("its prices are above 429496.7295")]
    HighPrices,
    #[error("its symbol is longer than 8 characters")]
    LongSymbol,
    #[error("it is beyond the 65535th instrument")]
    Locate,
}

/// The largest price of an instrument that a message can say. It depends on nothing that an update
/// can change, but for the smallest price at the listing.
pub fn price_max(instrument: &Instrument) -> Result<Price, Unsayable> {
    if locate_of(instrument.id).is_none() {
        return Err(Unsayable::Locate);
    }
    if instrument.spec.symbol.as_str().len() > SYMBOL_MAX {
        return Err(Unsayable::LongSymbol);
    }
    let per_tick = units_per_tick(instrument).ok_or(Unsayable::FineTick)?;
    let ticks = i64::try_from(UNITS_MAX / per_tick).map_err(|_| Unsayable::HighPrices)?;
    let price_max = Price::from_ticks(ticks);
    if ticks == 0 || instrument.spec.min_price > price_max {
        return Err(Unsayable::HighPrices);
    }
    Ok(price_max)
}

/// The units of 10^-4 in a tick; `None` if that is no whole number.
pub fn units_per_tick(instrument: &Instrument) -> Option<u64> {
    let tick = instrument.spec.tick_size;
    let power = 10_u64.checked_pow(tick.decimals.abs_diff(PRICE_DECIMALS).into())?;
    if tick.decimals <= PRICE_DECIMALS {
        // A tick beyond 64 bits is beyond all prices, too.
        return Some(tick.units.saturating_mul(power));
    }
    tick.units.is_multiple_of(power).then_some(tick.units / power)
}

/// The number of an instrument in messages, from 1: zero stands for all.
pub fn locate_of(instrument: InstrumentId) -> Option<u16> {
    u16::try_from(instrument.0).ok()?.checked_add(1)
}
