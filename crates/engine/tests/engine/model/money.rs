//! Chapters 11 and 13: who owns what, what a trade moves, what is owed.

use types::*;

use super::{DAY_NS, Market, Model, Open};

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

    /// What an open order holds of the asset it pays in.
    fn held(&self, open: &Open) -> i128 {
        let instrument = &self.market(open.order.instrument).instrument;
        if open.order.order_type.is_market() || open.place == super::Place::List {
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

    /// What an account's open orders hold of an asset. The legs of an OCO hold together what the
    /// dearer one needs.
    pub(crate) fn locked(&self, account: AccountId, asset: AssetId) -> i128 {
        let mut locked = 0;
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
        locked + dearest.iter().map(|(_, most)| most).sum::<i128>()
    }

    /// The OCO that an order is a leg of.
    fn pair_of(&self, open: &Open) -> Option<(InstrumentId, OrderListId)> {
        let (instrument, id) = (open.order.instrument, open.order.terms?.order_list);
        let mut lists = self.lists.iter();
        let list = lists.find(|list| (list.instrument, list.order_list) == (instrument, id))?;
        let is_leg = match list.kind {
            OrderListKind::Oco => true,
            OrderListKind::Oto => false,
            OrderListKind::Otoco => list.orders[0] != Some(open.order.order_id),
        };
        is_leg.then_some((instrument, id))
    }

    pub(crate) fn free(&self, account: AccountId, asset: AssetId) -> i128 {
        let owned = &self.owner(account).owned;
        owned.get(&asset.0).copied().unwrap_or_default() - self.locked(account, asset)
    }

    /// The lots that a market order can pay at a price; `None` is no limit.
    pub(super) fn affords(&self, order: &Order, price: Price) -> Option<i128> {
        if !self.is_cash(order.account) {
            return None;
        }
        let instrument = &self.market(order.instrument).instrument;
        let free = self.free(order.account, self.paid_in(order.instrument, order.side));
        let lot_cost = i128::from(price.ticks()) * i128::from(instrument.tick_lot_minor);
        match order.side {
            Side::Sell => Some(free / i128::from(instrument.lot_minor)),
            Side::Buy => {
                let rate = i128::from(self.rate_to_hold(order.account, order.instrument));
                let mut lots = free / lot_cost;
                while lots > 0 && lots * lot_cost + part(lots * lot_cost, rate) > free {
                    lots -= 1;
                }
                Some(lots)
            }
        }
    }

    /// Moves what a trade moves. The orders are as they were before it.
    pub(super) fn settle(&mut self, was: &[Open; 2], price: i64, qty: u64) -> (Fill, Fill) {
        let [maker, taker] = was;
        let instrument = self.market(maker.order.instrument).instrument;
        let quote = i128::from(price) * i128::from(qty) * i128::from(instrument.tick_lot_minor);
        let base = i128::from(qty) * i128::from(instrument.lot_minor);
        let in_quote = self.fee_asset(instrument.id) == FeeAsset::Quote;
        let mut fees = [maker, taker].map(|open| {
            let of = if in_quote || open.order.side == Side::Sell { quote } else { base };
            let rates = self.rates(open.order.account, instrument.id);
            let is_maker = open.order.order_id == maker.order.order_id;
            part(of, (if is_maker { rates.0 } else { rates.1 }).into())
        });
        if in_quote {
            for (fee, open) in fees.iter_mut().zip(was) {
                let market = open.order.order_type.is_market();
                if open.order.side == Side::Buy && !market {
                    *fee = (*fee).min(part(quote, open.held_rate.into()));
                }
            }
        }
        for (one, other) in [(0, 1), (1, 0)] {
            if fees[one] < 0 {
                fees[one] = fees[one].max(-fees[other].max(0));
            }
        }
        let mut fills = [maker, taker].into_iter().zip(fees).map(|(open, fee)| {
            let fee_asset = match (in_quote, open.order.side) {
                (false, Side::Buy) => instrument.spec.base,
                _ => instrument.spec.quote,
            };
            let sign = if open.order.side == Side::Buy { 1 } else { -1 };
            let account = open.order.account;
            self.give(account, instrument.spec.base, sign * base);
            self.give(account, instrument.spec.quote, -sign * quote);
            self.give(account, fee_asset, -fee);
            self.give(AccountId::VENUE, fee_asset, fee);
            let position = self.owner_mut(account).positions.entry(instrument.id).or_default();
            *position += sign * i128::from(qty);
            let today = self.now_ns / DAY_NS;
            let volumes = &mut self.owner_mut(account).volumes;
            *volumes.entry((instrument.id, today)).or_default() += quote;
            let order = self.at((instrument.id, open.order.order_id)).order;
            let account_seq = self.account_seq(account);
            Fill { account_seq, order, fee: Amount::from_minor(fee), fee_asset }
        });
        (fills.next().unwrap(), fills.next().unwrap())
    }

    /// What accounts without balances get and give is the venue's clearing amount.
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
            FeeAsset::Quote => {
                let (maker, taker) = self.rates(account, instrument);
                maker.max(taker).max(0)
            }
        }
    }

    // Positions.

    /// What an account would own and be buying with an order, and how far long or short it would
    /// be with all open orders of that side filled.
    pub(super) fn positions(
        &self,
        account: AccountId,
        market: &Market,
        request: &NewOrder,
    ) -> (u64, u64) {
        let instrument = market.instrument.id;
        let OrderSize::Base(qty) = request.size else { return (0, 0) };
        let own = self.of_account(account, instrument);
        let same_side = own.iter().filter(|open| open.order.side == request.side);
        let more = same_side.map(Open::leaves).sum::<u64>() + qty.lots();
        let owner = self.owner(account);
        let position = owner.positions.get(&instrument).copied().unwrap_or_default();
        let sign = if request.side == Side::Buy { 1 } else { -1 };
        let exposed = (position * sign + i128::from(more)).max(0);
        let owned = owner.owned.get(&market.instrument.spec.base.0).copied().unwrap_or_default();
        let owned = owned / i128::from(market.instrument.lot_minor) + i128::from(more);
        (u64::try_from(owned).unwrap_or(u64::MAX), u64::try_from(exposed).unwrap_or(u64::MAX))
    }

    // Chapter 11: trades undone.

    pub(super) fn bust_trade(&mut self, request: &BustTrade) -> Result<(), RejectReason> {
        let BustTrade { instrument, trade_id, buyer, seller } = *request;
        let (bought, sold) = self.both_sides(instrument, trade_id, buyer, seller)?;
        self.market_mut(instrument).busted.insert(trade_id.0);
        let spec = self.market(instrument).instrument;
        let base = i128::from(bought.qty.lots()) * i128::from(spec.lot_minor);
        let quote = bought.quote.minor();
        let back = |asset, trade: &AccountTrade| {
            if trade.fee_asset == asset { trade.fee.minor() } else { 0 }
        };
        let (base_asset, quote_asset) = (spec.spec.base, spec.spec.quote);
        let adjust = |trade: &AccountTrade, sign: i128| {
            (-sign * base + back(base_asset, trade), sign * quote + back(quote_asset, trade))
        };
        let (of_buyer, of_seller) = (adjust(&bought, 1), adjust(&sold, -1));
        let instrument_seq = self.instrument_seq(instrument);
        let adjustment = |model: &mut Self, account, (base, quote): (i128, i128)| Adjustment {
            account,
            account_seq: model.account_seq(account),
            base: Amount::from_minor(base),
            quote: Amount::from_minor(quote),
        };
        let busted = TradeBusted {
            instrument_seq,
            instrument,
            trade_id,
            buyer: adjustment(self, buyer, of_buyer),
            seller: adjustment(self, seller, of_seller),
        };
        self.events.push(Event::TradeBusted(busted));
        let cause = ReceivableCause::TradeBusted;
        let about = (instrument, trade_id, cause);
        self.pay(buyer, seller, base_asset, base, about);
        self.pay(seller, buyer, quote_asset, quote, about);
        for trade in [(buyer, &bought), (seller, &sold)] {
            self.pay(AccountId::VENUE, trade.0, trade.1.fee_asset, trade.1.fee.minor(), about);
        }
        Ok(())
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
        let instrument_seq = self.instrument_seq(instrument);
        let adjustment = |model: &mut Self, account, quote| Adjustment {
            account,
            account_seq: model.account_seq(account),
            base: Amount::ZERO,
            quote: Amount::from_minor(quote),
        };
        let corrected = TradeCorrected {
            instrument_seq,
            instrument,
            trade_id,
            orig_price: bought.price,
            price,
            buyer: adjustment(self, buyer, -more),
            seller: adjustment(self, seller, more),
        };
        self.events.push(Event::TradeCorrected(corrected));
        for account in [buyer, seller] {
            for trade in &mut self.owner_mut(account).trades {
                if (trade.instrument, trade.trade_id) == (instrument, trade_id) {
                    trade.price = price;
                    trade.quote = Amount::from_minor(quote);
                }
            }
        }
        let about = (instrument, trade_id, ReceivableCause::TradeCorrected);
        let quote_asset = spec.spec.quote;
        self.pay(buyer, seller, quote_asset, more.max(0), about);
        self.pay(seller, buyer, quote_asset, (-more).max(0), about);
        Ok(())
    }

    fn both_sides(
        &self,
        instrument: InstrumentId,
        trade_id: TradeId,
        buyer: AccountId,
        seller: AccountId,
    ) -> Result<(AccountTrade, AccountTrade), RejectReason> {
        let market = self.known(instrument)?;
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
        if market.busted.contains(&trade_id.0) {
            return Err(RejectReason::TradeBustedAlready);
        }
        Ok((bought, sold))
    }

    /// Who has not enough free owes the rest.
    fn pay(
        &mut self,
        debtor: AccountId,
        creditor: AccountId,
        asset: AssetId,
        amount: i128,
        about: (InstrumentId, TradeId, ReceivableCause),
    ) {
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
            self.events.push(Event::ReceivableCreated(ReceivableCreated { receivable }));
        }
    }

    pub(super) fn settle_receivable(
        &mut self,
        request: &SettleReceivable,
    ) -> Result<(), RejectReason> {
        let mut all = self.receivables.iter();
        let found = all.position(|owed| owed.receivable == request.receivable);
        let at = found.ok_or(RejectReason::ReceivableNotFound)?;
        let Receivable { debtor, asset, .. } = self.receivables[at];
        if self.free(debtor, asset) <= 0 {
            return Err(RejectReason::NothingToSettle);
        }
        self.pay_off(at);
        Ok(())
    }

    fn pay_off(&mut self, at: usize) {
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

    // Transfers.

    pub(super) fn deposit(&mut self, request: &Deposit) -> Result<(), RejectReason> {
        let Deposit { account, asset, amount, external_ref } = *request;
        self.trader(account)?;
        self.check_transfer(account, asset, amount, &external_ref)?;
        let (account_seq, free) = self.transfer(account, asset, amount.minor(), &external_ref);
        let deposited = Deposited { account_seq, account, asset, amount, external_ref, free };
        self.events.push(Event::Deposited(deposited));
        loop {
            let mut all = self.receivables.iter();
            let owed = all.position(|owed| (owed.debtor, owed.asset) == (account, asset));
            match owed {
                Some(at) if self.free(account, asset) > 0 => self.pay_off(at),
                _ => return Ok(()),
            }
        }
    }

    pub(super) fn withdraw(&mut self, request: &Withdraw) -> Result<(), RejectReason> {
        let Withdraw { account, asset, amount, external_ref } = *request;
        self.check_transfer(account, asset, amount, &external_ref)?;
        if self.free(account, asset) < amount.minor() {
            return Err(RejectReason::WithdrawalAboveFree);
        }
        let (account_seq, free) = self.transfer(account, asset, -amount.minor(), &external_ref);
        let withdrawn = Withdrawn { account_seq, account, asset, amount, external_ref, free };
        self.events.push(Event::Withdrawn(withdrawn));
        Ok(())
    }

    fn check_transfer(
        &self,
        account: AccountId,
        asset: AssetId,
        amount: Amount,
        external_ref: &ExternalRef,
    ) -> Result<(), RejectReason> {
        let owner = self.accounts.get(account.0 as usize).ok_or(RejectReason::UnknownAccount)?;
        if usize::from(asset.0) >= self.assets.len() {
            return Err(RejectReason::UnknownAsset);
        }
        if amount.minor() <= 0 {
            return Err(RejectReason::AmountNotPositive);
        }
        if amount > AMOUNT_MAX {
            return Err(RejectReason::AmountAboveMax);
        }
        if owner.refs.contains(external_ref.as_str()) {
            return Err(RejectReason::DuplicateExternalRef);
        }
        Ok(())
    }

    fn transfer(
        &mut self,
        account: AccountId,
        asset: AssetId,
        amount: i128,
        external_ref: &ExternalRef,
    ) -> (u64, Amount) {
        let owner = self.owner_mut(account);
        *owner.owned.entry(asset.0).or_default() += amount;
        owner.refs.insert(external_ref.to_string());
        (self.account_seq(account), Amount::from_minor(self.free(account, asset)))
    }
}
