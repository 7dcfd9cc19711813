//! Busts and corrections of trades, and the receivables that they create.
//!
//! An account pays out of its free balance. The rest becomes a receivable of the other side, so
//! that no balance is ever negative.

use types::{
    AccountId, AccountMode, AccountTrade, Adjustment, Amount, AssetId, BustTrade, CorrectTrade,
    Event, FillRevised, InstrumentId, OrderRef, Price, Qty, Receivable, ReceivableCause,
    ReceivableCreated, ReceivableId, RejectReason, Side, TradeBusted, TradeCorrected, TradeId,
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

/// The amounts that moved to one side.
#[derive(Clone, Copy, Debug, Default)]
struct Moved {
    base: Amount,
    quote: Amount,
}

impl Moved {
    fn add(&mut self, is_base: bool, amount: Amount) {
        *(if is_base { &mut self.base } else { &mut self.quote }) += amount;
    }
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
            self.revise(account, instrument, trade_id, |trade, now_ns| {
                trade.revision.busted_ns = now_ns;
            });
            self.count_back(account, instrument, trade.side, trade.qty);
        }
        let context = PaymentContext { instrument, trade_id, cause: ReceivableCause::TradeBusted };
        let (mut of_buyer, mut of_seller) = (Moved::default(), Moved::default());
        let mut owed = Vec::new();
        // Rebates first, because the venue paid them out of a fee.
        let mut fees = [(buyer, bought, &mut of_buyer), (seller, sold, &mut of_seller)];
        fees.sort_by_key(|(_, trade, _)| trade.fee);
        for (account, trade, moved) in fees {
            let (asset, fee) = (trade.fee_asset, trade.fee);
            let back = self.pay(AccountId::VENUE, account, asset, fee, context, &mut owed);
            moved.add(asset == base_asset, back);
        }
        let base = self.pay(buyer, seller, base_asset, base, context, &mut owed);
        let quote = self.pay(seller, buyer, quote_asset, quote, context, &mut owed);
        of_buyer.add(true, Amount::ZERO - base);
        of_seller.add(true, base);
        of_buyer.add(false, quote);
        of_seller.add(false, Amount::ZERO - quote);
        events.push(Event::TradeBusted(TradeBusted {
            instrument_seq: self.markets[instrument.0 as usize].next_seq(),
            instrument,
            trade_id,
            buyer: self.adjustment(buyer, of_buyer),
            seller: self.adjustment(seller, of_seller),
        }));
        events.append(&mut owed);
        self.report_revised([(buyer, &bought), (seller, &sold)], None, events);
    }

    /// The difference in price moves from one side to the other; fees stay as charged.
    pub(crate) fn correct_trade(&mut self, request: &CorrectTrade, events: &mut Vec<Event>) {
        let CorrectTrade { instrument, trade_id, buyer, seller, price } = *request;
        let ((bought, sold), quote) = match self.check_correct(request) {
            Ok(checked) => checked,
            Err(reason) => return self.reject(AccountId::VENUE, reason, events),
        };
        for account in [buyer, seller] {
            self.revise(account, instrument, trade_id, |trade, now_ns| {
                trade.revision.correct(trade.price, now_ns);
                (trade.price, trade.quote) = (price, quote);
            });
        }
        let asset = self.markets[instrument.0 as usize].instrument.spec.quote;
        let context =
            PaymentContext { instrument, trade_id, cause: ReceivableCause::TradeCorrected };
        let mut owed = Vec::new();
        let paid = self.pay(buyer, seller, asset, quote - bought.quote, context, &mut owed);
        let (mut of_buyer, mut of_seller) = (Moved::default(), Moved::default());
        of_buyer.add(false, Amount::ZERO - paid);
        of_seller.add(false, paid);
        events.push(Event::TradeCorrected(TradeCorrected {
            instrument_seq: self.markets[instrument.0 as usize].next_seq(),
            instrument,
            trade_id,
            orig_price: bought.price,
            price,
            quote,
            buyer: self.adjustment(buyer, of_buyer),
            seller: self.adjustment(seller, of_seller),
        }));
        events.append(&mut owed);
        self.report_revised([(buyer, &bought), (seller, &sold)], Some(price), events);
    }

    /// Reports a bust or a correction to the logins whose orders traded.
    fn report_revised(
        &mut self,
        sides: [(AccountId, &AccountTrade); 2],
        price: Option<Price>,
        events: &mut Vec<Event>,
    ) {
        for (account, trade) in sides {
            let AccountTrade { instrument, trade_id, order_id, .. } = *trade;
            let order = self.order(account, instrument, &OrderRef::by_id(order_id));
            let Some(order) = order.filter(|order| order.cl_ord_id.numbered().is_some()) else {
                continue;
            };
            events.push(Event::FillRevised(FillRevised {
                account_seq: self.accounts[account.0 as usize].next_seq(),
                account,
                instrument,
                trade_id,
                order_id,
                cl_ord_id: order.cl_ord_id,
                price,
            }));
        }
    }

    /// Checks a correction. Returns both sides and the trade's quote amount at the new price.
    fn check_correct(
        &self,
        request: &CorrectTrade,
    ) -> Result<((AccountTrade, AccountTrade), Amount), RejectReason> {
        let CorrectTrade { instrument, trade_id, buyer, seller, price } = *request;
        let (bought, sold) = self.both_sides(instrument, trade_id, buyer, seller)?;
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
        if fits { Ok(((bought, sold), quote)) } else { Err(RejectReason::AmountAboveMax) }
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
        if bought.revision.busted_ns > 0 {
            return Err(RejectReason::TradeBustedAlready);
        }
        Ok((bought, sold))
    }

    /// Changes a trade that an account keeps. Such trades have no short form, so the ring is built
    /// anew.
    fn revise(
        &mut self,
        id: AccountId,
        instrument: InstrumentId,
        trade_id: TradeId,
        change: impl Fn(&mut AccountTrade, u64),
    ) {
        let trades = &mut self.accounts[id.0 as usize].trades;
        let all: Vec<AccountTrade> = trades.iter(id).collect();
        *trades = Kept::default();
        for mut trade in all {
            if (trade.instrument, trade.trade_id) == (instrument, trade_id) {
                change(&mut trade, self.now_ns);
            }
            trades.push(&trade, usize::MAX);
        }
    }

    /// Takes the numbers of an adjustment.
    fn adjustment(&mut self, account: AccountId, moved: Moved) -> Adjustment {
        let Moved { base, quote } = moved;
        let owner = &mut self.accounts[account.0 as usize];
        let adjustment = Adjustment { account, account_seq: owner.next_seq(), base, quote };
        for _ in adjustment.numbers().skip(1) {
            owner.next_seq();
        }
        adjustment
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
    /// receivable. Returns the amount that moved to the creditor.
    fn pay(
        &mut self,
        debtor: AccountId,
        creditor: AccountId,
        asset: AssetId,
        amount: Amount,
        context: PaymentContext,
        events: &mut Vec<Event>,
    ) -> Amount {
        if amount < Amount::ZERO {
            let back = Amount::ZERO - amount;
            return Amount::ZERO - self.pay(creditor, debtor, asset, back, context, events);
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
        paid
    }
}
