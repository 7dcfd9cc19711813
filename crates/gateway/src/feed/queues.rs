//! Where open orders stand in the queues at their prices.
//!
//! The publisher's thread follows the queues that clients asked about in the last minute. What
//! rested before the first question comes in parts: the engine reads each, and it arrives between
//! the same two events that it was read between.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use marketdata::{BookUpdate, LevelQueue};
use types::{InstrumentId, Order, OrderId, Price, Qty, Side};

/// How long a queue is followed after the last question about it.
const FOLLOWED_FOR: Duration = Duration::from_secs(60);
/// Limits of what is followed: some 100 bytes an order.
const QUEUES_MAX: usize = 20_000;
const ORDERS_MAX: usize = 1_000_000;

/// One price of one side of a market.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(crate) struct QueueAt {
    pub(crate) instrument: InstrumentId,
    pub(crate) side: Side,
    pub(crate) price: Price,
}

impl QueueAt {
    pub(crate) fn of(order: &Order) -> Self {
        Self { instrument: order.instrument, side: order.side, price: order.price }
    }
}

/// A part of a queue that is to be read: behind that order.
pub(crate) type MissingPart = (QueueAt, Option<OrderId>);

/// Orders of a queue, each with its displayed quantity.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) of: MissingPart,
    pub(crate) orders: Vec<(OrderId, Qty)>,
    /// Whether it ends the queue.
    pub(crate) is_last: bool,
}

/// Why there is no answer yet.
#[derive(Debug)]
pub(crate) enum NotYet {
    Missing(Vec<MissingPart>),
    TooMany,
}

/// Only the publisher's thread uses the queues, so no thread waits for them.
#[derive(Debug, Default)]
pub(crate) struct SharedQueues {
    is_any: AtomicBool,
    queues: Mutex<Queues>,
}

#[derive(Debug, Default)]
struct Queues {
    followed: HashMap<QueueAt, Followed>,
    /// In all queues.
    orders: usize,
    look_again: Option<Instant>,
}

#[derive(Debug)]
struct Followed {
    queue: LevelQueue,
    asked: Instant,
}

impl SharedQueues {
    /// The quantity ahead of each order; `None` for one that is not in its queue.
    pub(crate) fn ahead(&self, asked: &[(QueueAt, OrderId)]) -> Result<Vec<Option<Qty>>, NotYet> {
        let now = Instant::now();
        let mut queues = self.queues();
        queues.drop_idle(now);
        let mut missing = HashMap::new();
        for (at, _) in asked {
            let Followed { queue, asked } = queues.follow(*at, now);
            *asked = now;
            if !queue.is_complete() {
                missing.insert(*at, queue.behind());
            }
        }
        let is_full = queues.is_full();
        if is_full {
            asked.iter().for_each(|(at, _)| queues.forget(at));
        }
        self.is_any.store(!queues.followed.is_empty(), Ordering::Relaxed);
        if is_full {
            return Err(NotYet::TooMany);
        }
        if !missing.is_empty() {
            return Err(NotYet::Missing(missing.into_iter().collect()));
        }
        let ahead = |(at, order_id): &(QueueAt, OrderId)| {
            queues.followed.get_mut(at).and_then(|followed| followed.queue.ahead(*order_id))
        };
        Ok(asked.iter().map(ahead).collect())
    }

    pub(crate) fn take_parts(&self, parts: &[Part]) {
        let mut queues = self.queues();
        for Part { of: (at, behind), orders, is_last } in parts {
            queues.change(at, |queue| queue.take_part(*behind, orders, *is_last));
        }
    }

    /// On each event that changes the displayed book.
    pub(crate) fn apply(&self, update: &BookUpdate) {
        if !self.is_any.load(Ordering::Relaxed) {
            return;
        }
        let Some(change) = update.level else { return };
        let at = QueueAt { instrument: update.instrument, side: change.side, price: change.price };
        self.queues().change(&at, |queue| queue.apply(change.order_id, change.order));
    }

    /// After each batch.
    pub(crate) fn batch_done(&self, now: Instant) {
        if self.is_any.load(Ordering::Relaxed) {
            let mut queues = self.queues();
            queues.drop_idle(now);
            self.is_any.store(!queues.followed.is_empty(), Ordering::Relaxed);
        }
    }

    fn queues(&self) -> MutexGuard<'_, Queues> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queues {
    fn follow(&mut self, at: QueueAt, now: Instant) -> &mut Followed {
        let begin = || Followed { queue: LevelQueue::default(), asked: now };
        self.followed.entry(at).or_insert_with(begin)
    }

    fn change(&mut self, at: &QueueAt, change: impl FnOnce(&mut LevelQueue)) {
        let Some(Followed { queue, .. }) = self.followed.get_mut(at) else { return };
        let before = queue.len();
        change(queue);
        self.orders = self.orders - before + queue.len();
    }

    fn forget(&mut self, at: &QueueAt) {
        if let Some(followed) = self.followed.remove(at) {
            self.orders -= followed.queue.len();
        }
    }

    fn is_full(&self) -> bool {
        self.followed.len() > QUEUES_MAX || self.orders > ORDERS_MAX
    }

    fn drop_idle(&mut self, now: Instant) {
        if self.look_again.is_some_and(|at| now < at) {
            return;
        }
        let idle = |_: &QueueAt, followed: &mut Followed| now - followed.asked >= FOLLOWED_FOR;
        let forgotten: usize =
            self.followed.extract_if(idle).map(|(_, followed)| followed.queue.len()).sum();
        self.orders -= forgotten;
        self.look_again = Some(now + FOLLOWED_FOR / 10);
    }
}
