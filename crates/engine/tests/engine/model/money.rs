//! Chapters 11 and 13: balances, the money of trades, receivables.

use types::*;

use super::{DAY_NS, Model, ModelMarket, Open};

const RATE: i128 = 1_000_000;

/// A rate in hundredths of a basis point of an amount, rounded down.
pub(super) fn part(amount: i128, rate: i128) -> i128 {
    amount / RATE * rate + amount % RATE * rate / RATE
}

impl Model {
    pub(super) fn is_cash(&self, account: AccountId) -> bool {
        self.owner(account).risk.mode == AccountMode::Cash
    }

    pub(super) fn paid_in(&self, instrument: InstrumentId, side: Side) -> AssetId {
        let spec = &self.market(instrument).instrument.spec;
        if side == Side::Buy { spec.quote } else { spec.base }
    }

    /// The amount that an open order holds of the asset it pays in.
    fn held(&self, open: &Open) -> i128 {
        let instrument = &self.market(open.order.instrument).instrument;
        if open.order.order_type.is_market() || open.place == super::Standing::List {
            return 0;
        }
        let leaves = i128::from(open.leaves());
        match open.order.side {
            Side::Sell => leaves * i128::from(instrument.lot_minor),
            Side::Buy => {
                let price = i128::from(open.order.price.ticks());
                let cost = price * leaves * i128::from(instrument.tick_lot_minor);
                cost + part(cost, open.held_rate.into())
            }
        }
    }

    /// The amount of an asset that an account's open orders and withdrawals hold. The legs of an
    /// OCO hold only the larger amount together.
    pub(crate) fn locked(&self, account: AccountId, asset: AssetId) -> i128 {
        let mut locked = self.waits_to_leave(account, asset);
        let mut dearest: Vec<((InstrumentId, OrderListId), i128)> = Vec::new();
        for open in self.open.iter().filter(|open| open.order.account == account) {
            if !self.is_cash(account)
                || self.paid_in(open.order.instrument, open.order.side) != asset
            {
                continue;
            }
            let held = self.held(open);
            match self.pair_of(open) {
                None => locked += held,
                Some(pair) => match dearest.iter_mut().find(|(other, _)| *other == pair) {
                    Some((_, most)) => *most = held.max(*most),
                    None => dearest.push((pair, held)),
                },
            }
        }
        for (list, received) in self.received.iter().map(|(at, sum)| (&self.lists[*at], sum)) {
            let base = self.market(list.instrument).instrument.spec.base;
            if list.account == account && base == asset && self.is_cash(account) {
                locked += received;
            }
        }
        locked + dearest.iter().map(|(_, most)| most).sum::<i128>()
    }

    /// The OCO that an order is a leg of.
    fn pair_of(&self, open: &Open) -> Option<(InstrumentId, OrderListId)> {
        let (instrument, id) = (open.order.instrument, open.order.terms?.order_list);
        let mut lists = self.lists.iter();
        let list = lists.find(|list| (list.instrument, list.order_list) == (instrument, id))?;
        let is_leg = match list.kind {
            OrderListKind::Oco => true,
            OrderListKind::Oto | OrderListKind::Opo => false,
            OrderListKind::Otoco | OrderListKind::Opoco => {
                list.orders[0] != Some(open.order.order_id)
            }
        };
        is_leg.then_some((instrument, id))
    }

    /// The net claim of all accounts without balances.
    pub(crate) fn clearing(&self, asset: AssetId) -> i128 {
        self.clearing.get(&asset.0).copied().unwrap_or_default()
    }

    pub(crate) fn free(&self, account: AccountId, asset: AssetId) -> i128 {
        let owned = &self.owner(account).owned;
        owned.get(&asset.0).copied().unwrap_or_default() - self.locked(account, asset)
    }

    /// The lots of a market order that its account can pay and has room for; `None` is no bound.
    pub(super) fn affords(&self, order: &Order, price: Price) -> Result<Option<i128>, ExpireCause> {
        let room = self.position_room(order.account, order.instrument, order.side);
        if !self.is_cash(order.account) {
            return Ok(room);
        }
        let instrument = &self.market(order.instrument).instrument;
        let free = self.free(order.account, self.paid_in(order.instrument, order.side));
        let lot_cost = i128::from(price.ticks()) * i128::from(instrument.tick_lot_minor);
        let lots = match order.side {
            Side::Sell if lot_cost <= 0 => return Err(ExpireCause::NotAllowed),
            Side::Sell => free / i128::from(instrument.lot_minor),
            Side::Buy if lot_cost <= 0 => return Ok(room),
            Side::Buy => {
                let rate = i128::from(self.rate_to_hold(order.account, order.instrument));
                let mut lots = free / lot_cost;
                while lots > 0 && lots * lot_cost + part(lots * lot_cost, rate) > free {
                    lots -= 1;
                }
                lots
            }
        };
        Ok(Some(room.map_or(lots, |room| room.min(lots))))
    }

    /// Moves the money of a trade. The orders have their state from ahead of it.
    pub(super) fn settle(&mut self, was: &[Open; 2], price: i64, qty: u64) -> (Fill, Fill) {
        let instrument = self.market(was[0].order.instrument).instrument;
        let quote = i128::from(price) * i128::from(qty) * i128::from(instrument.tick_lot_minor);
        let base = i128::from(qty) * i128::from(instrument.lot_minor);
        let fees = self.fees(was, base, quote);
        let fills = [0, 1].map(|at| {
            let (open, (fee, fee_asset)) = (&was[at], fees[at]);
            let sign = if open.order.side == Side::Buy { 1 } else { -1 };
            let account = open.order.account;
            self.give(account, instrument.spec.base, sign * base);
            self.give(account, instrument.spec.quote, -sign * quote);
            self.give(account, fee_asset, -fee);
            self.give(AccountId::VENUE, fee_asset, fee);
            let mode = self.owner(account).risk.mode;
            if mode == AccountMode::Limits {
                let positions = &mut self.owner_mut(account).positions;
                *positions.entry(instrument.id).or_default() += sign * i128::from(qty);
            }
            if mode != AccountMode::None && self.market(instrument.id).schedule.is_some() {
                let today = self.now_ns / DAY_NS;
                let volumes = &mut self.owner_mut(account).volumes;
                *volumes.entry((instrument.id, today)).or_default() += quote.abs();
            }
            let order = self.at((instrument.id, open.order.order_id)).order;
            if order.cum_qty.lots() == qty {
                self.uncount_rate(account, if at == 0 { 5 } else { 1 });
            }
            let account_seq = self.account_seq(account);
            Fill { account_seq, order, fee: Amount::from_minor(fee), fee_asset }
        });
        fills.into()
    }

    /// Fee and asset of each side of a trade. A rebate is measured on the basis of the other side's
    /// fee, and is paid out of it.
    fn fees(&self, was: &[Open; 2], base: i128, quote: i128) -> [(i128, AssetId); 2] {
        let spec = &self.market(was[0].order.instrument).instrument.spec;
        let in_quote = self.fee_asset(was[0].order.instrument) == FeeAsset::Quote;
        let measured = [0, 1].map(|at| match (in_quote, was[at].order.side) {
            (true, _) => (quote.abs(), spec.quote),
            (false, Side::Buy) => (base, spec.base),
            (false, Side::Sell) => (quote.max(0), spec.quote),
        });
        let rates = [0, 1].map(|at| {
            let rates = self.rates(was[at].order.account, was[at].order.instrument);
            if at == 0 { rates.0 } else { rates.1 }
        });
        let charged = [0, 1].map(|at| {
            let open = &was[at];
            // A limit buy pays at most the fee that it held.
            let holds = in_quote
                && open.order.side == Side::Buy
                && !open.order.order_type.is_market()
                && self.is_cash(open.order.account);
            let rate = if holds { rates[at].min(open.held_rate) } else { rates[at] };
            part(measured[at].0, rate.max(0).into())
        });
        [0, 1].map(|at| {
            if rates[at] < 0 {
                let (of, asset) = measured[1 - at];
                (-part(of, (-rates[at]).into()).min(charged[1 - at]), asset)
            } else {
                (charged[at], measured[at].1)
            }
        })
    }

    /// Amounts of accounts without balances go to the venue's clearing.
    fn give(&mut self, account: AccountId, asset: AssetId, amount: i128) {
        if self.is_cash(account) {
            *self.owner_mut(account).owned.entry(asset.0).or_default() += amount;
        } else {
            *self.clearing.entry(asset.0).or_default() += amount;
        }
    }

    pub(super) fn keep_trade(&mut self, trade: &TradeExecuted) {
        for (fill, is_maker) in [(&trade.maker, true), (&trade.taker, false)] {
            let traded_ns = self.now_ns;
            let owner = self.owner_mut(fill.order.account);
            owner.trades.push(AccountTrade {
                instrument: trade.instrument,
                trade_id: trade.trade_id,
                order_id: fill.order.order_id,
                side: fill.order.side,
                is_maker,
                price: trade.price,
                qty: trade.qty,
                quote: trade.quote,
                fee: fill.fee,
                fee_asset: fill.fee_asset,
                traded_ns,
                revision: TradeRevision::default(),
            });
            owner.trim();
        }
    }

    // Fees.

    fn fee_asset(&self, instrument: InstrumentId) -> FeeAsset {
        let schedule = self.market(instrument).schedule;
        schedule.map_or(FeeAsset::Received, |schedule| schedule.fee_asset)
    }

    /// Maker and taker rate: the account's own, the schedule's by volume, or the instrument's.
    pub(super) fn rates(&self, account: AccountId, instrument: InstrumentId) -> (i64, i64) {
        let owner = self.owner(account);
        let market = self.market(instrument);
        let plain = |rates: FeeRates| {
            (i64::from(rates.maker_fee_bps_x100), i64::from(rates.taker_fee_bps_x100))
        };
        if let Some(own) = owner.spec.fees {
            return plain(own);
        }
        let Some(schedule) = market.schedule else { return plain(market.instrument.spec.fees) };
        let today = self.now_ns / DAY_NS;
        let counted =
            owner.volumes.iter().filter(|((of, day), _)| *of == instrument && *day + 30 > today);
        let volume: i128 = counted.map(|(_, quote)| quote).sum();
        let mut reached =
            schedule.tiers.iter().flatten().filter(|tier| tier.volume_min.minor() <= volume);
        let tier = reached.next_back().unwrap();
        (i64::from(tier.maker_fee_bps_x100), i64::from(tier.taker_fee_bps_x100))
    }

    /// The rate that a buy would hold on top.
    pub(super) fn rate_to_hold(&self, account: AccountId, instrument: InstrumentId) -> i64 {
        match self.fee_asset(instrument) {
            FeeAsset::Received => 0,
            FeeAsset::Quote if !self.is_cash(account) => 0,
            FeeAsset::Quote => {
                let (maker, taker) = self.rates(account, instrument);
                maker.max(taker).max(0)
            }
        }
    }

    // Positions.

    /// The limits of an account in an instrument. An account without balances and limits has none.
    pub(super) fn limits(&self, account: AccountId, instrument: InstrumentId) -> AccountLimits {
        let owner = self.owner(account);
        match owner.risk.mode {
            AccountMode::None => AccountLimits::default(),
            _ => owner.limits.get(&instrument).copied().unwrap_or_default(),
        }
    }

    /// The position in lots: the balance, or the sum of the account's trades.
    fn position(&self, account: AccountId, instrument: InstrumentId) -> i128 {
        let (owner, spec) = (self.owner(account), &self.market(instrument).instrument);
        if self.is_cash(account) {
            let owned = owner.owned.get(&spec.spec.base.0).copied().unwrap_or_default();
            owned / i128::from(spec.lot_minor)
        } else {
            owner.positions.get(&instrument).copied().unwrap_or_default()
        }
    }

    /// The lots of an account's open orders on a side. Market orders hold nothing.
    fn open_lots(&self, account: AccountId, instrument: InstrumentId, side: Side) -> i128 {
        self.open_lots_of(account, instrument, side, |order| !order.order_type.is_market())
    }

    fn open_lots_of(
        &self,
        account: AccountId,
        instrument: InstrumentId,
        side: Side,
        counts: impl Fn(&Order) -> bool,
    ) -> i128 {
        let mut own = self.of_account(account, instrument);
        own.retain(|open| open.order.side == side && open.place != super::Standing::List);
        own.retain(|open| counts(&open.order));
        own.iter().map(|open| i128::from(open.leaves())).sum()
    }

    /// The quantity that a position limit leaves for an order, after the open ones.
    pub(super) fn position_room(
        &self,
        account: AccountId,
        instrument: InstrumentId,
        side: Side,
    ) -> Option<i128> {
        let max = i128::from(self.limits(account, instrument).max_position.lots());
        let position = self.position(account, instrument);
        let towards = if side == Side::Buy { position } else { -position };
        let open = self.open_lots(account, instrument, side);
        (max > 0).then(|| (max - towards - open).max(0))
    }

    /// Whether an account's balance and open buys would exceed the instrument's limit.
    pub(super) fn is_above_position(
        &self,
        account: AccountId,
        market: &ModelMarket,
        side: Side,
        qty: Qty,
    ) -> bool {
        let instrument = market.instrument.id;
        let max = i128::from(market.rules.max_position.lots());
        let open = self.open_lots_of(account, instrument, Side::Buy, |_| true);
        let position = self.position(account, instrument);
        side == Side::Buy && max > 0 && position + open + i128::from(qty.lots()) > max
    }

    // Chapter 11: busted trades.

    pub(super) fn bust_trade(&mut self, request: &BustTrade) -> Result<(), RejectReason> {
        let BustTrade { instrument, trade_id, buyer, seller } = *request;
        let (bought, sold) = self.both_sides(instrument, trade_id, buyer, seller)?;
        let spec = self.market(instrument).instrument;
        let base = i128::from(bought.qty.lots()) * i128::from(spec.lot_minor);
        let quote = bought.quote.minor();
        let (base_asset, quote_asset) = (spec.spec.base, spec.spec.quote);
        let now_ns = self.now_ns;
        for account in [buyer, seller] {
            for trade in self.owner_mut(account).named(instrument, trade_id) {
                trade.revision.busted_ns = now_ns;
            }
        }
        for (trade, sign) in [(&bought, -1), (&sold, 1)] {
            let account = if sign < 0 { buyer } else { seller };
            if self.owner(account).risk.mode == AccountMode::Limits {
                let lots = sign * i128::from(trade.qty.lots());
                *self.owner_mut(account).positions.entry(instrument).or_default() += lots;
            }
        }
        let about = (instrument, trade_id, ReceivableCause::TradeBusted);
        // Fees come back first, so that they can be returned too. Rebates precede them, because the
        // venue paid them out of a fee.
        let (mut of_buyer, mut of_seller) = ([0; 2], [0; 2]);
        let mut owed = Vec::new();
        let mut fees = [(buyer, bought, &mut of_buyer), (seller, sold, &mut of_seller)];
        fees.sort_by_key(|(_, trade, _)| trade.fee);
        for (account, trade, of) in fees {
            let (asset, fee) = (trade.fee_asset, trade.fee.minor());
            let place = usize::from(asset != base_asset);
            of[place] += self.pay(AccountId::VENUE, account, asset, fee, about, &mut owed);
        }
        let base = self.pay(buyer, seller, base_asset, base, about, &mut owed);
        let quote = self.pay(seller, buyer, quote_asset, quote, about, &mut owed);
        let busted = TradeBusted {
            instrument_seq: self.instrument_seq(instrument),
            instrument,
            trade_id,
            buyer: self.adjustment(buyer, [of_buyer[0] - base, of_buyer[1] + quote]),
            seller: self.adjustment(seller, [of_seller[0] + base, of_seller[1] - quote]),
        };
        self.events.push(Event::TradeBusted(busted));
        self.events.append(&mut owed);
        Ok(())
    }

    /// Amounts of base and quote. Each that is not zero has a number after that of the event.
    fn adjustment(&mut self, account: AccountId, [base, quote]: [i128; 2]) -> Adjustment {
        let account_seq = self.account_seq(account);
        for _ in [base, quote].iter().filter(|amount| **amount != 0) {
            self.account_seq(account);
        }
        let (base, quote) = (Amount::from_minor(base), Amount::from_minor(quote));
        Adjustment { account, account_seq, base, quote }
    }

    pub(super) fn correct_trade(&mut self, request: &CorrectTrade) -> Result<(), RejectReason> {
        let CorrectTrade { instrument, trade_id, buyer, seller, price } = *request;
        let (bought, _) = self.both_sides(instrument, trade_id, buyer, seller)?;
        let spec = self.market(instrument).instrument;
        if price < spec.spec.min_price {
            return Err(RejectReason::PriceBelowMin);
        }
        if price > spec.spec.max_price {
            return Err(RejectReason::PriceAboveMax);
        }
        let quote = spec.notional(price, bought.qty).minor();
        let more = quote - bought.quote.minor();
        let now_ns = self.now_ns;
        for account in [buyer, seller] {
            for trade in self.owner_mut(account).named(instrument, trade_id) {
                let revision = &mut trade.revision;
                revision.corrected_ns = now_ns;
                revision.orig_price = revision.orig_price.or(Some(trade.price));
                trade.price = price;
                trade.quote = Amount::from_minor(quote);
            }
        }
        let about = (instrument, trade_id, ReceivableCause::TradeCorrected);
        let mut owed = Vec::new();
        let paid = self.pay(buyer, seller, spec.spec.quote, more, about, &mut owed);
        let corrected = TradeCorrected {
            instrument_seq: self.instrument_seq(instrument),
            instrument,
            trade_id,
            orig_price: bought.price,
            price,
            quote: Amount::from_minor(quote),
            buyer: self.adjustment(buyer, [0, -paid]),
            seller: self.adjustment(seller, [0, paid]),
        };
        self.events.push(Event::TradeCorrected(corrected));
        self.events.append(&mut owed);
        Ok(())
    }

    fn both_sides(
        &self,
        instrument: InstrumentId,
        trade_id: TradeId,
        buyer: AccountId,
        seller: AccountId,
    ) -> Result<(AccountTrade, AccountTrade), RejectReason> {
        self.known(instrument)?;
        let side = |account, side| {
            let owner = self.trader(account).ok()?;
            let mut trades = owner.trades.iter();
            trades
                .find(|trade| {
                    (trade.instrument, trade.trade_id, trade.side) == (instrument, trade_id, side)
                })
                .copied()
        };
        let bought = side(buyer, Side::Buy).ok_or(RejectReason::TradeNotFound)?;
        let sold = side(seller, Side::Sell).ok_or(RejectReason::TradeNotFound)?;
        if bought.revision.busted_ns > 0 {
            return Err(RejectReason::TradeBustedAlready);
        }
        Ok((bought, sold))
    }

    /// Moves an amount, or moves it back if it is negative. The payer's missing part becomes a
    /// receivable. Returns the amount that moved to the creditor.
    fn pay(
        &mut self,
        debtor: AccountId,
        creditor: AccountId,
        asset: AssetId,
        amount: i128,
        about: (InstrumentId, TradeId, ReceivableCause),
        owed: &mut Vec<Event>,
    ) -> i128 {
        if amount < 0 {
            return -self.pay(creditor, debtor, asset, -amount, about, owed);
        }
        let has = if self.is_cash(debtor) { self.free(debtor, asset) } else { amount };
        let paid = amount.min(has);
        self.give(debtor, asset, -paid);
        self.give(creditor, asset, paid);
        if paid < amount {
            self.last_receivable += 1;
            let receivable = Receivable {
                receivable: ReceivableId(self.last_receivable),
                debtor,
                creditor,
                asset,
                amount: Amount::from_minor(amount - paid),
                instrument: about.0,
                trade_id: about.1,
                cause: about.2,
            };
            self.receivables.push(receivable);
            owed.push(Event::ReceivableCreated(ReceivableCreated { receivable }));
        }
        paid
    }

    pub(super) fn settle_receivable(
        &mut self,
        request: &SettleReceivable,
    ) -> Result<(), RejectReason> {
        let mut all = self.receivables.iter();
        let found = all.position(|debt| debt.receivable == request.receivable);
        let at = found.ok_or(RejectReason::ReceivableNotFound)?;
        let Receivable { debtor, asset, .. } = self.receivables[at];
        if self.free(debtor, asset) <= 0 {
            return Err(RejectReason::NothingToSettle);
        }
        self.pay_off(at);
        Ok(())
    }

    pub(super) fn pay_off(&mut self, at: usize) {
        let Receivable { debtor, creditor, asset, amount, .. } = self.receivables[at];
        let paid = amount.minor().min(self.free(debtor, asset));
        self.give(debtor, asset, -paid);
        self.give(creditor, asset, paid);
        self.receivables[at].amount = Amount::from_minor(amount.minor() - paid);
        let receivable = self.receivables[at];
        let (debtor_seq, creditor_seq) = (self.account_seq(debtor), self.account_seq(creditor));
        let paid = Amount::from_minor(paid);
        let settled = ReceivableSettled { receivable, paid, debtor_seq, creditor_seq };
        self.events.push(Event::ReceivableSettled(settled));
        if receivable.amount.is_zero() {
            self.receivables.remove(at);
        }
    }
}
