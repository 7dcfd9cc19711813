//! Busts and corrections of trades, and the receivables that they create.
//!
//! An account pays out of its free balance. The rest becomes a receivable of the other side, so
//! that no balance is ever negative.

use types::{
    AccountId, AccountMode, AccountTrade, Adjustment, Amount, AssetId, BustTrade, CorrectTrade,
    Event, InstrumentId, Qty, Receivable, ReceivableCause, ReceivableCreated, ReceivableId,
    RejectReason, Side, TradeBusted, TradeCorrected, TradeId,
};

use crate::state::Engine;
use crate::state::orders::kept::Kept;

/// The trade for which money moves, and the cause of a receivable.
#[derive(Clone, Copy, Debug)]
struct PaymentContext {
    instrument: InstrumentId,
    trade_id: TradeId,
    cause: ReceivableCause,
}

impl Engine {
    /// Each side returns its proceeds; fees come back first, so that they can be returned too.
    pub(crate) fn bust_trade(&mut self, request: &BustTrade, events: &mut Vec<Event>) {
        let BustTrade { instrument, trade_id, buyer, seller } = *request;
        let (bought, sold) = match self.both_sides(instrument, trade_id, buyer, seller) {
            Ok(both) => both,
            Err(reason) => return self.reject(AccountId::VENUE, reason, events),
        };
        let market = &self.markets[instrument.0 as usize].instrument;
        let (base_asset, quote_asset) = (market.spec.base, market.spec.quote);
        let (base, quote) = (market.base_amount(bought.qty), bought.quote);
        let sides = [(buyer, &bought), (seller, &sold)];
        let cleared = sides.iter().any(|(id, _)| !self.accounts[id.0 as usize].is_cash());
        if cleared && !(self.may_clear(base_asset, base) && self.may_clear(quote_asset, quote)) {
            return self.reject(AccountId::VENUE, RejectReason::AmountAboveMax, events);
        }
        for (account, trade) in sides {
            self.record_bust(account, instrument, trade_id);
            self.count_back(account, instrument, trade.side, trade.qty);
        }
        let back = |trade: &AccountTrade, asset: AssetId| {
            if trade.fee_asset == asset { trade.fee } else { Amount::ZERO }
        };
        let adjust = |engine: &mut Self, account: AccountId, trade: &AccountTrade| {
            let (of_base, of_quote) = match trade.side {
                Side::Buy => (Amount::ZERO - base, quote),
                Side::Sell => (base, Amount::ZERO - quote),
            };
            Adjustment {
                account,
                account_seq: engine.accounts[account.0 as usize].next_seq(),
                base: of_base + back(trade, base_asset),
                quote: of_quote + back(trade, quote_asset),
            }
        };
        let busted = TradeBusted {
            instrument_seq: self.markets[instrument.0 as usize].next_seq(),
            instrument,
            trade_id,
            buyer: adjust(self, buyer, &bought),
            seller: adjust(self, seller, &sold),
        };
        events.push(Event::TradeBusted(busted));
        let context = PaymentContext { instrument, trade_id, cause: ReceivableCause::TradeBusted };
        // Rebates first, because the venue paid them out of a fee.
        let mut fees = [(buyer, bought), (seller, sold)];
        fees.sort_by_key(|(_, trade)| trade.fee);
        for (account, trade) in fees {
            self.pay(AccountId::VENUE, account, trade.fee_asset, trade.fee, context, events);
        }
        self.pay(buyer, seller, base_asset, base, context, events);
        self.pay(seller, buyer, quote_asset, quote, context, events);
    }

    /// The difference in price moves from one side to the other; fees stay as charged.
    pub(crate) fn correct_trade(&mut self, request: &CorrectTrade, events: &mut Vec<Event>) {
        let CorrectTrade { instrument, trade_id, buyer, seller, price } = *request;
        let (bought, quote) = match self.check_correct(request) {
            Ok(checked) => checked,
            Err(reason) => return self.reject(AccountId::VENUE, reason, events),
        };
        let more = quote - bought.quote;
        let adjust = |engine: &mut Self, account: AccountId, quote: Amount| Adjustment {
            account,
            account_seq: engine.accounts[account.0 as usize].next_seq(),
            base: Amount::ZERO,
            quote,
        };
        let corrected = TradeCorrected {
            instrument_seq: self.markets[instrument.0 as usize].next_seq(),
            instrument,
            trade_id,
            orig_price: bought.price,
            price,
            buyer: adjust(self, buyer, Amount::ZERO - more),
            seller: adjust(self, seller, more),
        };
        events.push(Event::TradeCorrected(corrected));
        for account in [buyer, seller] {
            let trades = &mut self.accounts[account.0 as usize].trades;
            let mut all: Vec<AccountTrade> = trades.iter(account).collect();
            *trades = Kept::default();
            for trade in &mut all {
                if (trade.instrument, trade.trade_id) == (instrument, trade_id) {
                    (trade.price, trade.quote) = (price, quote);
                }
                trades.push(trade, usize::MAX);
            }
        }
        let asset = self.markets[instrument.0 as usize].instrument.spec.quote;
        let context =
            PaymentContext { instrument, trade_id, cause: ReceivableCause::TradeCorrected };
        self.pay(buyer, seller, asset, more, context, events);
    }

    /// Checks a correction. Returns the buyer's side and the trade's quote amount at the new price.
    fn check_correct(
        &self,
        request: &CorrectTrade,
    ) -> Result<(AccountTrade, Amount), RejectReason> {
        let CorrectTrade { instrument, trade_id, buyer, seller, price } = *request;
        let (bought, _) = self.both_sides(instrument, trade_id, buyer, seller)?;
        let market = &self.markets[instrument.0 as usize].instrument;
        if price < market.spec.min_price {
            return Err(RejectReason::PriceBelowMin);
        }
        if price > market.spec.max_price {
            return Err(RejectReason::PriceAboveMax);
        }
        let quote = market.notional(price, bought.qty);
        let more = quote - bought.quote;
        let is_cash = |account: AccountId| self.accounts[account.0 as usize].is_cash();
        let fits = (is_cash(buyer) && is_cash(seller)) || self.may_clear(market.spec.quote, more);
        if fits { Ok((bought, quote)) } else { Err(RejectReason::AmountAboveMax) }
    }

    fn both_sides(
        &self,
        instrument: InstrumentId,
        trade_id: TradeId,
        buyer: AccountId,
        seller: AccountId,
    ) -> Result<(AccountTrade, AccountTrade), RejectReason> {
        self.market(instrument).ok_or(RejectReason::UnknownInstrument)?;
        let side_of = |id: AccountId, side: Side| {
            let is_it = |trade: &AccountTrade| {
                (trade.instrument, trade.trade_id, trade.side) == (instrument, trade_id, side)
            };
            self.account(id)?.trades.iter(id).rev().find(is_it)
        };
        let both = side_of(buyer, Side::Buy).zip(side_of(seller, Side::Sell));
        let (bought, sold) = both.ok_or(RejectReason::TradeNotFound)?;
        if bought.qty != sold.qty || bought.quote != sold.quote {
            return Err(RejectReason::TradeNotFound); // not a trade of this engine
        }
        let is_busted = |id: AccountId| {
            let extra = self.accounts[id.0 as usize].extra.as_ref();
            extra.is_some_and(|extra| extra.busted.contains(&(instrument, trade_id)))
        };
        if is_busted(buyer) { Err(RejectReason::TradeBustedAlready) } else { Ok((bought, sold)) }
    }

    /// Marks a trade as busted for as long as it is kept.
    fn record_bust(&mut self, id: AccountId, instrument: InstrumentId, trade_id: TradeId) {
        let account = &mut self.accounts[id.0 as usize];
        let known = account.extra.as_ref().map(|extra| extra.busted.clone()).unwrap_or_default();
        let kept = account.trades.iter(id).map(|trade| (trade.instrument, trade.trade_id));
        let is_busted = |trade: &(InstrumentId, TradeId)| {
            *trade == (instrument, trade_id) || known.contains(trade)
        };
        let busted = kept.filter(is_busted).collect();
        account.extra_mut().busted = busted;
    }

    fn count_back(&mut self, account: AccountId, instrument: InstrumentId, side: Side, qty: Qty) {
        let account = &mut self.accounts[account.0 as usize];
        if account.risk().mode == AccountMode::Limits {
            let lots = i128::from(qty.lots());
            let risk = account.extra_mut().markets.entry(instrument).or_default();
            risk.position += if side == Side::Buy { -lots } else { lots };
        }
    }

    /// Moves an amount, or moves it back if it is negative. The payer's missing part becomes a
    /// receivable.
    fn pay(
        &mut self,
        debtor: AccountId,
        creditor: AccountId,
        asset: AssetId,
        amount: Amount,
        context: PaymentContext,
        events: &mut Vec<Event>,
    ) {
        if amount < Amount::ZERO {
            return self.pay(creditor, debtor, asset, Amount::ZERO - amount, context, events);
        }
        let payer = &self.accounts[debtor.0 as usize];
        let paid = if payer.is_cash() { amount.min(payer.balance(asset).free) } else { amount };
        self.credit(debtor, asset, Amount::ZERO - paid);
        self.credit(creditor, asset, paid);
        if paid < amount {
            let PaymentContext { instrument, trade_id, cause } = context;
            self.receivables.last_id += 1;
            let receivable = Receivable {
                receivable: ReceivableId(self.receivables.last_id),
                debtor,
                creditor,
                asset,
                amount: amount - paid,
                instrument,
                trade_id,
                cause,
            };
            self.receivables.insert(receivable);
            events.push(Event::ReceivableCreated(ReceivableCreated { receivable }));
        }
    }
}
