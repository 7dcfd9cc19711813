//! What the engine should do, written as plainly as possible: one list of resting orders that is
//! searched from end to end, no holds but those that the open orders imply, everything at once.
//!
//! It shares the vocabulary with the engine, and nothing else: units are taken from the
//! instrument's two factors, and sums are done on bare integers here.

use std::collections::{BTreeMap, BTreeSet};

use types::*;

const DAY_NS: u64 = 24 * 3_600 * 1_000_000_000;

#[derive(Default)]
pub(crate) struct Model {
    pub(crate) sequence: u64,
    now_ns: u64,
    assets: Vec<Asset>,
    instruments: Vec<Instrument>,
    instrument_seqs: Vec<u64>,
    order_ids: Vec<u64>,
    trade_ids: Vec<u64>,
    accounts: Vec<Owner>,
    keys: Vec<(KeySpec, bool)>,
    /// In the order in which they came to rest.
    resting: Vec<Order>,
    events: Vec<Event>,
}

pub(crate) struct Owner {
    spec: AccountSpec,
    seq: u64,
    /// All that is owned, held by orders or not.
    owned: BTreeMap<u16, i128>,
    refs: BTreeSet<String>,
    retries: Vec<(RetryKey, u64, u64)>,
    pub(crate) finished: Vec<Order>,
    pub(crate) trades: Vec<AccountTrade>,
}

impl Owner {
    fn new(spec: AccountSpec) -> Self {
        Self {
            spec,
            seq: 0,
            owned: BTreeMap::new(),
            refs: BTreeSet::new(),
            retries: Vec::new(),
            finished: Vec::new(),
            trades: Vec::new(),
        }
    }

    fn trim(&mut self) {
        while self.finished.len() > self.spec.finished_orders_kept as usize {
            self.finished.remove(0);
        }
        while self.trades.len() > self.spec.trades_kept as usize {
            self.trades.remove(0);
        }
    }
}

impl Model {
    pub(crate) fn new() -> Self {
        let name = AccountName::parse("venue").unwrap();
        let spec = AccountSpec {
            name,
            fees: None,
            max_open_orders: 0,
            finished_orders_kept: 0,
            trades_kept: 0,
        };
        Self { accounts: vec![Owner::new(spec)], ..Self::default() }
    }

    pub(crate) fn apply(&mut self, sequenced_ns: u64, entry: &Entry) -> Vec<Event> {
        self.sequence += 1;
        self.now_ns = self.now_ns.max(sequenced_ns);
        let id = entry.envelope.account;
        if let (Some(key), Some(owner)) =
            (entry.envelope.retry_key, self.accounts.get_mut(id.0 as usize))
        {
            if let Some((_, first_sequence, _)) = owner.retries.iter().find(|(k, ..)| *k == key) {
                let first_sequence = *first_sequence;
                return vec![Event::CommandRepeated(CommandRepeated {
                    account: id,
                    first_sequence,
                })];
            }
            owner.retries.push((key, self.sequence, self.now_ns + DAY_NS));
        }
        let who = match entry.command {
            Command::Deposit(deposit) => deposit.account,
            Command::Withdraw(withdraw) => withdraw.account,
            Command::UpdateAccount(update) => update.account,
            Command::CreateKey(create) => create.spec.account,
            Command::ListAsset(_)
            | Command::ListInstrument(_)
            | Command::CreateAccount(_)
            | Command::RevokeKey(_) => AccountId(0),
            _ => id,
        };
        if let Err(reason) = self.carry_out(id, &entry.command) {
            self.refuse(who, reason, false);
        }
        std::mem::take(&mut self.events)
    }

    fn refuse(&mut self, account: AccountId, reason: RejectReason, in_cancel: bool) {
        self.events.push(Event::CommandRejected(CommandRejected { account, reason, in_cancel }));
    }

    fn carry_out(&mut self, account: AccountId, command: &Command) -> Result<(), RejectReason> {
        match command {
            Command::NewOrder(request) => self.new_order(account, request)?,
            Command::CancelOrder(request) => {
                let order = self.cancelable(account, request)?;
                self.cancel(order, request.cl_ord_id, CancelCause::Requested);
            }
            Command::CancelAll(request) => {
                self.trader(account)?;
                self.instrument(request.instrument)?;
                let mut own: Vec<Order> = self.open(account, request.instrument);
                if own.is_empty() {
                    return Err(RejectReason::OrderNotFound);
                }
                own.sort_by_key(|order| order.order_id);
                for order in own {
                    self.cancel(order, request.cl_ord_id, CancelCause::CancelAll);
                }
            }
            Command::ReplaceOrder(request) => {
                match self.cancelable(account, &request.cancel) {
                    Ok(order) => {
                        self.cancel(order, request.cancel.cl_ord_id, CancelCause::Replaced);
                    }
                    Err(reason) => {
                        self.refuse(account, reason, true);
                        if request.mode == ReplaceMode::StopOnFailure {
                            return Err(RejectReason::NotAttempted);
                        }
                    }
                }
                self.new_order(account, &request.order)?;
            }
            Command::AmendOrder(request) => self.amend(account, request)?,
            Command::Deposit(request) => {
                if request.account == AccountId(0) {
                    return Err(RejectReason::UnknownAccount);
                }
                self.check_transfer(
                    request.account,
                    request.asset,
                    request.amount,
                    &request.external_ref,
                )?;
                let (account_seq, free) = self.transfer(
                    request.account,
                    request.asset,
                    request.amount.minor(),
                    &request.external_ref,
                );
                let Deposit { account, asset, amount, external_ref } = *request;
                self.events.push(Event::Deposited(Deposited {
                    account_seq,
                    account,
                    asset,
                    amount,
                    external_ref,
                    free,
                }));
            }
            Command::Withdraw(request) => {
                self.check_transfer(
                    request.account,
                    request.asset,
                    request.amount,
                    &request.external_ref,
                )?;
                if self.free(request.account, request.asset) < request.amount.minor() {
                    return Err(RejectReason::WithdrawalAboveFree);
                }
                let (account_seq, free) = self.transfer(
                    request.account,
                    request.asset,
                    -request.amount.minor(),
                    &request.external_ref,
                );
                let Withdraw { account, asset, amount, external_ref } = *request;
                self.events.push(Event::Withdrawn(Withdrawn {
                    account_seq,
                    account,
                    asset,
                    amount,
                    external_ref,
                    free,
                }));
            }
            Command::ListAsset(request) => {
                let asset = request.asset;
                if self.assets.iter().any(|other| other.name == asset.name) {
                    return Err(RejectReason::NameInUse);
                }
                if asset.decimals > 18 {
                    return Err(RejectReason::DecimalsAboveMax);
                }
                self.assets.push(asset);
                let id = AssetId(self.assets.len() as u16 - 1);
                self.events.push(Event::AssetListed(AssetListed { id, asset }));
            }
            Command::ListInstrument(request) => self.list_instrument(&request.spec)?,
            Command::CreateAccount(request) => {
                let spec = request.spec;
                if self.accounts.iter().any(|other| other.spec.name == spec.name) {
                    return Err(RejectReason::NameInUse);
                }
                self.accounts.push(Owner { seq: 1, ..Owner::new(spec) });
                let account = AccountId(self.accounts.len() as u32 - 1);
                let created = AccountCreated { account_seq: 1, account, spec };
                self.events.push(Event::AccountCreated(created));
            }
            Command::UpdateAccount(request) => {
                self.trader(request.account)?;
                let UpdateAccount { account, spec } = *request;
                let owner = &mut self.accounts[account.0 as usize];
                if owner.spec.name != spec.name {
                    return Err(RejectReason::NameInUse);
                }
                owner.spec = spec;
                owner.trim();
                let account_seq = self.account_seq(account);
                let updated = AccountUpdated { account_seq, account, spec };
                self.events.push(Event::AccountUpdated(updated));
            }
            Command::CreateKey(request) => {
                let spec = request.spec;
                self.trader(spec.account)?;
                if self.keys.iter().any(|(key, _)| key.api_key_hash == spec.api_key_hash) {
                    return Err(RejectReason::ApiKeyInUse);
                }
                self.keys.push((spec, false));
                let key = KeyId(self.keys.len() as u32);
                let account_seq = self.account_seq(spec.account);
                self.events.push(Event::KeyCreated(KeyCreated { account_seq, key, spec }));
            }
            Command::RevokeKey(request) => {
                let key = request.key;
                let at = (1..).zip(&mut self.keys).find(|(id, _)| *id == key.0);
                let (spec, revoked) = at.map(|(_, found)| found).ok_or(RejectReason::UnknownKey)?;
                if std::mem::replace(revoked, true) {
                    return Err(RejectReason::UnknownKey);
                }
                let (account, role) = (spec.account, spec.role);
                let account_seq = self.account_seq(account);
                self.events.push(Event::KeyRevoked(KeyRevoked { account_seq, key, account, role }));
            }
            Command::Tick(()) => {
                let now_ns = self.now_ns;
                for owner in &mut self.accounts {
                    owner.retries.retain(|(.., expires_ns)| *expires_ns > now_ns);
                }
            }
            Command::Continue(()) => {}
            other => panic!("the model has no {other:?}"),
        }
        Ok(())
    }

    fn list_instrument(&mut self, spec: &InstrumentSpec) -> Result<(), RejectReason> {
        let base = *self.assets.get(usize::from(spec.base.0)).ok_or(RejectReason::UnknownAsset)?;
        let quote =
            *self.assets.get(usize::from(spec.quote.0)).ok_or(RejectReason::UnknownAsset)?;
        if self.instruments.iter().any(|other| other.spec.symbol == spec.symbol) {
            return Err(RejectReason::NameInUse);
        }
        let id = InstrumentId(self.instruments.len() as u32);
        let Ok(instrument) = Instrument::new(id, *spec, &base, &quote) else {
            return Err(RejectReason::BaseIsQuote); // the only fault that is drawn
        };
        self.instruments.push(instrument);
        self.instrument_seqs.push(1);
        self.order_ids.push(0);
        self.trade_ids.push(0);
        self.events
            .push(Event::InstrumentListed(InstrumentListed { instrument_seq: 1, instrument }));
        Ok(())
    }

    fn new_order(&mut self, account: AccountId, request: &NewOrder) -> Result<(), RejectReason> {
        self.check(account, request)?;
        let at = request.instrument.0 as usize;
        self.order_ids[at] += 1;
        let (order_qty, quote_order_qty) = match request.size {
            OrderSize::Base(qty) => (qty, Amount::ZERO),
            OrderSize::Quote(amount) => (Qty::ZERO, amount),
        };
        let mut order = Order {
            instrument: request.instrument,
            account,
            order_id: OrderId(self.order_ids[at]),
            cl_ord_id: request.cl_ord_id,
            side: request.side,
            order_type: request.order_type,
            time_in_force: request.time_in_force,
            stp_mode: request.stp_mode,
            status: OrderStatus::New,
            strategy_id: request.strategy_id,
            strategy_type: request.strategy_type,
            price: request.price,
            order_qty,
            quote_order_qty,
            cum_qty: Qty::ZERO,
            cum_quote: Amount::ZERO,
            created_ns: self.now_ns,
            updated_ns: self.now_ns,
            terms: None,
        };
        let account_seq = self.account_seq(account);
        let instrument_seq = self.instrument_seq(order.instrument);
        self.events.push(Event::OrderAccepted(OrderAccepted {
            account_seq,
            instrument_seq,
            order,
        }));
        if order.time_in_force == TimeInForce::Fok {
            let there: u64 = self
                .facing(&order)
                .iter()
                .map(|maker| maker.order_qty.lots() - maker.cum_qty.lots())
                .sum();
            if there < order.order_qty.lots() {
                self.expire(order, ExpireCause::FillOrKill);
                return Ok(());
            }
        }
        loop {
            let Some(maker) = self.facing(&order).first().copied() else {
                match (order.order_type, order.time_in_force) {
                    (OrderType::Market, _) => self.expire(order, ExpireCause::NoLiquidity),
                    (_, TimeInForce::Ioc) => self.expire(order, ExpireCause::ImmediateOrCancel),
                    _ => self.rest(order),
                }
                return Ok(());
            };
            match self.lots_at(&order, maker.price) {
                Err(cause) => {
                    self.expire(order, cause);
                    return Ok(());
                }
                Ok(qty) => {
                    let leaves = maker.order_qty.lots() - maker.cum_qty.lots();
                    self.trade(&mut order, maker, qty.min(leaves));
                }
            }
            if order.status == OrderStatus::Filled {
                self.finish(order);
                return Ok(());
            }
        }
    }

    fn check(&self, account: AccountId, request: &NewOrder) -> Result<(), RejectReason> {
        use RejectReason::*;
        let owner = self.trader(account)?;
        let instrument = self.instrument(request.instrument)?;
        let spec = &instrument.spec;
        let is_market = request.order_type == OrderType::Market;
        let gtc = request.time_in_force == TimeInForce::Gtc;
        let best = self.best(request.instrument, request.side.opposite());
        let (price, base, quote) = match request.size {
            OrderSize::Base(qty) => (request.price.ticks(), Some(qty), None),
            OrderSize::Quote(amount) => (request.price.ticks(), None, Some(amount.minor())),
        };
        let terms = match request.order_type {
            OrderType::Limit => base.is_some(),
            OrderType::LimitMaker => base.is_some() && gtc,
            OrderType::Market => price == 0 && gtc,
            _ => false,
        };
        let cost = |price: i64, qty: Qty| {
            i128::from(price) * i128::from(qty.lots()) * i128::from(instrument.tick_lot_minor)
        };
        let rung = |wrong: bool, reason| if wrong { Err(reason) } else { Ok(()) };
        rung(!terms, OrderTermsInvalid)?;
        rung(!is_market && request.price < spec.min_price, PriceBelowMin)?;
        rung(!is_market && request.price > spec.max_price, PriceAboveMax)?;
        let below = base.is_some_and(|qty| qty < spec.min_qty);
        rung(!is_market && below, OrderQtyBelowMin)?;
        rung(!is_market && base.is_some_and(|qty| qty > spec.max_qty), OrderQtyAboveMax)?;
        rung(is_market && below, MarketQtyBelowMin)?;
        rung(is_market && base.is_some_and(|qty| qty > spec.market_max_qty), MarketQtyAboveMax)?;
        let at_price = if is_market { best } else { Some(price) };
        let notional = quote.or_else(|| Some(cost(at_price?, base?)));
        let too_small = notional.is_some_and(|n| n <= 0 || n < spec.min_notional.minor());
        rung(too_small, NotionalBelowMin)?;
        rung(notional.is_some_and(|n| n > spec.max_notional.minor()), NotionalAboveMax)?;
        let here = self.open(account, request.instrument).len();
        let all = self.resting.iter().filter(|order| order.account == account).count();
        let may_rest = !is_market && gtc;
        rung(may_rest && here >= spec.max_open_orders as usize, TooManyOpenOrders)?;
        rung(may_rest && all >= owner.spec.max_open_orders as usize, TooManyAccountOrders)?;
        let named = self.open(account, request.instrument);
        rung(named.iter().any(|o| o.cl_ord_id == request.cl_ord_id), DuplicateClOrdId)?;
        let needs = match (request.side, base, is_market) {
            (Side::Sell, qty, _) => {
                i128::from(qty.map_or(1, Qty::lots)) * i128::from(instrument.lot_minor)
            }
            (Side::Buy, None, _) => quote.unwrap(),
            (Side::Buy, Some(_), true) => best.map_or(0, |best| cost(best, Qty::from_lots(1))),
            (Side::Buy, Some(qty), false) => cost(price, qty),
        };
        let pays_in = if request.side == Side::Buy { spec.quote } else { spec.base };
        rung(needs > self.free(account, pays_in), InsufficientBalance)?;
        let takes = best.is_some_and(|best| match request.side {
            Side::Buy => best <= price,
            Side::Sell => best >= price,
        });
        rung(request.order_type == OrderType::LimitMaker && takes, WouldTakeLiquidity)
    }

    /// The lots that an order wants at a price and can pay, at least one.
    fn lots_at(&self, order: &Order, price: Price) -> Result<u64, ExpireCause> {
        let instrument = &self.instruments[order.instrument.0 as usize];
        let lot_cost = i128::from(price.ticks()) * i128::from(instrument.tick_lot_minor);
        let by_quote = !order.quote_order_qty.is_zero();
        let wants = match by_quote {
            true => (order.quote_order_qty.minor() - order.cum_quote.minor()) / lot_cost,
            false => i128::from(order.order_qty.lots() - order.cum_qty.lots()),
        };
        if wants == 0 {
            return Err(ExpireCause::BelowOneLot);
        }
        let affords = match (order.order_type, order.side) {
            (OrderType::Market, Side::Buy) => {
                self.free(order.account, instrument.spec.quote) / lot_cost
            }
            (OrderType::Market, Side::Sell) => {
                self.free(order.account, instrument.spec.base) / i128::from(instrument.lot_minor)
            }
            _ => wants,
        };
        match u64::try_from(wants.min(affords)).unwrap() {
            0 => Err(ExpireCause::BalanceExhausted),
            lots => Ok(lots),
        }
    }

    fn trade(&mut self, taker: &mut Order, mut maker: Order, qty: u64) {
        let instrument = self.instruments[taker.instrument.0 as usize];
        let price = maker.price;
        let quote =
            i128::from(price.ticks()) * i128::from(qty) * i128::from(instrument.tick_lot_minor);
        for order in [&mut maker, taker] {
            order.cum_qty = Qty::from_lots(order.cum_qty.lots() + qty);
            order.cum_quote = Amount::from_minor(order.cum_quote.minor() + quote);
            order.updated_ns = self.now_ns;
            order.status = match order.cum_qty == order.order_qty {
                true => OrderStatus::Filled,
                false => OrderStatus::PartiallyFilled,
            };
        }
        self.replace_resting(&maker);
        if !taker.quote_order_qty.is_zero() {
            let rest = taker.quote_order_qty.minor() - taker.cum_quote.minor();
            let next = self.facing(taker).first().map(|next| next.price.ticks());
            let nothing_more = rest == 0
                || next.is_some_and(|next| {
                    rest < i128::from(next) * i128::from(instrument.tick_lot_minor)
                });
            taker.status = OrderStatus::PartiallyFilled;
            if nothing_more {
                taker.status = OrderStatus::Filled;
                taker.order_qty = taker.cum_qty;
            }
        }
        let instrument_seq = self.instrument_seq(taker.instrument);
        let at = taker.instrument.0 as usize;
        self.trade_ids[at] += 1;
        let maker_fill = self.settle(&maker, true, qty, quote);
        let taker_fill = self.settle(taker, false, qty, quote);
        let trade = TradeExecuted {
            instrument_seq,
            instrument: taker.instrument,
            trade_id: TradeId(self.trade_ids[at]),
            price,
            qty: Qty::from_lots(qty),
            quote: Amount::from_minor(quote),
            side: taker.side,
            maker: maker_fill,
            taker: taker_fill,
        };
        self.events.push(Event::TradeExecuted(trade));
        for (fill, is_maker) in [(maker_fill, true), (taker_fill, false)] {
            let owner = &mut self.accounts[fill.order.account.0 as usize];
            owner.trades.push(AccountTrade {
                instrument: trade.instrument,
                trade_id: trade.trade_id,
                order_id: fill.order.order_id,
                side: fill.order.side,
                is_maker,
                price,
                qty: trade.qty,
                quote: trade.quote,
                fee: fill.fee,
                fee_asset: fill.fee_asset,
                traded_ns: self.now_ns,
            });
            owner.trim();
        }
        if maker.status == OrderStatus::Filled {
            self.finish(maker);
        }
    }

    fn settle(&mut self, order: &Order, is_maker: bool, qty: u64, quote: i128) -> Fill {
        let instrument = self.instruments[order.instrument.0 as usize];
        let base = i128::from(qty) * i128::from(instrument.lot_minor);
        let ((pays, paid), (gets, got)) = match order.side {
            Side::Buy => ((instrument.spec.quote, quote), (instrument.spec.base, base)),
            Side::Sell => ((instrument.spec.base, base), (instrument.spec.quote, quote)),
        };
        let owner = &mut self.accounts[order.account.0 as usize];
        let rates = owner.spec.fees.unwrap_or(instrument.spec.fees);
        let rate = if is_maker { rates.maker_fee_bps_x100 } else { rates.taker_fee_bps_x100 };
        let fee = got * i128::from(rate) / 1_000_000;
        *owner.owned.entry(pays.0).or_default() -= paid;
        *owner.owned.entry(gets.0).or_default() += got - fee;
        *self.accounts[0].owned.entry(gets.0).or_default() += fee;
        let account_seq = self.account_seq(order.account);
        Fill { account_seq, order: *order, fee: Amount::from_minor(fee), fee_asset: gets }
    }

    fn rest(&mut self, order: Order) {
        self.resting.push(order);
        let instrument_seq = self.instrument_seq(order.instrument);
        self.events.push(Event::OrderRested(OrderRested {
            instrument_seq,
            instrument: order.instrument,
            order_id: order.order_id,
            side: order.side,
            price: order.price,
            leaves_qty: order.leaves_qty(),
        }));
    }

    fn expire(&mut self, mut order: Order, cause: ExpireCause) {
        order.status = OrderStatus::Expired;
        order.updated_ns = self.now_ns;
        if !order.quote_order_qty.is_zero() {
            order.order_qty = order.cum_qty;
        }
        let account_seq = self.account_seq(order.account);
        let instrument_seq = self.instrument_seq(order.instrument);
        let expired = OrderExpired { account_seq, instrument_seq, order, cause };
        self.events.push(Event::OrderExpired(expired));
        self.finish(order);
    }

    fn cancel(&mut self, mut order: Order, cl_ord_id: ClOrdId, cause: CancelCause) {
        let canceled_qty = order.leaves_qty();
        order.status = OrderStatus::Canceled;
        order.updated_ns = self.now_ns;
        self.replace_resting(&order);
        let account_seq = self.account_seq(order.account);
        let instrument_seq = self.instrument_seq(order.instrument);
        self.events.push(Event::OrderCanceled(OrderCanceled {
            account_seq,
            instrument_seq,
            order,
            canceled_qty,
            cl_ord_id,
            cause,
        }));
        self.finish(order);
    }

    fn amend(&mut self, account: AccountId, request: &AmendOrder) -> Result<(), RejectReason> {
        self.trader(account)?;
        let spec = self.instrument(request.instrument)?.spec;
        if request.order_qty < spec.min_qty {
            return Err(RejectReason::OrderQtyBelowMin);
        }
        let found = self.find(account, request.instrument, &request.order);
        let own = self.open(account, request.instrument);
        let taken = own.iter().find(|order| Some(order.cl_ord_id) == request.cl_ord_id);
        if taken.is_some_and(|taken| found.is_none_or(|found| found.order_id != taken.order_id)) {
            return Err(RejectReason::DuplicateClOrdId);
        }
        let orig = found.ok_or(RejectReason::OrderNotFound)?;
        if request.order_qty >= orig.order_qty {
            return Err(RejectReason::AmendQtyNotLower);
        }
        if request.order_qty <= orig.cum_qty {
            return Err(RejectReason::AmendQtyNotAboveCum);
        }
        let order = Order {
            cl_ord_id: request.cl_ord_id.unwrap_or(orig.cl_ord_id),
            order_qty: request.order_qty,
            updated_ns: self.now_ns,
            ..orig
        };
        self.replace_resting(&order);
        let account_seq = self.account_seq(account);
        let instrument_seq = self.instrument_seq(order.instrument);
        self.events.push(Event::OrderAmended(OrderAmended {
            account_seq,
            instrument_seq,
            order,
            orig_cl_ord_id: orig.cl_ord_id,
            orig_order_qty: orig.order_qty,
        }));
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
        let owner = &mut self.accounts[account.0 as usize];
        *owner.owned.entry(asset.0).or_default() += amount;
        owner.refs.insert(external_ref.to_string());
        (self.account_seq(account), Amount::from_minor(self.free(account, asset)))
    }

    fn cancelable(&self, account: AccountId, request: &CancelOrder) -> Result<Order, RejectReason> {
        self.trader(account)?;
        self.instrument(request.instrument)?;
        let order = self
            .find(account, request.instrument, &request.order)
            .ok_or(RejectReason::OrderNotFound)?;
        match (request.restriction, order.cum_qty.is_zero()) {
            (CancelRestriction::OnlyNew, false)
            | (CancelRestriction::OnlyPartiallyFilled, true) => Err(RejectReason::CancelRestricted),
            _ => Ok(order),
        }
    }

    fn find(
        &self,
        account: AccountId,
        instrument: InstrumentId,
        order: &OrderRef,
    ) -> Option<Order> {
        if order.order_id.is_none() && order.cl_ord_id.is_none() {
            return None;
        }
        self.open(account, instrument).into_iter().find(|found| {
            order.order_id.is_none_or(|id| found.order_id == id)
                && order.cl_ord_id.is_none_or(|name| found.cl_ord_id == name)
        })
    }

    /// Replaces a resting order by what has become of it.
    fn replace_resting(&mut self, order: &Order) {
        let same = |other: &Order| {
            (other.instrument, other.order_id) == (order.instrument, order.order_id)
        };
        let at = self.resting.iter().position(same).unwrap();
        match order.status.is_open() {
            true => self.resting[at] = *order,
            false => drop(self.resting.remove(at)),
        }
    }

    fn finish(&mut self, order: Order) {
        let owner = &mut self.accounts[order.account.0 as usize];
        owner.finished.push(order);
        owner.trim();
    }

    /// Who may trade with an order, in the order in which they would.
    fn facing(&self, order: &Order) -> Vec<Order> {
        let mut makers = self.side(order.instrument, order.side.opposite());
        makers.retain(|maker| match (order.order_type, order.side) {
            (OrderType::Market, _) => true,
            (_, Side::Buy) => maker.price <= order.price,
            (_, Side::Sell) => maker.price >= order.price,
        });
        makers
    }

    /// One side of a book, in the order in which it would trade.
    pub(crate) fn side(&self, instrument: InstrumentId, side: Side) -> Vec<Order> {
        let here = |order: &&Order| order.instrument == instrument && order.side == side;
        let mut orders: Vec<Order> = self.resting.iter().filter(here).copied().collect();
        // Stable: orders at one price stay as they came.
        match side {
            Side::Buy => orders.sort_by_key(|order| -order.price.ticks()),
            Side::Sell => orders.sort_by_key(|order| order.price.ticks()),
        }
        orders
    }

    fn best(&self, instrument: InstrumentId, side: Side) -> Option<i64> {
        self.side(instrument, side).first().map(|order| order.price.ticks())
    }

    pub(crate) fn open(&self, account: AccountId, instrument: InstrumentId) -> Vec<Order> {
        let own = |order: &&Order| order.account == account && order.instrument == instrument;
        self.resting.iter().filter(own).copied().collect()
    }

    fn trader(&self, account: AccountId) -> Result<&Owner, RejectReason> {
        match account.0 {
            0 => Err(RejectReason::UnknownAccount),
            at => self.accounts.get(at as usize).ok_or(RejectReason::UnknownAccount),
        }
    }

    fn instrument(&self, id: InstrumentId) -> Result<&Instrument, RejectReason> {
        self.instruments.get(id.0 as usize).ok_or(RejectReason::UnknownInstrument)
    }

    fn account_seq(&mut self, account: AccountId) -> u64 {
        let owner = &mut self.accounts[account.0 as usize];
        owner.seq += 1;
        owner.seq
    }

    fn instrument_seq(&mut self, instrument: InstrumentId) -> u64 {
        self.instrument_seqs[instrument.0 as usize] += 1;
        self.instrument_seqs[instrument.0 as usize]
    }

    /// What an account's open orders hold of an asset.
    pub(crate) fn locked(&self, account: AccountId, asset: AssetId) -> i128 {
        let held = self.resting.iter().filter(|order| order.account == account).map(|order| {
            let instrument = &self.instruments[order.instrument.0 as usize];
            let leaves = i128::from(order.order_qty.lots() - order.cum_qty.lots());
            let price = i128::from(order.price.ticks());
            match order.side {
                Side::Buy if instrument.spec.quote == asset => {
                    price * leaves * i128::from(instrument.tick_lot_minor)
                }
                Side::Sell if instrument.spec.base == asset => {
                    leaves * i128::from(instrument.lot_minor)
                }
                _ => 0,
            }
        });
        held.sum()
    }

    pub(crate) fn free(&self, account: AccountId, asset: AssetId) -> i128 {
        let owned = &self.accounts[account.0 as usize].owned;
        owned.get(&asset.0).copied().unwrap_or_default() - self.locked(account, asset)
    }

    pub(crate) fn owners(&self) -> impl Iterator<Item = (AccountId, &Owner)> {
        (0..).map(AccountId).zip(&self.accounts)
    }

    pub(crate) fn instrument_count(&self) -> u32 {
        self.instruments.len() as u32
    }

    pub(crate) fn asset_count(&self) -> u16 {
        self.assets.len() as u16
    }
}
