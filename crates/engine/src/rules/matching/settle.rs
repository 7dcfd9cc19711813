//! Money of trades: of plain accounts, and of accounts without balances, with limits, with fees by
//! volume or with rebates.
//!
//! Accounts without balances share one amount for each asset, *clearing*: their net claim against
//! the venue, negative for a net debt. Balances and clearing add up to all deposits minus
//! withdrawals.

use types::{
    AMOUNT_MAX, AccountId, AccountMode, AccountTrade, Amount, AssetId, ExpireCause, InstrumentId,
    Order, Price, Qty, Side, TradeRevision,
};

use crate::book::Front;
use crate::rules::matching::matched::{Match, Settled};
use crate::state::Engine;
use crate::state::account::Account;
use crate::state::fee::{fee, without_fee};
use crate::state::holds::received_asset;
use crate::state::market::Market;
use crate::state::orders::record::OpenId;

impl Engine {
    /// Moves the money of both sides, and the fees to the venue.
    #[inline]
    pub(crate) fn settle(
        &mut self,
        maker: &Order,
        taker: &Order,
        matched: &Match,
    ) -> (Settled, Settled) {
        if !self.is_plain_trade(maker, taker) {
            return self.settle_uncommon(maker, taker, matched.price, matched.qty);
        }
        (self.settle_plain(maker, true, matched), self.settle_plain(taker, false, matched))
    }

    fn settle_plain(&mut self, order: &Order, is_maker: bool, matched: &Match) -> Settled {
        let Match { qty, base, quote, .. } = *matched;
        let instrument = &self.markets[order.instrument.0 as usize].instrument;
        let account = &mut self.accounts[order.account.0 as usize];
        let rates = account.spec.fees.unwrap_or(instrument.spec.fees);
        let fee_bps_x100 =
            if is_maker { rates.maker_fee_bps_x100 } else { rates.taker_fee_bps_x100 };
        let received = match order.side {
            Side::Buy => base,
            Side::Sell => quote,
        };
        let fee = fee(received, fee_bps_x100);
        let fee_asset = received_asset(instrument, order.side);
        account.settle(instrument, order, qty, base, quote, fee);
        let account_seq = account.next_seq();
        if !fee.is_zero() {
            self.accounts[AccountId::VENUE.0 as usize].balance_mut(fee_asset).free += fee;
        }
        Settled { account_seq, fee, fee_asset }
    }

    /// Stores a trade for queries of its account.
    #[inline(always)]
    pub(crate) fn keep_trade(
        &mut self,
        order: OpenId,
        is_maker: bool,
        matched: &Match,
        settled: &Settled,
    ) {
        let account = &mut self.accounts[order.account.0 as usize];
        let trade = AccountTrade {
            instrument: order.instrument,
            trade_id: matched.trade_id,
            order_id: order.order_id,
            side: order.side,
            is_maker,
            price: matched.price,
            qty: matched.qty,
            quote: matched.quote,
            fee: settled.fee,
            fee_asset: settled.fee_asset,
            traded_ns: self.now_ns,
            revision: TradeRevision::default(),
        };
        account.trades.push(&trade, account.spec.trades_kept as usize);
    }

    /// Whether both accounts are plain.
    #[inline]
    fn is_plain_trade(&self, maker: &Order, taker: &Order) -> bool {
        let market = &self.markets[maker.instrument.0 as usize];
        let is_plain = |order: &Order| self.accounts[order.account.0 as usize].extra.is_none();
        market.fee_schedule.is_none() & is_plain(maker) & is_plain(taker)
    }

    /// Moves the money of both sides, and the fees to the venue. Both orders include the trade.
    #[cold]
    #[inline(never)]
    pub(crate) fn settle_uncommon(
        &mut self,
        maker: &Order,
        taker: &Order,
        price: Price,
        qty: Qty,
    ) -> (Settled, Settled) {
        let [maker_fee, taker_fee] = self.fees_of_trade([maker, taker], price, qty);
        for (order, is_maker) in [(maker, true), (taker, false)] {
            if order.cum_qty == qty {
                self.accounts[order.account.0 as usize].count_first_fill(is_maker, self.now_ns);
            }
        }
        let maker = self.settle_side(maker, price, qty, maker_fee);
        (maker, self.settle_side(taker, price, qty, taker_fee))
    }

    fn settle_side(
        &mut self,
        order: &Order,
        price: Price,
        qty: Qty,
        (fee, fee_asset): (Amount, AssetId),
    ) -> Settled {
        let market = &self.markets[order.instrument.0 as usize];
        let instrument = &market.instrument;
        let account = &mut self.accounts[order.account.0 as usize];
        if !order.order_type.is_market() {
            account.release(instrument, order, qty);
        }
        let (base, quote) = (instrument.base_amount(qty), instrument.notional(price, qty));
        let nothing = Amount::ZERO;
        let (base, quote, lots) = match order.side {
            Side::Buy => (base, nothing - quote, i128::from(qty.lots())),
            Side::Sell => (nothing - base, quote, -i128::from(qty.lots())),
        };
        let (base_asset, quote_asset) = (instrument.spec.base, instrument.spec.quote);
        account.count_trade(market, lots, quote, self.now_ns);
        let account_seq = account.next_seq();
        self.credit(order.account, base_asset, base);
        self.credit(order.account, quote_asset, quote);
        self.credit(order.account, fee_asset, nothing - fee);
        self.credit(AccountId::VENUE, fee_asset, fee);
        Settled { account_seq, fee, fee_asset }
    }

    /// Adds an amount to an account's balance, or to the clearing; negative amounts reduce it.
    pub(crate) fn credit(&mut self, account: AccountId, asset: AssetId, amount: Amount) {
        let account = &mut self.accounts[account.0 as usize];
        let owned = if account.is_cash() {
            &mut account.balance_mut(asset).free
        } else {
            &mut self.clearing[usize::from(asset.0)]
        };
        *owned += amount;
    }

    /// The lots that a market order takes if more than a balance bounds it.
    #[cold]
    #[inline(never)]
    pub(super) fn takes_uncommon(
        &self,
        market: &Market,
        order: &Order,
        price: Price,
        wants: Qty,
    ) -> Result<Qty, ExpireCause> {
        let account = &self.accounts[order.account.0 as usize];
        let instrument = &market.instrument;
        let risk = account.market_risk(instrument.id);
        let room =
            risk.and_then(|risk| account.position_room(instrument, order.side, &risk.exposure));
        let room = room.unwrap_or(Qty::from_lots(u64::MAX));
        let is_paid = price.ticks() > 0;
        let affords = match order.side {
            _ if !account.is_cash() => wants,
            Side::Sell if is_paid => instrument.lots_in(account.balance(instrument.spec.base).free),
            Side::Sell => return Err(ExpireCause::NotAllowed), // the seller would pay
            Side::Buy if is_paid => {
                let rate = account.fee_rate_on_top(market, Side::Buy, self.now_ns);
                let free = account.balance(instrument.spec.quote).free;
                instrument.lots_for(without_fee(free, rate), price)
            }
            Side::Buy => wants,
        };
        match wants.min(room).min(affords) {
            Qty::ZERO => Err(ExpireCause::BalanceExhausted),
            qty => Ok(qty),
        }
    }

    /// Whether the clearing stays within the bounds of an amount. It nearly always does.
    #[cold]
    #[inline(never)]
    pub(super) fn can_clear(&self, taker: &Order, front: Front, qty: Qty) -> bool {
        let accounts = [self.orders.record(front.node).account, taker.account];
        self.can_clear_between(accounts, taker.instrument, front.price, qty)
    }

    pub(crate) fn can_clear_between(
        &self,
        accounts: [AccountId; 2],
        instrument: InstrumentId,
        price: Price,
        qty: Qty,
    ) -> bool {
        let instrument = &self.markets[instrument.0 as usize].instrument;
        let quote = instrument.notional(price, qty);
        let fits = self.may_clear(instrument.spec.base, instrument.base_amount(qty))
            && self.may_clear(instrument.spec.quote, quote);
        fits || accounts.into_iter().all(|account| self.accounts[account.0 as usize].is_cash())
    }

    /// Whether an amount and its fees can be cleared, in either direction.
    pub(crate) fn may_clear(&self, asset: AssetId, amount: Amount) -> bool {
        let cleared = self.clearing[usize::from(asset.0)];
        cleared.minor().abs() + 2 * amount.minor().abs() <= AMOUNT_MAX.minor()
    }
}

impl Account {
    /// Counts one side of a trade: lots and quote amount, negative if the account gives them.
    fn count_trade(&mut self, market: &Market, lots: i128, quote: Amount, now_ns: u64) {
        let mode = self.risk().mode;
        if mode == AccountMode::Limits {
            let risk = self.extra_mut().markets.entry(market.instrument.id).or_default();
            risk.position += lots;
        }
        if mode != AccountMode::None {
            self.count_volume(market, quote, now_ns);
        }
    }
}
