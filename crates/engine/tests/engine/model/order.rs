//! Chapters 1 to 3, 7 and 16: an order enters, trades, rests, ends.

use types::*;

use super::money::part;
use super::trigger::begin_to_trail;
use super::{Key, Model, Open, Standing};

impl Model {
    pub(super) fn new_order(
        &mut self,
        envelope: &Envelope,
        request: &NewOrder,
    ) -> Result<(), RejectReason> {
        self.check(envelope.account, request)?;
        self.count_rate(envelope.account, 1);
        let key = self.take_on(envelope, request, None, true);
        self.enter(key);
        Ok(())
    }

    /// Accepts an order; it is on no book yet.
    pub(super) fn take_on(
        &mut self,
        envelope: &Envelope,
        request: &NewOrder,
        list: Option<OrderListId>,
        is_placed: bool,
    ) -> Key {
        let account = envelope.account;
        let instrument = request.instrument;
        let (order_qty, quote_order_qty) = match request.size {
            OrderSize::Base(qty) => (qty, Amount::ZERO),
            OrderSize::Quote(amount) => (Qty::ZERO, amount),
        };
        let terms = match (request.terms, list) {
            (None, None) if request.time_in_force != TimeInForce::AtClose => None,
            (terms, list) => Some(OrderTerms {
                terms: terms.unwrap_or_default(),
                order_list: list.unwrap_or_default(),
                ..OrderTerms::default()
            }),
        };
        let market = self.market_mut(instrument);
        market.last_order_id += 1;
        let order_id = OrderId(market.last_order_id);
        let mut order = Order {
            instrument,
            account,
            order_id,
            cl_ord_id: request.cl_ord_id,
            side: request.side,
            order_type: request.order_type,
            time_in_force: request.time_in_force,
            stp_mode: request.stp_mode,
            status: OrderStatus::New,
            strategy_id: request.strategy_id,
            strategy_type: request.strategy_type,
            price: Price::from_ticks(self.first_price(request)),
            order_qty,
            quote_order_qty,
            cum_qty: Qty::ZERO,
            cum_quote: Amount::ZERO,
            created_ns: self.now_ns,
            updated_ns: self.now_ns,
            terms,
        };
        if is_placed {
            begin_to_trail(&mut order, self.now_ns);
        }
        self.open.push(Open {
            order,
            place: Standing::Entering,
            arrived: 0,
            shown: 0,
            session: self.session_of(envelope),
            amends: 0,
            reached: false,
            trail: None,
            held_rate: self.rate_to_hold(account, instrument),
        });
        let account_seq = self.account_seq(account);
        let instrument_seq = self.instrument_seq(instrument);
        let accepted = OrderAccepted { account_seq, instrument_seq, order };
        self.events.push(Event::OrderAccepted(accepted));
        (instrument, order_id)
    }

    /// The price of an entering order: its own, the best opposite one, or its peg's.
    pub(super) fn first_price(&self, request: &NewOrder) -> i64 {
        if request.order_type == OrderType::MarketToLimit {
            return self.best(request.instrument, request.side.opposite()).unwrap_or(0);
        }
        match request.special().peg {
            Some(_) => self.peg_price(request).unwrap_or(0),
            None => request.price.ticks(),
        }
    }

    /// Executes an order that enters, is triggered, or is placed by its list.
    pub(super) fn enter(&mut self, key: Key) {
        let Open { order, .. } = *self.at(key);
        let terms = order.terms.unwrap_or_default();
        let phase = self.market(order.instrument).phase;
        if order.order_type.is_stop() && terms.triggered_ns == 0 {
            return self.wait_for_trigger(key);
        }
        if order.time_in_force == TimeInForce::AtClose && phase != Phase::ClosingAuction {
            self.at_mut(key).place = Standing::Closing;
            return;
        }
        if phase != Phase::Continuous {
            return self.rest(key);
        }
        let there = self.at_once(key);
        if order.time_in_force == TimeInForce::Fok && there < order.order_qty.lots() {
            return self.expire(key, ExpireCause::FillOrKill);
        }
        // An order that was lowered below its minimum while it waited must fill in full.
        let least = if order.quote_order_qty.is_zero() {
            terms.terms.min_qty.min(order.order_qty)
        } else {
            terms.terms.min_qty
        };
        if there < least.lots() {
            return self.expire(key, ExpireCause::MinQty);
        }
        self.trade_all(key);
    }

    /// Trades as long as there is a maker, then rests or ends.
    pub(super) fn trade_all(&mut self, key: Key) {
        loop {
            let taker = *self.at(key);
            let order = taker.order;
            let Some(maker) = self.facing(&order).first().copied() else {
                return match (order.order_type, order.time_in_force) {
                    (kind, _) if kind.is_market() => self.expire(key, ExpireCause::NoLiquidity),
                    (_, TimeInForce::Ioc) => self.expire(key, ExpireCause::ImmediateOrCancel),
                    _ => self.rest(key),
                };
            };
            if self.prevents(&order, &maker.order) {
                if !self.prevent(key, maker.key()) {
                    return;
                }
                continue;
            }
            let price = maker.order.price.ticks();
            if self.is_outside_bands(order.instrument, price) {
                if can_rest(&order) {
                    self.rest(key);
                } else {
                    self.expire(key, ExpireCause::PriceBand);
                }
                return self.breach(order.instrument);
            }
            let qty = match self.lots_at(&order, maker.order.price) {
                Ok(qty) => qty.min(maker.front()),
                Err(cause) => return self.expire(key, cause),
            };
            self.trade(maker.key(), key, price, qty);
            if self.find(key).is_none() {
                return;
            }
        }
    }

    /// The orders that may trade with an order, in order of their trading.
    fn facing(&self, order: &Order) -> Vec<Open> {
        let mut makers = self.side(order.instrument, order.side.opposite());
        makers.retain(|maker| {
            order.order_type.is_market() || order.side.crosses(order.price, maker.order.price)
        });
        makers
    }

    /// The quantity that an order could trade at once: its trades in a copy of the venue. A
    /// prevented trade ends it there, unless the mode removes the resting order.
    fn at_once(&self, key: Key) -> u64 {
        let mut copy = self.for_questions();
        let order = &mut copy.at_mut(key).order;
        order.time_in_force = TimeInForce::Ioc;
        if !matches!(order.stp_mode, StpMode::None | StpMode::ExpireMaker) {
            order.stp_mode = StpMode::ExpireTaker;
        }
        copy.trade_all(key);
        let traded = copy.events.iter().map(|event| match event {
            Event::TradeExecuted(trade) => trade.qty.lots(),
            _ => 0,
        });
        traded.sum()
    }

    /// Whether a market order costs more than its account has free: its trades in a copy of the
    /// venue where the account is rich and has no limits. What its own resting orders would earn
    /// does not pay for it.
    pub(super) fn falls_short(&self, account: AccountId, request: &NewOrder) -> bool {
        // Refused for its amount, before its cost matters.
        if matches!(request.size, OrderSize::Quote(amount) if amount <= Amount::ZERO) {
            return false;
        }
        let mut copy = self.for_questions();
        let pays_in = copy.paid_in(request.instrument, request.side);
        let owner = copy.owner_mut(account);
        owner.limits.clear();
        *owner.owned.entry(pays_in.0).or_default() += 1 << 100;
        copy.market_mut(request.instrument).schedule = None;
        let envelope = Envelope { account, ..Envelope::venue(Origin::Venue, 0) };
        let key = copy.take_on(&envelope, request, None, true);
        let stp_mode = &mut copy.at_mut(key).order.stp_mode;
        if !matches!(stp_mode, StpMode::None | StpMode::ExpireMaker) {
            *stp_mode = StpMode::ExpireTaker;
        }
        copy.trade_all(key);
        let held = i128::from(self.rate_to_hold(account, request.instrument));
        let taker = i128::from(self.rates(account, request.instrument).1);
        let lot = i128::from(self.market(request.instrument).instrument.lot_minor);
        let mut free = self.free(account, pays_in);
        for event in &copy.events {
            let Event::TradeExecuted(trade) = event else { continue };
            if trade.taker.order.order_id != key.1 {
                continue;
            }
            let quote = trade.quote.minor();
            let (needs, cost) = match request.side {
                Side::Sell => {
                    (i128::from(trade.qty.lots()) * lot, i128::from(trade.qty.lots()) * lot)
                }
                Side::Buy if quote <= 0 => (free, quote),
                Side::Buy => {
                    let fee = part(quote, taker.clamp(0, held));
                    (quote + part(quote, held), quote + fee)
                }
            };
            if needs > free {
                return true;
            }
            free -= cost;
        }
        false
    }

    /// The lots that an order requests at a price and can pay, at least one.
    fn lots_at(&self, order: &Order, price: Price) -> Result<u64, ExpireCause> {
        let instrument = &self.market(order.instrument).instrument;
        let lot_cost = i128::from(price.ticks()) * i128::from(instrument.tick_lot_minor);
        let by_quote = !order.quote_order_qty.is_zero();
        let wants = if !by_quote {
            i128::from(order.order_qty.lots() - order.cum_qty.lots())
        } else if lot_cost > 0 {
            (order.quote_order_qty.minor() - order.cum_quote.minor()) / lot_cost
        } else {
            0 // an amount does not bound the lots
        };
        if wants == 0 {
            return Err(ExpireCause::BelowOneLot);
        }
        let affords = if order.order_type.is_market() {
            self.affords(order, price)?.unwrap_or(wants)
        } else {
            wants
        };
        match u64::try_from(wants.min(affords)).unwrap() {
            0 => Err(ExpireCause::BalanceExhausted),
            lots => Ok(lots),
        }
    }

    /// One match. In an auction both sides rest on the book.
    pub(super) fn trade(&mut self, maker: Key, taker: Key, price: i64, qty: u64) {
        let instrument = self.market(taker.0).instrument;
        let quote = i128::from(price) * i128::from(qty) * i128::from(instrument.tick_lot_minor);
        let was = [*self.at(maker), *self.at(taker)];
        let now_ns = self.now_ns;
        for key in [maker, taker] {
            let open = self.at_mut(key);
            open.shown -= open.shown.min(qty);
            let order = &mut open.order;
            order.cum_qty = Qty::from_lots(order.cum_qty.lots() + qty);
            order.cum_quote = Amount::from_minor(order.cum_quote.minor() + quote);
            order.updated_ns = now_ns;
            order.status = if order.cum_qty == order.order_qty {
                OrderStatus::Filled
            } else {
                OrderStatus::PartiallyFilled
            };
        }
        self.count_fill_by_quote(taker);
        let (maker_order, taker_order) = (self.at(maker).order, self.at(taker).order);
        let instrument_seq = self.instrument_seq(taker.0);
        let market = self.market_mut(taker.0);
        market.last_trade_id += 1;
        let trade_id = TradeId(market.last_trade_id);
        let (maker_fill, taker_fill) = self.settle(&was, price, qty);
        let trade = TradeExecuted {
            instrument_seq,
            instrument: taker.0,
            trade_id,
            price: Price::from_ticks(price),
            qty: Qty::from_lots(qty),
            quote: Amount::from_minor(quote),
            side: taker_order.side,
            maker: maker_fill,
            taker: taker_fill,
        };
        debug_assert_eq!(trade.maker.order, maker_order);
        self.events.push(Event::TradeExecuted(trade));
        self.keep_trade(&trade);
        self.see_price(taker.0, price, qty);
        for ((key, was), is_maker) in [maker, taker].into_iter().zip(was).zip([true, false]) {
            let implied = is_maker && was.order.terms.is_none();
            if was.shown > 0 && !implied {
                self.emit_reduced(key, was.shown.min(qty));
            }
        }
        for key in [maker, taker] {
            let open = *self.at(key);
            if open.order.status == OrderStatus::Filled {
                self.finish(key);
            }
            self.list_order_traded(&open.order);
        }
        self.keep_received(&trade);
        for key in [maker, taker] {
            let Some(open) = self.find(key).copied() else { continue };
            let parts_follow = open.place == Standing::Book && !open.terms().hidden;
            if parts_follow && open.shown == 0 {
                self.show(key);
            }
        }
        self.market_mut(taker.0).indication_due = true;
    }

    /// An order by quote amount is filled when its remaining amount buys no lot at the next price.
    fn count_fill_by_quote(&mut self, taker: Key) {
        let order = self.at(taker).order;
        if order.quote_order_qty.is_zero() {
            return;
        }
        let mut makers = self.facing(&order);
        makers.retain(|maker| maker.leaves() > 0);
        let lot = i128::from(self.market(taker.0).instrument.tick_lot_minor);
        let rest = order.quote_order_qty.minor() - order.cum_quote.minor();
        let next = makers.first().map(|next| i128::from(next.order.price.ticks()) * lot);
        let done = rest == 0 || next.is_some_and(|cost| cost <= 0 || rest < cost);
        let order = &mut self.at_mut(taker).order;
        order.status = OrderStatus::PartiallyFilled;
        if done {
            order.status = OrderStatus::Filled;
            order.order_qty = order.cum_qty;
        }
    }

    /// Puts an order's remainder at the end of the queue at its price.
    pub(super) fn rest(&mut self, key: Key) {
        self.at_mut(key).place = Standing::Book;
        self.show(key);
    }

    /// The book shows an order, or an iceberg's next part, at the end of the queue.
    pub(super) fn show(&mut self, key: Key) {
        let arrived = self.arrival();
        let open = self.at_mut(key);
        let terms = open.terms();
        let display = if terms.display_qty.is_zero() { u64::MAX } else { terms.display_qty.lots() };
        open.arrived = arrived;
        open.shown = if terms.hidden { 0 } else { open.leaves().min(display) };
        let Open { order, shown, .. } = *open;
        self.market_mut(key.0).indication_due = true;
        if shown > 0 {
            let instrument_seq = self.instrument_seq(key.0);
            self.events.push(Event::OrderRested(OrderRested {
                instrument_seq,
                instrument: key.0,
                order_id: key.1,
                side: order.side,
                price: order.price,
                leaves_qty: Qty::from_lots(shown),
            }));
        }
    }

    /// The book shows `qty` less of an order; the displayed quantity is updated already.
    pub(super) fn emit_reduced(&mut self, key: Key, qty: u64) {
        let Open { order, shown, .. } = *self.at(key);
        let instrument_seq = self.instrument_seq(key.0);
        self.market_mut(key.0).indication_due = true;
        self.events.push(Event::BookReduced(BookReduced {
            instrument_seq,
            instrument: key.0,
            order_id: key.1,
            side: order.side,
            price: order.price,
            qty: Qty::from_lots(qty),
            leaves_qty: Qty::from_lots(shown),
        }));
    }

    /// Takes an order off the book, with an event if no other event implies it.
    pub(super) fn leave_book(&mut self, key: Key, implied: bool) {
        let open = self.at_mut(key);
        let shown = std::mem::take(&mut open.shown);
        if open.place == Standing::Book {
            open.place = Standing::Entering;
            let plain = open.order.terms.is_none();
            self.market_mut(key.0).indication_due = true;
            if shown > 0 && !(plain && implied) {
                self.emit_reduced(key, shown);
            }
        }
    }

    pub(super) fn expire(&mut self, key: Key, cause: ExpireCause) {
        self.expire_with(key, cause, None);
    }

    /// Self-trade prevention takes all that is left of the order.
    pub(super) fn expire_with(
        &mut self,
        key: Key,
        cause: ExpireCause,
        prevented: Option<Prevented>,
    ) {
        self.leave_book(key, false);
        let now_ns = self.now_ns;
        let order = &mut self.at_mut(key).order;
        order.status = OrderStatus::Expired;
        if let Some(prevented) = &prevented {
            super::self_trade::take_off(order, prevented);
            order.status = OrderStatus::Prevented;
        }
        order.updated_ns = now_ns;
        if !order.quote_order_qty.is_zero() {
            order.order_qty = order.cum_qty;
        }
        let order = *order;
        let account_seq = self.account_seq(order.account);
        let instrument_seq = self.instrument_seq(order.instrument);
        let expired = OrderExpired { account_seq, instrument_seq, order, cause, prevented };
        self.events.push(Event::OrderExpired(expired));
        self.finish(key);
        self.list_order_ended(&order, None);
    }

    pub(super) fn cancel(&mut self, key: Key, cl_ord_id: ClOrdId, cause: CancelCause) {
        self.leave_book(key, true);
        let now_ns = self.now_ns;
        let order = &mut self.at_mut(key).order;
        let canceled_qty = order.leaves_qty();
        order.status = OrderStatus::Canceled;
        order.updated_ns = now_ns;
        if !order.quote_order_qty.is_zero() {
            order.order_qty = order.cum_qty;
        }
        let order = *order;
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
        self.finish(key);
        self.list_order_ended(&order, Some(cl_ord_id));
    }

    fn finish(&mut self, key: Key) {
        let at = self.open.iter().position(|open| open.key() == key).unwrap();
        let order = self.open.remove(at).order;
        let owner = self.owner_mut(order.account);
        owner.finished.push(order);
        owner.trim();
    }
}

pub(super) fn can_rest(order: &Order) -> bool {
    !order.order_type.is_market() && order.time_in_force.may_rest()
}
