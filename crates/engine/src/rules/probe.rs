//! Parts of a command for benches, which could not measure them within a whole command.
//!
//! No command reaches these functions, and a probed engine must not be used for anything else.

use types::{InstrumentId, Order, Price, Qty};

use crate::state::fee::fee;
use crate::state::{Engine, WORK_PER_COMMAND};

#[doc(hidden)]
impl Engine {
    /// The effects of one fill on the balances of one side: hold, release, payment, proceeds, fee.
    pub fn probe_balances(&mut self, order: &Order, qty: Qty) {
        let Self { markets, accounts, now_ns, .. } = self;
        let market = &markets[order.instrument.0 as usize];
        let instrument = &market.instrument;
        let account = &mut accounts[order.account.0 as usize];
        account.hold(market, order, qty, *now_ns);
        let (base, quote) = (instrument.base_amount(qty), instrument.notional(order.price, qty));
        let received = if order.side == types::Side::Buy { base } else { quote };
        let fee = fee(received, instrument.spec.fees.taker_fee_bps_x100);
        account.settle(instrument, order, qty, base, quote, fee);
    }

    /// The effects of one trade on two accounts with positions instead of balances: exposures,
    /// positions, and the clearing.
    pub fn probe_positions(&mut self, maker: &Order, taker: &Order, qty: Qty) {
        for order in [maker, taker] {
            let Self { markets, accounts, now_ns, .. } = self;
            let market = &markets[order.instrument.0 as usize];
            accounts[order.account.0 as usize].hold(market, order, qty, *now_ns);
        }
        self.settle_uncommon(maker, taker, maker.price, qty);
    }

    /// Whether a trade at `price` reaches the trigger of any waiting order.
    pub fn probe_triggers(&mut self, instrument: InstrumentId, price: Price) -> bool {
        self.work = WORK_PER_COMMAND;
        let market = &mut self.markets[instrument.0 as usize];
        if market.triggers.any_wait() {
            market.triggers.record_price(price);
        }
        market.triggers.has_prices() && self.apply_prices(instrument)
    }
}
