//! The parts of a plain order's path, one on top of the other, for the ablation in benches.
//!
//! The parts are those of the fast path, `plain.rs` and `fill.rs`; they run without its checks of
//! what is plain, and without deferred work, sessions and followers. So a whole engine costs as
//! much as the highest stack, and what these checks cost.
//!
//! An engine that took such a step must not be used for anything else.

use types::{
    AccountId, CancelCause, CancelOrder, Command, Entry, Event, ExpireCause, NewOrder, Order,
    OrderAccepted, OrderCanceled, OrderExpired, OrderRested, OrderSize, OrderStatus, Qty,
    TimeInForce, TradeExecuted,
};

use crate::rules::event::emit;
use crate::rules::matching::enter::new_order;
use crate::rules::matching::fill::Tab;
use crate::rules::matching::matched::{Match, count_fill};
use crate::state::Engine;
use crate::state::holds::held_at;
use crate::state::orders::record::OpenId;

/// The heights of the stack. Each includes the parts below; all include the book, with its index
/// from ids to orders.
#[doc(hidden)]
impl Engine {
    /// Records of open orders: client ids, the lists of accounts.
    pub const STACK_RECORDS: u8 = 1;
    /// Balances: the hold of an order, its release.
    pub const STACK_HOLDS: u8 = 2;
    /// The money and the fees of trades.
    pub const STACK_FEES: u8 = 3;
    pub const STACK_EVENTS: u8 = 4;

    /// Carries out a new order or a cancel up to a height, and returns the number of its trades.
    #[inline(always)]
    pub fn step_in_stack<const HEIGHT: u8>(
        &mut self,
        now_ns: u64,
        entry: &Entry,
        events: &mut Vec<Event>,
    ) -> u64 {
        self.sequence += 1;
        self.now_ns = now_ns;
        match &entry.command {
            Command::NewOrder(order) => {
                self.stack_new::<HEIGHT>(entry.envelope.account, order, events)
            }
            Command::CancelOrder(cancel) => {
                self.stack_cancel::<HEIGHT>(cancel, events);
                0
            }
            _ => 0,
        }
    }

    #[inline(always)]
    fn stack_new<const HEIGHT: u8>(
        &mut self,
        account_id: AccountId,
        request: &NewOrder,
        events: &mut Vec<Event>,
    ) -> u64 {
        let NewOrder { instrument, side, price, size, .. } = *request;
        let OrderSize::Base(qty) = size else { return 0 };
        let at = instrument.0 as usize;
        let market = &mut self.markets[at];
        let account = &mut self.accounts[account_id.0 as usize];
        if HEIGHT >= Self::STACK_HOLDS {
            let (asset, cost) = held_at(&market.instrument, side, price, qty);
            assert!(cost <= account.balance(asset).free, "accounts have enough");
            account.set_aside(asset, cost);
        }
        let order_id = market.next_order_id();
        let mut order = new_order(account_id, request, order_id, self.now_ns);
        if HEIGHT >= Self::STACK_EVENTS {
            let (account_seq, instrument_seq) = (account.next_seq(), market.next_seq());
            emit(events, || {
                Event::OrderAccepted(OrderAccepted { account_seq, instrument_seq, order })
            });
        }
        let trades = self.stack_trade::<HEIGHT>(&mut order, events);
        let leaves_qty = order.order_qty - order.cum_qty;
        if leaves_qty.is_zero() {
            return trades;
        }
        let market = &mut self.markets[at];
        let account = &mut self.accounts[account_id.0 as usize];
        if order.time_in_force == TimeInForce::Gtc {
            let nodes = &mut self.orders.nodes;
            let node = market.book.rest(nodes, order_id, side, price, leaves_qty);
            market.index.insert(order_id.0, node);
            if HEIGHT >= Self::STACK_RECORDS && trades == 0 {
                let open = OpenId { account: account_id, instrument, order_id, side };
                let name = self.orders.sought(account_id, instrument, &request.cl_ord_id);
                self.orders.attach_plain(account, node, open, request, qty, &name, self.now_ns);
            } else if HEIGHT >= Self::STACK_RECORDS {
                self.orders.attach(account, node, &order);
            }
            if HEIGHT >= Self::STACK_EVENTS {
                let instrument_seq = market.next_seq();
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
            }
            return trades;
        }
        self.stack_expire::<HEIGHT>(order, leaves_qty, events);
        trades
    }

    #[inline(always)]
    fn stack_expire<const HEIGHT: u8>(
        &mut self,
        mut order: Order,
        leaves_qty: Qty,
        events: &mut Vec<Event>,
    ) {
        let market = &mut self.markets[order.instrument.0 as usize];
        let account = &mut self.accounts[order.account.0 as usize];
        if HEIGHT >= Self::STACK_HOLDS {
            let (asset, amount) = held_at(&market.instrument, order.side, order.price, leaves_qty);
            account.give_back(asset, amount);
        }
        if HEIGHT >= Self::STACK_EVENTS {
            let (account_seq, instrument_seq) = (account.next_seq(), market.next_seq());
            order.status = OrderStatus::Expired;
            emit(events, || {
                Event::OrderExpired(OrderExpired {
                    account_seq,
                    instrument_seq,
                    order,
                    cause: ExpireCause::ImmediateOrCancel,
                    prevented: None,
                })
            });
        }
    }

    #[inline(always)]
    fn stack_trade<const HEIGHT: u8>(&mut self, taker: &mut Order, events: &mut Vec<Event>) -> u64 {
        let at = taker.instrument.0 as usize;
        let mut tab = Tab::new(&self.markets[at].instrument.spec, taker.side);
        let mut trades = 0;
        while taker.cum_qty < taker.order_qty
            && let Some(front) =
                self.markets[at].book.front_for(&self.orders.nodes, taker.side, taker.price)
        {
            let market = &mut self.markets[at];
            let qty = front.leaves_qty.min(taker.order_qty - taker.cum_qty);
            let instrument = &market.instrument;
            let (base, quote) =
                (instrument.base_amount(qty), instrument.notional(front.price, qty));
            let (instrument_seq, trade_id) = (market.next_seq(), market.next_trade_id());
            let matched = Match { trade_id, price: front.price, qty, base, quote };
            count_fill(taker, qty, quote, self.now_ns);
            trades += 1;
            if HEIGHT >= Self::STACK_FEES {
                let maker = self.orders.open_id(front.node);
                let for_maker = self.settle_maker(maker, &matched, &mut tab);
                let for_taker = self.settle_taker(taker, &matched, &mut tab);
                if HEIGHT >= Self::STACK_EVENTS {
                    let end = self.maker_after(front.node, &matched);
                    let orders = &self.orders;
                    emit(events, || {
                        Event::TradeExecuted(TradeExecuted {
                            instrument_seq,
                            instrument: taker.instrument,
                            trade_id,
                            price: front.price,
                            qty,
                            quote,
                            side: taker.side,
                            maker: for_maker.fill_plain(orders.after(front.node, &end)),
                            taker: for_taker.fill_plain(Order { terms: None, ..*taker }),
                        })
                    });
                }
            }
            let market = &mut self.markets[at];
            if qty < front.leaves_qty {
                if HEIGHT >= Self::STACK_RECORDS {
                    self.orders.count_fill(front.node, quote, self.now_ns);
                }
                market.book.reduce(&mut self.orders.nodes, front.node, qty);
            } else {
                market.index.remove(self.orders.order_id(front.node).0);
                if HEIGHT >= Self::STACK_RECORDS {
                    let owner = self.orders.record(front.node).account;
                    self.orders.detach(&mut self.accounts[owner.0 as usize], front.node);
                }
                market.book.remove(&mut self.orders.nodes, front.node);
            }
        }
        if HEIGHT >= Self::STACK_FEES && trades > 0 {
            self.book_tab(taker.account, &tab);
        }
        trades
    }

    #[inline(always)]
    fn stack_cancel<const HEIGHT: u8>(&mut self, cancel: &CancelOrder, events: &mut Vec<Event>) {
        let at = cancel.instrument.0 as usize;
        let market = &mut self.markets[at];
        let order_id = cancel.order.order_id.expect("cancels are by id");
        let node = market.index.get(order_id.0).expect("it rests");
        if HEIGHT >= Self::STACK_RECORDS {
            let owner = self.orders.record(node).account;
            let account = &mut self.accounts[owner.0 as usize];
            if HEIGHT >= Self::STACK_HOLDS {
                let (side, price) = (self.orders.side(node), self.orders.price(node));
                let leaves_qty = self.orders.nodes[node].leaves_qty();
                let (asset, amount) = held_at(&market.instrument, side, price, leaves_qty);
                account.give_back(asset, amount);
            }
            if HEIGHT >= Self::STACK_EVENTS {
                let (account_seq, instrument_seq) = (account.next_seq(), market.next_seq());
                let (orders, updated_ns) = (&self.orders, self.now_ns);
                emit(events, || {
                    let order = orders.order(node);
                    let canceled_qty: Qty = order.leaves_qty();
                    let order = Order { status: OrderStatus::Canceled, updated_ns, ..order };
                    Event::OrderCanceled(OrderCanceled {
                        account_seq,
                        instrument_seq,
                        order,
                        canceled_qty,
                        cl_ord_id: cancel.cl_ord_id,
                        cause: CancelCause::Requested,
                    })
                });
            }
            self.orders.detach(account, node);
        }
        market.index.remove(order_id.0);
        market.book.remove(&mut self.orders.nodes, node);
    }
}
