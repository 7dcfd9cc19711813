//! What a strategy sees and may do: its books, orders, positions and clock, and requests.
//!
//! All of it is the strategy's own view. The market may be ahead of it by the latency of feed and
//! answers, in a back-test as live. A request passes the risk limits before it leaves.

mod open_orders;
mod timers;

use types::{OrderId, Price, Qty, Side};

pub(crate) use self::open_orders::OpenOrders;
pub(crate) use self::timers::Timers;
use crate::account::{Account, Fees};
use crate::book::Book;
use crate::instrument::Instrument;
use crate::order::{Action, Answer, Fill, NewOrder, Order, Outcome, Pending, Request, base_id};
use crate::risk::{Refusal, Risk, RiskLimits};

/// The strategy's view of one instrument.
#[derive(Clone, Debug)]
pub(crate) struct View {
    pub(crate) instrument: Instrument,
    pub(crate) book: Book,
    pub(crate) account: Account,
    pub(crate) last_price: Option<Price>,
    /// The mark of open positions, times two: the middle of the book, else the last price.
    pub(crate) twice_mark: Option<i64>,
}

impl View {
    #[inline]
    pub(crate) fn twice_mark(&self) -> Option<i64> {
        let last = || self.last_price.map(|price| price.ticks() * 2);
        self.book.twice_mid().or(self.twice_mark).or_else(last)
    }
}

/// Given to each call-back of a [`crate::Strategy`].
#[derive(Clone, Debug)]
pub struct Context {
    pub(crate) now_ns: i64,
    pub(crate) views: Vec<View>,
    pub(crate) orders: OpenOrders,
    pub(crate) timers: Timers,
    pub(crate) risk: Risk,
    pub(crate) outbox: Vec<Request>,
    pub(crate) fees: Fees,
    last_id: u64,
    refused: u64,
    last_refusal: Option<Refusal>,
}

impl Context {
    pub(crate) fn new(instruments: Vec<Instrument>, fees: Fees, limits: RiskLimits) -> Self {
        Self::of_account(0, instruments, fees, limits)
    }

    /// Of one of several accounts in a run. Their orders' ids differ.
    pub(crate) fn of_account(
        account: usize,
        instruments: Vec<Instrument>,
        fees: Fees,
        limits: RiskLimits,
    ) -> Self {
        let view = |instrument| View {
            instrument,
            book: Book::default(),
            account: Account::default(),
            last_price: None,
            twice_mark: None,
        };
        Self {
            now_ns: 0,
            views: instruments.into_iter().map(view).collect(),
            orders: OpenOrders::default(),
            timers: Timers::default(),
            risk: Risk::new(limits),
            outbox: Vec::with_capacity(64),
            fees,
            last_id: base_id(account),
            refused: 0,
            last_refusal: None,
        }
    }

    /// Nanoseconds since 1970 UTC.
    pub fn now_ns(&self) -> i64 {
        self.now_ns
    }

    /// Instruments of the run.
    pub fn instruments(&self) -> impl ExactSizeIterator<Item = &Instrument> {
        self.views.iter().map(|view| &view.instrument)
    }

    pub fn instrument(&self, at: u16) -> &Instrument {
        &self.views[usize::from(at)].instrument
    }

    pub fn book(&self, at: u16) -> &Book {
        &self.views[usize::from(at)].book
    }

    pub fn last_price(&self, at: u16) -> Option<Price> {
        self.views[usize::from(at)].last_price
    }

    /// Lots, negative when short.
    pub fn position(&self, at: u16) -> i64 {
        self.views[usize::from(at)].account.position
    }

    /// Cash, fees and counts of one instrument.
    pub fn account(&self, at: u16) -> &Account {
        &self.views[usize::from(at)].account
    }

    /// Profit and loss of one instrument after fees, in quote units: cash and the position at the
    /// middle price.
    pub fn pnl(&self, at: u16) -> f64 {
        let view = &self.views[usize::from(at)];
        let twice = view.twice_mark().unwrap_or(0);
        view.account.equity(twice) as f64 / 1e8 * view.instrument.unit_value()
    }

    /// Open orders and those whose answer is on its way, in the order in which they were sent.
    pub fn open_orders(&self) -> &[Order] {
        self.orders.all()
    }

    pub fn order(&self, id: OrderId) -> Option<&Order> {
        self.orders.get(id)
    }

    /// Requests that the risk limits refused.
    pub fn refused(&self) -> u64 {
        self.refused
    }

    /// Why the last refused request was refused.
    pub fn last_refusal(&self) -> Option<Refusal> {
        self.last_refusal
    }

    /// Stops all further orders of the run. Cancels stay possible.
    pub fn kill(&mut self) {
        self.risk.kill();
    }

    pub fn send(&mut self, new: NewOrder) -> Result<OrderId, Refusal> {
        self.check(|context| context.risk_check(&new))?;
        self.last_id += 1;
        let id = OrderId(self.last_id);
        let NewOrder { instrument, side, price, qty, terms } = new;
        let order = Order {
            id,
            instrument,
            side,
            terms,
            price,
            leaves_qty: qty,
            cum_qty: Qty::from_lots(0),
            pending: Some(Pending::New),
            sent_ns: self.now_ns,
        };
        self.orders.insert(order);
        self.push(id, instrument, Action::New { side, price, qty, terms });
        Ok(id)
    }

    /// Changes price and remaining quantity. The order keeps its place in the queue only if its
    /// price stays and its quantity does not grow.
    pub fn replace(&mut self, id: OrderId, price: Price, qty: Qty) -> Result<(), Refusal> {
        self.check(|context| {
            let Order { instrument, side, terms, leaves_qty, .. } = context.answerable(id)?;
            let new = NewOrder { instrument, side, price, qty, terms };
            context.risk_check_beside(&new, leaves_qty)
        })?;
        let now_ns = self.now_ns;
        let order = self.orders.get_mut(id).expect("it was found");
        order.pending = Some(Pending::Replace);
        order.sent_ns = now_ns;
        let instrument = order.instrument;
        self.push(id, instrument, Action::Replace { price, qty });
        Ok(())
    }

    pub fn cancel(&mut self, id: OrderId) -> Result<(), Refusal> {
        self.check(|context| context.answerable(id).map(|_| ()))?;
        let now_ns = self.now_ns;
        let order = self.orders.get_mut(id).expect("it was found");
        order.pending = Some(Pending::Cancel);
        order.sent_ns = now_ns;
        let instrument = order.instrument;
        self.push(id, instrument, Action::Cancel);
        Ok(())
    }

    /// Calls [`crate::Strategy::on_timer`] with `timer` after all that happened up to `at_ns`.
    pub fn set_timer(&mut self, at_ns: i64, timer: u32) {
        self.timers.set(at_ns, timer);
    }

    fn push(&mut self, id: OrderId, instrument: u16, action: Action) {
        self.outbox.push(Request { id, instrument, sent_ns: self.now_ns, action });
    }

    fn check(
        &mut self,
        decide: impl FnOnce(&mut Self) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        let decided = decide(self);
        if let Err(refusal) = decided {
            self.refused += 1;
            self.last_refusal = Some(refusal);
        }
        decided
    }

    /// An order that a further request may name.
    fn answerable(&self, id: OrderId) -> Result<Order, Refusal> {
        let order = self.orders.get(id).ok_or(Refusal::OrderNotOpen)?;
        if order.pending.is_some() {
            return Err(Refusal::RequestPending);
        }
        Ok(*order)
    }

    fn risk_check(&mut self, new: &NewOrder) -> Result<(), Refusal> {
        self.risk_check_beside(new, Qty::from_lots(0))
    }

    /// Checks a new order, or one that takes the place of an open one with `replaced` left.
    fn risk_check_beside(&mut self, new: &NewOrder, replaced: Qty) -> Result<(), Refusal> {
        let Some(view) = self.views.get(usize::from(new.instrument)) else {
            return Err(Refusal::InstrumentUnknown);
        };
        let open = self.orders.open_lots(new.instrument, new.side) - replaced.lots();
        self.risk.check(self.now_ns, new, view, open)
    }

    /// Applies an answer of the market, and returns the fill if it is one.
    #[inline]
    pub(crate) fn apply(&mut self, answer: &Answer) -> Option<Fill> {
        let Some(order) = self.orders.get_mut(answer.id) else {
            debug_assert!(!matches!(answer.outcome, Outcome::Filled(_)), "a fill without an order");
            return None;
        };
        match answer.outcome {
            Outcome::Accepted => {
                order.pending = None;
                None
            }
            Outcome::Replaced { price, qty } => {
                order.pending = None;
                order.price = price;
                self.orders.set_leaves(answer.id, qty);
                None
            }
            Outcome::Rejected(_) if order.pending != Some(Pending::New) => {
                order.pending = None;
                None
            }
            Outcome::Canceled | Outcome::Expired(_) | Outcome::Rejected(_) => {
                self.orders.remove(answer.id);
                None
            }
            Outcome::Filled(execution) => {
                if order.pending == Some(Pending::New) {
                    order.pending = None;
                }
                order.cum_qty = Qty::from_lots(order.cum_qty.lots() + execution.qty.lots());
                let leaves_qty =
                    Qty::from_lots(order.leaves_qty.lots().saturating_sub(execution.qty.lots()));
                let (side, instrument) = (order.side, order.instrument);
                self.orders.set_leaves(answer.id, leaves_qty);
                if leaves_qty.is_zero() {
                    self.orders.remove(answer.id);
                }
                let fee = self.fees.fee(execution.price, execution.qty, execution.is_maker);
                let view = &mut self.views[usize::from(instrument)];
                let crate::order::Execution { price, qty, is_maker, cause, waited_ns } = execution;
                view.account.apply(side, price, qty, is_maker, fee);
                Some(Fill {
                    order_id: answer.id,
                    instrument,
                    side,
                    price,
                    qty,
                    leaves_qty,
                    is_maker,
                    cause,
                    exchange_ns: answer.exchange_ns,
                    local_ns: self.now_ns,
                    waited_ns,
                    fee,
                })
            }
        }
    }

    /// The profit and loss of all instruments after fees, in quote units.
    pub(crate) fn total_pnl(&self) -> f64 {
        (0..self.views.len()).map(|at| self.pnl(at as u16)).sum()
    }

    /// Open lots of own orders on one side.
    pub fn open_lots(&self, at: u16, side: Side) -> u64 {
        self.orders.open_lots(at, side)
    }
}
