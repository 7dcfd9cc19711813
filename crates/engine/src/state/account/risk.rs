//! Limits, exposure and position of an account in an instrument.

use types::{AccountLimits, Instrument, Order, Qty, Reader, Wire};

/// Limits, exposure and position of an account in an instrument.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct MarketRisk {
    pub(crate) limits: AccountLimits,
    pub(crate) exposure: Exposure,
    /// In lots, negative if short; always zero for an account with balances.
    pub(crate) position: i128,
}

/// Sums over the open orders that hold anything. Modulo 2^128, which only absurd orders exceed:
/// they are right again as the orders end.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Exposure {
    /// In lots, indexed by [`types::Side`].
    pub(super) open_qty: [i128; 2],
    pub(crate) open_notional: i128,
}

impl Exposure {
    pub(crate) fn add(&mut self, instrument: &Instrument, order: &Order, qty: Qty) {
        let open = &mut self.open_qty[order.side as usize];
        *open = open.wrapping_add(i128::from(qty.lots()));
        let notional = instrument.notional(order.price, qty).minor().abs();
        self.open_notional = self.open_notional.wrapping_add(notional);
    }

    pub(crate) fn subtract(&mut self, instrument: &Instrument, order: &Order, qty: Qty) {
        let open = &mut self.open_qty[order.side as usize];
        *open = open.wrapping_sub(i128::from(qty.lots()));
        let notional = instrument.notional(order.price, qty).minor().abs();
        self.open_notional = self.open_notional.wrapping_sub(notional);
    }
}

/// The exposure is not written: it follows from the open orders.
impl Wire for MarketRisk {
    fn write(&self, out: &mut Vec<u8>) {
        self.limits.write(out);
        self.position.write(out);
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        Some(Self { limits: r.read()?, exposure: Exposure::default(), position: r.read()? })
    }
}
