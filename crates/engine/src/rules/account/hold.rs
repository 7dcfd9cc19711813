//! Holds of open orders, and payment for their fills.

use std::hint::select_unpredictable;

use types::{Amount, Instrument, Order, Qty, Side};

use crate::state::account::Account;
use crate::state::fee::{FeeHold, fee};
use crate::state::holds::held;
use crate::state::market::Market;

impl Account {
    /// Reserves the largest cost of a limit order, after the check has found enough free balance.
    ///
    /// All holds of an open order go through here and [`Account::release`], at its current price: a
    /// rule that changes a price releases the hold first.
    pub(crate) fn hold(&mut self, market: &Market, order: &Order, qty: Qty, now_ns: u64) {
        if self.extra.is_some() | market.fee_schedule.is_some() {
            return self.hold_uncommon(market, order, qty, now_ns);
        }
        let (asset, amount) = held(&market.instrument, order, qty);
        self.set_aside(asset, amount);
    }

    /// [`Account::hold`] for an account or an instrument that is not plain.
    #[cold]
    #[inline(never)]
    fn hold_uncommon(&mut self, market: &Market, order: &Order, qty: Qty, now_ns: u64) {
        let rate = self.fee_rate_on_top(market, order.side, now_ns);
        self.hold_at_rate(&market.instrument, order, qty, rate);
    }

    fn hold_at_rate(&mut self, instrument: &Instrument, order: &Order, qty: Qty, rate: u32) {
        let fee_before = self.fee_held(instrument, order);
        let extra = self.extra_mut();
        if let Some(exposure) = extra.exposure_mut(order.instrument) {
            exposure.add(instrument, order, qty);
        }
        if !extra.is_cash() {
            return;
        }
        let of_order = (order.instrument, order.order_id);
        if rate > 0 || extra.fee_holds.contains_key(&of_order) {
            let hold = extra
                .fee_holds
                .entry(of_order)
                .or_insert(FeeHold { bps_x100: rate, qty: Qty::ZERO });
            hold.qty += qty;
        }
        let (asset, amount) = held(instrument, order, qty);
        let amount = amount + self.fee_held(instrument, order) - fee_before;
        let balance = self.balance_mut(asset);
        balance.free -= amount;
        balance.locked += amount;
        debug_assert!(balance.free >= Amount::ZERO);
    }

    /// Frees the amount that was reserved for `qty` of a limit order.
    pub(crate) fn release(&mut self, instrument: &Instrument, order: &Order, qty: Qty) {
        if self.extra.is_some() {
            return self.release_uncommon(instrument, order, qty);
        }
        let (asset, amount) = held(instrument, order, qty);
        self.give_back(asset, amount);
    }

    /// [`Account::release`] likewise.
    #[cold]
    #[inline(never)]
    fn release_uncommon(&mut self, instrument: &Instrument, order: &Order, qty: Qty) {
        let fee_before = self.fee_held(instrument, order);
        let extra = self.extra_mut();
        if let Some(exposure) = extra.exposure_mut(order.instrument) {
            exposure.subtract(instrument, order, qty);
        }
        if !extra.is_cash() {
            return;
        }
        let of_order = (order.instrument, order.order_id);
        if let Some(hold) = extra.fee_holds.get_mut(&of_order) {
            hold.qty -= qty;
            if hold.qty.is_zero() {
                extra.fee_holds.remove(&of_order);
            }
        }
        let (asset, amount) = held(instrument, order, qty);
        let amount = amount + fee_before - self.fee_held(instrument, order);
        let balance = self.balance_mut(asset);
        balance.locked -= amount;
        balance.free += amount;
        debug_assert!(balance.locked >= Amount::ZERO);
    }

    /// Replaces the hold of an open order by that of its new state. Returns `false` without a
    /// change if the free balance does not suffice.
    pub(crate) fn rehold(
        &mut self,
        market: &Market,
        from: &Order,
        to: &Order,
        now_ns: u64,
    ) -> bool {
        if self.extra.is_some() | market.fee_schedule.is_some() | (to.price.ticks() <= 0) {
            return self.rehold_uncommon(market, from, to, now_ns);
        }
        let instrument = &market.instrument;
        let (asset, held_now) = held(instrument, from, from.leaves_qty());
        let (_, needed) = held(instrument, to, to.leaves_qty());
        let balance = self.balance_mut(asset);
        if balance.free + held_now < needed {
            return false;
        }
        balance.free = balance.free + held_now - needed;
        balance.locked = balance.locked + needed - held_now;
        true
    }

    /// [`Account::rehold`] likewise. An account with balances cannot hold anything at a price of
    /// zero or less.
    #[cold]
    #[inline(never)]
    fn rehold_uncommon(&mut self, market: &Market, from: &Order, to: &Order, now_ns: u64) -> bool {
        let instrument = &market.instrument;
        // A pegged order keeps the fee rate that it entered with.
        let rate = if to.terms.is_some_and(|terms| terms.terms.peg.is_some()) {
            self.fee_hold(from).map_or(0, |hold| hold.bps_x100)
        } else {
            self.fee_rate_on_top(market, to.side, now_ns)
        };
        if self.is_cash() {
            let (asset, held_now) = held(instrument, from, from.leaves_qty());
            let (_, needed) = held(instrument, to, to.leaves_qty());
            let free = self.balance(asset).free + held_now + self.fee_held(instrument, from);
            if to.price.ticks() <= 0 || free < needed + fee(needed, rate) {
                return false;
            }
        }
        self.release_uncommon(instrument, from, from.leaves_qty());
        self.hold_at_rate(instrument, to, to.leaves_qty(), rate);
        true
    }

    /// Pays for a fill of `qty`, which is `base` and `quote`, and receives the other asset minus
    /// the fee.
    #[inline]
    pub(crate) fn settle(
        &mut self,
        instrument: &Instrument,
        order: &Order,
        qty: Qty,
        base: Amount,
        quote: Amount,
        fee: Amount,
    ) {
        if !order.order_type.is_market() {
            self.release(instrument, order, qty);
        }
        let spec = &instrument.spec;
        let is_buy = order.side == Side::Buy;
        let (bought, sold) = ((spec.base, base), (spec.quote, quote));
        let (got_asset, got) = select_unpredictable(is_buy, bought, sold);
        let (paid_asset, paid) = select_unpredictable(is_buy, sold, bought);
        let paid_from = self.balance_mut(paid_asset);
        paid_from.free -= paid;
        debug_assert!(paid_from.free >= Amount::ZERO);
        self.balance_mut(got_asset).free += got - fee;
    }
}
