//! Numbers of orders and trades that are unique over all instruments.

use types::InstrumentId;

/// Bits of an order's or a trade's own number.
const ID_BITS: u32 = 48;

/// The instrument's number, from 1, is in the upper bits.
pub(crate) fn reference(instrument: InstrumentId, id: u64) -> u64 {
    (u64::from(instrument.0) + 1) << ID_BITS | id & ((1 << ID_BITS) - 1)
}

/// The number of an instrument's event that is neither an order nor a trade.
pub(crate) fn event_reference(instrument: InstrumentId, instrument_seq: u64) -> u64 {
    reference(instrument, 1 << (ID_BITS - 1) | instrument_seq)
}
