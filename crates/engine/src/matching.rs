//! A new order's way: accepted, traded against the book, then resting or ended.

pub(crate) mod check;
pub(crate) mod fill;
pub(crate) mod peg;
pub(crate) mod plain;
pub(crate) mod reach;
pub(crate) mod settle;
pub(crate) mod special;
pub(crate) mod stp;

use types::{
    AccountId, AccountTrade, Amount, AssetId, Event, ExpireCause, Fill, Instrument, NewOrder,
    Order, OrderAccepted, OrderId, OrderListId, OrderRested, OrderSize, OrderStatus, OrderTerms,
    Phase, Price, QTY_MAX, Qty, Side, TimeInForce, TradeExecuted, TradeId,
};

use crate::account::fee::fee;
use crate::account::received_asset;
use crate::book::{Front, NodeId};
use crate::engine::{Deferred, Engine, tell};
use crate::market::Market;
use crate::matching::check::takes_reference;
use crate::orders::record::Standing;
use crate::orders::sweep::OpenId;

/// Why an order stops trading.
enum Stop {
    Filled,
    /// Nothing on the other side at its price.
    NoneLeft,
    /// No trade may be at the next price now, for this reason.
    Forbidden(ExpireCause),
    /// It buys or sells no further lot for this reason.
    Unable(ExpireCause),
    /// The command's work is used up; it goes on in a `Continue`.
    Suspended,
}

/// What one match moves from side to side.
pub(crate) struct Match {
    pub(crate) trade_id: TradeId,
    pub(crate) price: Price,
    pub(crate) qty: Qty,
    pub(crate) base: Amount,
    pub(crate) quote: Amount,
}

/// What one side of a match came to.
pub(crate) struct Settled {
    pub(crate) account_seq: u64,
    pub(crate) fee: Amount,
    pub(crate) fee_asset: AssetId,
}

impl Settled {
    #[inline]
    pub(crate) fn fill(&self, order: &Order) -> Fill {
        let Self { account_seq, fee, fee_asset } = *self;
        Fill { account_seq, order: *order, fee, fee_asset }
    }
}

impl Engine {
    #[inline(always)]
    pub(crate) fn new_order(
        &mut self,
        account: AccountId,
        request: &NewOrder,
        events: &mut Vec<Event>,
    ) {
        if let Some(glance) = self.glance(account, request) {
            return self.take_plain(account, request, &glance, events);
        }
        self.new_special(account, request, events);
    }

    #[inline(never)]
    fn new_special(&mut self, account: AccountId, request: &NewOrder, events: &mut Vec<Event>) {
        if let Err(reason) = self.check_new_order(account, request) {
            return self.reject(account, reason, events);
        }
        let mut order = self.accept(account, request, None, events);
        if order.time_in_force == TimeInForce::AtClose && self.parks(order.instrument) {
            return self.park(&order);
        }
        if order.order_type.is_stop() {
            let node = self.attach_off_book(&order, Standing::Trigger);
            return self.wait_for_trigger(node);
        }
        self.enter_new(&mut order, events);
    }

    pub(crate) fn enter_new(&mut self, order: &mut Order, events: &mut Vec<Event>) {
        match self.falls_short(order) {
            Some(cause) => self.expire(*order, cause, events),
            None => self.execute(order, events),
        }
    }

    /// Takes in an order that is on no book.
    pub(crate) fn attach_off_book(&mut self, order: &Order, standing: Standing) -> NodeId {
        let account = &mut self.accounts[order.account.0 as usize];
        let node = self.orders.attach_off_book(account, order, standing);
        let market = &mut self.markets[order.instrument.0 as usize];
        market.index.insert(order.order_id.0, node);
        node
    }

    /// An order that has waited takes part from now on.
    pub(crate) fn enter(&mut self, node: NodeId, events: &mut Vec<Event>) {
        let order = self.orders.order(node);
        match self.falls_short(&order) {
            Some(cause) => self.expire_open(node, cause, events),
            None => self.enter_again(order, node, events),
        }
    }

    /// Trades an accepted order as far as it goes, now or in later commands.
    pub(crate) fn execute(&mut self, order: &mut Order, events: &mut Vec<Event>) {
        match self.trade(order, events) {
            Stop::Filled => self.finish(order, events),
            Stop::Suspended => self.deferred.push_front(Deferred::Trade(*order)),
            stop => {
                match expiry(order, &stop) {
                    Some(cause) => self.expire(*order, cause, events),
                    None => self.rest(order, events),
                }
                if matches!(stop, Stop::Forbidden(ExpireCause::PriceBand)) {
                    self.breach_bands(order.instrument, events);
                }
            }
        }
        self.touch(order.instrument);
    }

    /// The same for an order that has its node already, off the book: it was triggered, or
    /// modified, or its peg moved.
    pub(crate) fn enter_again(&mut self, mut order: Order, node: NodeId, events: &mut Vec<Event>) {
        debug_assert_eq!(self.orders.standing(node), Standing::Entering);
        match self.trade(&mut order, events) {
            Stop::Filled => {
                self.leave(node, &order);
                self.finish(&order, events);
            }
            Stop::Suspended => {
                self.orders.store(node, &order);
                let again = Deferred::Reenter(order.instrument, order.order_id);
                self.deferred.push_front(again);
            }
            stop => {
                match expiry(&order, &stop) {
                    Some(cause) => {
                        self.leave(node, &order);
                        self.expire(order, cause, events);
                    }
                    None => self.rest_special(&order, Some(node), events),
                }
                if matches!(stop, Stop::Forbidden(ExpireCause::PriceBand)) {
                    self.breach_bands(order.instrument, events);
                }
            }
        }
        self.touch(order.instrument);
    }

    /// Takes on an order that the check let pass. One of a list holds nothing yet.
    pub(crate) fn accept(
        &mut self,
        account_id: AccountId,
        request: &NewOrder,
        list: Option<OrderListId>,
        events: &mut Vec<Event>,
    ) -> Order {
        let price = match takes_reference(request) {
            true => self.reference_price(request).expect("the check found one"),
            false => request.price,
        };
        let order_id = self.markets[request.instrument.0 as usize].next_order_id();
        let mut order = new_order(account_id, request, order_id, self.now_ns);
        order.price = price;
        if let Some(order_list) = list {
            let terms = request.special();
            order.terms = Some(OrderTerms { terms, order_list, ..OrderTerms::default() });
        }
        if !order.order_type.is_market() && list.is_none() {
            let market = &self.markets[order.instrument.0 as usize];
            let account = &mut self.accounts[account_id.0 as usize];
            account.hold(market, &order, order.order_qty, self.now_ns);
        }
        self.tell_accepted(&order, events);
        order
    }

    #[inline(always)]
    pub(crate) fn tell_accepted(&mut self, order: &Order, events: &mut Vec<Event>) {
        let market = &mut self.markets[order.instrument.0 as usize];
        let account = &mut self.accounts[order.account.0 as usize];
        account.count_order(self.now_ns);
        let (account_seq, instrument_seq) = (account.next_seq(), market.next_seq());
        tell(events, || {
            Event::OrderAccepted(OrderAccepted { account_seq, instrument_seq, order: *order })
        });
        self.bind_to_session(order.into());
    }

    fn trade(&mut self, order: &mut Order, events: &mut Vec<Event>) -> Stop {
        self.trade_plain(order, events);
        if order.status == OrderStatus::Filled {
            return Stop::Filled;
        }
        let resting_side = order.side.opposite();
        let limit = (!order.order_type.is_market()).then_some(order.price);
        loop {
            let market = &self.markets[order.instrument.0 as usize];
            let Some(front) = market.front(&self.orders.nodes, resting_side) else {
                return Stop::NoneLeft;
            };
            if limit.is_some_and(|limit| !order.side.crosses(limit, front.price)) {
                return Stop::NoneLeft;
            }
            let allowed = market.trading.allows(front.price);
            if !allowed && market.trading.phase != Phase::Continuous {
                return Stop::Forbidden(ExpireCause::Phase);
            }
            if self.prevents(order, front.node) {
                if !self.spend_work() {
                    return Stop::Suspended;
                }
                match self.prevent(order, front, events) {
                    Some(cause) => return Stop::Unable(cause),
                    None => continue,
                }
            }
            if !allowed {
                return Stop::Forbidden(ExpireCause::PriceBand);
            }
            let takes = match self.takes(market, order, front.price) {
                Ok(qty) => qty,
                Err(cause) => return Stop::Unable(cause),
            };
            let qty = takes.min(front.leaves_qty);
            if self.has_clearing && !self.can_clear(order, front, qty) {
                return Stop::Unable(ExpireCause::NotAllowed);
            }
            if !self.spend_work() {
                return Stop::Suspended;
            }
            self.fill(order, front, qty, events);
            if order.status == OrderStatus::Filled {
                return Stop::Filled;
            }
        }
    }

    /// The lots that an order would take at `price`, at least one.
    fn takes(&self, market: &Market, order: &Order, price: Price) -> Result<Qty, ExpireCause> {
        let by_quote = !order.quote_order_qty.is_zero();
        let instrument = &market.instrument;
        let wants = match by_quote {
            false => order.order_qty - order.cum_qty,
            true => rest_by_quote(instrument, order, price),
        };
        if wants.is_zero() {
            return Err(ExpireCause::BelowOneLot);
        }
        if !order.order_type.is_market() {
            return Ok(wants); // it holds what it may cost
        }
        let account = &self.accounts[order.account.0 as usize];
        if account.extra.is_some() | market.fee_schedule.is_some() | (price.ticks() <= 0) {
            return self.takes_uncommon(market, order, price, wants);
        }
        let (base, quote) = (instrument.spec.base, instrument.spec.quote);
        let (free, cost) = match order.side {
            Side::Buy => (account.balance(quote).free, instrument.notional(price, wants)),
            Side::Sell => (account.balance(base).free, instrument.base_amount(wants)),
        };
        if cost <= free {
            return Ok(wants); // nearly always, and without a division
        }
        let affords = match order.side {
            Side::Buy => instrument.lots_for(free, price),
            Side::Sell => instrument.lots_in(free),
        };
        match affords {
            Qty::ZERO => Err(ExpireCause::BalanceExhausted),
            qty => Ok(qty),
        }
    }

    /// One match, at the maker's price.
    fn fill(&mut self, taker: &mut Order, front: Front, qty: Qty, events: &mut Vec<Event>) {
        self.foresee_makers(self.orders.nodes[front.node].next());
        let Self { markets, accounts, orders, now_ns, .. } = self;
        let market = &mut markets[taker.instrument.0 as usize];
        let Front { node, price, leaves_qty } = front;
        let quote = market.instrument.notional(price, qty);
        let mut maker = orders.order(node);
        count_fill(&mut maker, qty, quote, *now_ns);
        let mut reduced = None;
        if maker.terms.is_some() {
            reduced = Some(self.fill_special(node, &maker, qty, quote));
        } else {
            if qty == leaves_qty {
                market.index.remove(maker.order_id.0);
                orders.detach(&mut accounts[maker.account.0 as usize], node);
            } else {
                orders.count_fill(node, quote, *now_ns);
            }
            market.book.reduce(&mut orders.nodes, node, qty);
        }
        count_fill(taker, qty, quote, self.now_ns);
        let market = &mut self.markets[taker.instrument.0 as usize];
        if !taker.quote_order_qty.is_zero() {
            let next = market.best_price(taker.side.opposite());
            count_fill_by_quote(taker, &market.instrument, next);
        }

        market.note_price(price);
        market.trading.note_trade(price, qty, self.now_ns);
        let (instrument_seq, trade_id) = (market.next_seq(), market.next_trade_id());
        let base = market.instrument.base_amount(qty);
        let matched = Match { trade_id, price, qty, base, quote };
        let (for_maker, for_taker) = self.settle(&maker, taker, &matched);
        self.keep_trade((&maker).into(), true, &matched, &for_maker);
        self.keep_trade((&*taker).into(), false, &matched, &for_taker);
        tell(events, || {
            Event::TradeExecuted(TradeExecuted {
                instrument_seq,
                instrument: taker.instrument,
                trade_id,
                price,
                qty,
                quote,
                side: taker.side,
                maker: for_maker.fill(&maker),
                taker: for_taker.fill(taker),
            })
        });
        if let Some(reduced) = reduced {
            self.tell_less(&maker, qty, reduced, events);
        }
        if maker.status == OrderStatus::Filled {
            self.finish(&maker, events);
        }
        self.trade_in_list(&maker, events);
        self.trade_in_list(taker, events);
        if let Some(reduced) = reduced {
            self.tell_next(&maker, reduced, events);
        }
    }

    /// Moves the money of both sides, the fees to the venue.
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
        let fee_bps_x100 = match is_maker {
            true => rates.maker_fee_bps_x100,
            false => rates.taker_fee_bps_x100,
        };
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

    /// Keeps a trade where its account can ask for it.
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
        };
        account.trades.push(&trade, account.spec.trades_kept as usize);
    }

    fn rest(&mut self, order: &Order, events: &mut Vec<Event>) {
        if order.terms.is_some() {
            return self.rest_special(order, None, events);
        }
        let market = &mut self.markets[order.instrument.0 as usize];
        let leaves_qty = order.leaves_qty();
        let nodes = &mut self.orders.nodes;
        let node = market.book.rest(nodes, order.order_id, order.side, order.price, leaves_qty);
        market.index.insert(order.order_id.0, node);
        self.orders.attach(&mut self.accounts[order.account.0 as usize], node, order);
        let instrument_seq = market.next_seq();
        tell(events, || {
            Event::OrderRested(OrderRested {
                instrument_seq,
                instrument: order.instrument,
                order_id: order.order_id,
                side: order.side,
                price: order.price,
                leaves_qty,
            })
        });
        self.note_book(order.instrument);
    }
}

/// The order that a request asks for.
#[inline]
pub(crate) fn new_order(
    account: AccountId,
    request: &NewOrder,
    order_id: OrderId,
    now_ns: u64,
) -> Order {
    let (order_qty, quote_order_qty) = match request.size {
        OrderSize::Base(qty) => (qty, Amount::ZERO),
        OrderSize::Quote(amount) => (Qty::ZERO, amount),
    };
    Order {
        instrument: request.instrument,
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
        price: request.price,
        order_qty,
        quote_order_qty,
        cum_qty: Qty::ZERO,
        cum_quote: Amount::ZERO,
        created_ns: now_ns,
        updated_ns: now_ns,
        terms: order_terms(request),
    }
}

/// What an order has by its request's terms. One for the closing auction has some, even if it asks
/// for none: while it stands off the book, no reader may take it for a part of it.
#[inline]
fn order_terms(request: &NewOrder) -> Option<OrderTerms> {
    match request.time_in_force {
        TimeInForce::AtClose => Some(request.special()),
        _ => request.terms,
    }
    .map(|terms| OrderTerms { terms, ..OrderTerms::default() })
}

/// Why an order that stopped trading expires; `None` if it rests.
fn expiry(order: &Order, stop: &Stop) -> Option<ExpireCause> {
    let rests = !order.order_type.is_market() && order.time_in_force.may_rest();
    match stop {
        Stop::Unable(cause) => Some(*cause),
        Stop::Forbidden(cause) => (!rests).then_some(*cause),
        _ if order.order_type.is_market() => Some(ExpireCause::NoLiquidity),
        _ if order.time_in_force == TimeInForce::Ioc => Some(ExpireCause::ImmediateOrCancel),
        _ => None,
    }
}

pub(crate) fn count_fill(order: &mut Order, qty: Qty, quote: Amount, now_ns: u64) {
    order.cum_qty += qty;
    order.cum_quote += quote;
    order.updated_ns = now_ns;
    order.status = match order.cum_qty == order.order_qty {
        true => OrderStatus::Filled,
        false => OrderStatus::PartiallyFilled,
    };
}

/// An order by quote amount is filled when what is left of it trades no lot at the next price.
/// With nobody left it is not the rest that is too small: it has nobody to trade with.
fn count_fill_by_quote(order: &mut Order, instrument: &Instrument, next: Option<Price>) {
    let rest = order.quote_order_qty - order.cum_quote;
    if rest.is_zero() || next.is_some_and(|next| rest_by_quote(instrument, order, next).is_zero()) {
        order.status = OrderStatus::Filled;
        order.order_qty = order.cum_qty;
    }
}

/// The lots that what is left of an order by quote amount trades at `price`. It ends at the largest
/// quantity there is, however far its amount would reach.
pub(crate) fn rest_by_quote(instrument: &Instrument, order: &Order, price: Price) -> Qty {
    let lots = instrument.lots_for(order.quote_order_qty - order.cum_quote, price);
    lots.min(QTY_MAX - order.cum_qty)
}
