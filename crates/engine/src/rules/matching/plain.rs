//! The fast path of plain orders.
//!
//! Most orders, accounts and instruments have nothing special. The fast path handles such an order
//! with one access to each record. Its results equal those of the slow path, `check.rs` to
//! `ending.rs`, which all other orders take. `fill.rs` has the trades of the fast path.
//!
//! These functions are inlined into [`Engine::apply`]. Otherwise the compiler makes calls of them,
//! and passes values through memory instead of registers.

use types::{
    AccountId, Amount, AssetId, CancelCause, ClOrdId, Event, NewOrder, Order, OrderAccepted,
    OrderCanceled, OrderId, OrderRested, OrderSize, OrderStatus, OrderType, Qty, TimeInForce,
};

use crate::book::node::NodeId;
use crate::rules::event::emit;
use crate::rules::matching::enter::new_order;
use crate::state::Engine;
use crate::state::holds::held_at;
use crate::state::orders::finished::{End, FinishedOrder};
use crate::state::orders::record::OpenId;
use crate::state::orders::record::Sought;

/// A new order that passed the fast checks.
pub(super) struct FastChecked {
    qty: Qty,
    asset: AssetId,
    cost: Amount,
    name: Sought,
    /// It rests without a trade.
    rests: bool,
}

impl Engine {
    /// Runs the fast checks of a new order. `None` does not refuse the order: then the ladder
    /// decides.
    #[inline(always)]
    pub(super) fn fast_path(&self, account_id: AccountId, order: &NewOrder) -> Option<FastChecked> {
        let market = self.market(order.instrument)?;
        let account = self.account(account_id)?;
        let OrderSize::Base(qty) = order.size else { return None };
        let (time_in_force, price) = (order.time_in_force, order.price);
        let is_plain = order.order_type == OrderType::Limit
            && matches!(time_in_force, TimeInForce::Gtc | TimeInForce::Ioc | TimeInForce::Fok)
            && order.terms.is_none()
            && account.extra.is_none()
            && market.trading.is_plain
            && market.fee_schedule.is_none()
            && !self.is_halted();
        let spec = &market.instrument.spec;
        let open_here = account.open_orders_in(order.instrument);
        let fits = (spec.min_price <= price)
            & (price <= spec.max_price)
            & (spec.min_qty <= qty)
            & (qty <= spec.max_qty)
            & (open_here < spec.max_open_orders)
            & (account.open_orders < account.spec.max_open_orders);
        if !is_plain || !fits {
            return None;
        }
        let notional = market.instrument.notional(price, qty);
        let (asset, cost) = held_at(&market.instrument, order.side, price, qty);
        let is_fine = (notional > Amount::ZERO)
            & (spec.min_notional <= notional)
            & (notional <= spec.max_notional)
            & (cost <= account.balance(asset).free);
        let name = self.orders.sought(account_id, order.instrument, &order.cl_ord_id);
        let namesake =
            self.orders.find_named(account_id, order.instrument, &order.cl_ord_id, &name);
        if !is_fine || namesake.is_some() {
            return None;
        }
        debug_assert_eq!(self.check_new_order(account_id, order), Ok(()));
        let best = market.best_price(order.side.opposite());
        let crosses = best.is_some_and(|best| order.side.crosses(price, best));
        let rests = time_in_force == TimeInForce::Gtc
            && !crosses
            && order.strategy_id.is_none()
            && order.strategy_type.is_none();
        Some(FastChecked { qty, asset, cost, name, rests })
    }

    /// [`Engine::fast_path`] for callers that only need to know whether the ladder is needless.
    #[inline(never)]
    pub(super) fn passes_fast_path(&self, account: AccountId, order: &NewOrder) -> bool {
        self.fast_path(account, order).is_some()
    }

    #[inline(always)]
    pub(super) fn take_plain(
        &mut self,
        account_id: AccountId,
        request: &NewOrder,
        checked: &FastChecked,
        events: &mut Vec<Event>,
    ) {
        let market = &mut self.markets[request.instrument.0 as usize];
        let account = &mut self.accounts[account_id.0 as usize];
        account.set_aside(checked.asset, checked.cost);
        let order_id = market.next_order_id();
        if !checked.rests {
            return self.enter_plain(account_id, request, order_id, events);
        }
        let (account_seq, instrument_seq) = (account.next_seq(), market.next_seq());
        let now_ns = self.now_ns;
        emit(events, || {
            let order = new_order(account_id, request, order_id, now_ns);
            Event::OrderAccepted(OrderAccepted { account_seq, instrument_seq, order })
        });
        let NewOrder { instrument, side, price, .. } = *request;
        let nodes = &mut self.orders.nodes;
        let node = market.book.rest(nodes, order_id, side, price, checked.qty);
        market.index.insert(order_id.0, node);
        let open = OpenId { account: account_id, instrument, order_id, side };
        self.orders.attach_plain(account, node, open, request, checked.qty, &checked.name, now_ns);
        let instrument_seq = market.next_seq();
        let leaves_qty = checked.qty;
        emit(events, || {
            Event::OrderRested(OrderRested {
                instrument_seq,
                instrument,
                order_id,
                side,
                price,
                leaves_qty,
            })
        });
        self.bind_to_session(open);
        self.touch(instrument);
    }

    /// A plain order that trades at once, or does not rest.
    #[inline(never)]
    fn enter_plain(
        &mut self,
        account: AccountId,
        request: &NewOrder,
        order_id: OrderId,
        events: &mut Vec<Event>,
    ) {
        let market = &self.markets[request.instrument.0 as usize];
        if let Some(front) = market.front(&self.orders.nodes, request.side.opposite()) {
            self.prefetch_makers(front.node);
        }
        let mut order = new_order(account, request, order_id, self.now_ns);
        self.emit_accepted(&order, events);
        self.enter_new(&mut order, events);
    }

    /// Cancels a plain order. Returns `false` without a change if the order is not plain.
    #[inline(always)]
    pub(crate) fn cancel_plain(
        &mut self,
        node: NodeId,
        cl_ord_id: ClOrdId,
        cause: CancelCause,
        events: &mut Vec<Event>,
    ) -> bool {
        let record = *self.orders.record(node);
        let account = &mut self.accounts[record.account.0 as usize];
        if !record.is_plain() || account.extra.is_some() {
            return false;
        }
        let market = &mut self.markets[record.instrument.0 as usize];
        let open = self.orders.open_id(node);
        let canceled_qty = record.order_qty;
        let (asset, amount) = held_at(&market.instrument, open.side, record.price, canceled_qty);
        account.give_back(asset, amount);
        let (account_seq, instrument_seq) = (account.next_seq(), market.next_seq());
        let (orders, now_ns) = (&self.orders, self.now_ns);
        let canceled = || {
            let order = orders.order_without_extra(node);
            Order { status: OrderStatus::Canceled, updated_ns: now_ns, ..order }
        };
        emit(events, || {
            Event::OrderCanceled(OrderCanceled {
                account_seq,
                instrument_seq,
                order: canceled(),
                canceled_qty,
                cl_ord_id,
                cause,
            })
        });
        let kept = account.spec.finished_orders_kept as usize;
        if kept > 0 {
            let end = End {
                status: OrderStatus::Canceled,
                cum_qty: Qty::ZERO,
                cum_quote: Amount::ZERO,
                updated_ns: now_ns,
            };
            match FinishedOrder::ended(open, &record, &end) {
                Some(brief) => account.finished.push_brief(Some(brief), kept),
                None => account.finished.push(&canceled(), kept),
            }
        }
        market.index.remove(open.order_id.0);
        self.orders.unlink(account, node, &record);
        market.book.remove(&mut self.orders.nodes, node);
        self.sessions.forget(open);
        self.mark_book_changed(open.instrument);
        self.touch(open.instrument);
        true
    }
}
