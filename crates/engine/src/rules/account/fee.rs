//! Fees: rate, basis and rounding.
//!
//! A rate is in hundredths of a basis point. An account's own rates come first, then those of the
//! instrument's schedule by the account's volume there, then the instrument's. A fee is the rate
//! times its basis, rounded down to a smallest unit. A rebate is rounded down too, and is paid out
//! of the fee of the other side of the same trade.

use types::{
    AccountId, Amount, AssetId, Event, FeeAsset, FeeRates, FeeScheduleSet, InstrumentId, Order,
    Price, Qty, RejectReason, SetFeeSchedule, Side,
};

use crate::state::Engine;
use crate::state::account::Account;
use crate::state::fee::{Rates, fee, schedule_valid};
use crate::state::market::Market;

impl Account {
    /// The rates of an account in an instrument at a time.
    pub(crate) fn fee_rates(&self, market: &Market, now_ns: u64) -> Rates {
        if let Some(own) = self.spec.fees {
            return own.into();
        }
        let Some(schedule) = &market.fee_schedule else {
            return market.instrument.spec.fees.into();
        };
        let volumes = self.extra.as_ref().map(|extra| &extra.volumes);
        let volume = volumes.and_then(|volumes| volumes.get(&market.instrument.id));
        let volume = volume.map_or(Amount::ZERO, |volume| volume.at(now_ns));
        let reached = schedule.tiers.iter().flatten().take_while(|tier| tier.volume_min <= volume);
        let tier = reached.last().expect("the first tier begins at zero");
        Rates { maker: tier.maker_fee_bps_x100, taker: tier.taker_fee_bps_x100 }
    }

    /// The fee rate that a buy holds on top of its price.
    pub(crate) fn fee_rate_on_top(&self, market: &Market, side: Side, now_ns: u64) -> u32 {
        if side == Side::Sell || market.fee_asset() == FeeAsset::Received || !self.is_cash() {
            return 0;
        }
        let rates = self.fee_rates(market, now_ns);
        rates.maker.max(rates.taker).max(0).unsigned_abs()
    }

    /// Adds a trade to the account's volume, if the instrument has fees by volume.
    pub(crate) fn count_volume(&mut self, market: &Market, quote: Amount, now_ns: u64) {
        if market.fee_schedule.is_none() {
            return;
        }
        let quote = Amount::from_minor(quote.minor().abs());
        let volumes = &mut self.extra_mut().volumes;
        volumes.entry(market.instrument.id).or_default().add(quote, now_ns);
    }
}

/// Fee and asset of each side of a trade, the maker first.
type Fees = [(Amount, AssetId); 2];

impl Engine {
    /// [`fee`] of both sides, where rates may be rebates and fees may be in the quote asset.
    pub(crate) fn fees_of_trade(&self, orders: [&Order; 2], price: Price, qty: Qty) -> Fees {
        let market = &self.markets[orders[0].instrument.0 as usize];
        let instrument = &market.instrument;
        let (base, quote) = (instrument.base_amount(qty), instrument.notional(price, qty));
        let measured = orders.map(|order| match (market.fee_asset(), order.side) {
            (FeeAsset::Quote, _) => {
                (Amount::from_minor(quote.minor().abs()), instrument.spec.quote)
            }
            (FeeAsset::Received, Side::Buy) => (base, instrument.spec.base),
            // At a negative price a seller receives nothing.
            (FeeAsset::Received, Side::Sell) => (quote.max(Amount::ZERO), instrument.spec.quote),
        });
        let rates =
            |order: &Order| self.accounts[order.account.0 as usize].fee_rates(market, self.now_ns);
        let own = [rates(orders[0]).maker, rates(orders[1]).taker];
        let charged = [0, 1].map(|at| {
            let rate = own[at].max(0).unsigned_abs();
            fee(measured[at].0, rate.min(self.fee_rate_max(market, orders[at])))
        });
        [0, 1].map(|at| {
            if own[at] < 0 {
                let (of, asset) = measured[1 - at];
                let rebate = fee(of, own[at].unsigned_abs()).min(charged[1 - at]);
                (Amount::ZERO - rebate, asset)
            } else {
                (charged[at], measured[at].1)
            }
        })
    }

    /// The highest rate for a side: a limit buy pays at most the fee that it holds.
    fn fee_rate_max(&self, market: &Market, order: &Order) -> u32 {
        let account = &self.accounts[order.account.0 as usize];
        let holds = order.side == Side::Buy
            && market.fee_asset() == FeeAsset::Quote
            && !order.order_type.is_market()
            && account.is_cash();
        if !holds {
            return FeeRates::MAX_BPS_X100;
        }
        account.fee_hold(order).map_or(0, |hold| hold.bps_x100)
    }

    pub(crate) fn set_fee_schedule(&mut self, request: &SetFeeSchedule, events: &mut Vec<Event>) {
        let SetFeeSchedule { instrument, schedule } = *request;
        let Some(market) = self.markets.get_mut(instrument.0 as usize) else {
            return self.reject(AccountId::VENUE, RejectReason::UnknownInstrument, events);
        };
        if !schedule.as_ref().is_none_or(schedule_valid) {
            return self.reject(AccountId::VENUE, RejectReason::FeeScheduleInvalid, events);
        }
        market.fee_schedule = schedule.map(Box::new);
        let instrument_seq = market.next_seq();
        let set = FeeScheduleSet { instrument_seq, instrument, schedule };
        events.push(Event::FeeScheduleSet(set));
    }

    /// The rates of an account in an instrument now, as maker and as taker; negative rates are
    /// rebates.
    pub fn account_fees(&self, account: AccountId, instrument: InstrumentId) -> Option<(i32, i32)> {
        let rates = self.account(account)?.fee_rates(self.market(instrument)?, self.now_ns);
        Some((rates.maker, rates.taker))
    }
}
