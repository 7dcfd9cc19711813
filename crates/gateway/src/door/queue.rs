//! The place of an account's orders in the queues at their prices.

use std::collections::HashMap;
use std::sync::Arc;

use engine::{Engine, QueuePart};
use tokio::time::{Instant, timeout_at};
use types::{Order, OrderId, Qty, Refused};

use crate::door::query::{Answered, QueryError};
use crate::door::shared::Door;
use crate::feed::queues::{MissingPart, NotYet, Part, QueueAt};

/// Orders that the engine reads for one part of an answer: some 20 us.
const READ_MAX: usize = 256;

impl Door {
    /// The displayed quantity that trades ahead of each of these orders at its price. Displayed
    /// orders trade ahead of a hidden one. `None` for an order that is not on the book.
    pub(crate) async fn ahead(&self, orders: &[Order]) -> Answered<HashMap<OrderAt, Qty>> {
        let (hidden, displayed): (Vec<&Order>, Vec<&Order>) =
            orders.iter().partition(|order| order.terms.is_some_and(|terms| terms.terms.hidden));
        let deadline = Instant::now() + self.settings.answer_timeout;
        let of_hidden = self.displayed_at(hidden.into_iter().map(order_at).collect());
        let of_displayed = self.ahead_in_queues(displayed.into_iter().map(order_at).collect());
        let both = async { Ok((of_hidden.await?, of_displayed.await?)) };
        let (hidden, displayed) =
            timeout_at(deadline, both).await.map_err(|_| QueryError::TimedOut)??;
        Ok(hidden.into_iter().chain(displayed).collect())
    }

    async fn displayed_at(&self, orders: Vec<OrderAt>) -> Answered<Vec<(OrderAt, Qty)>> {
        if orders.is_empty() {
            return Ok(Vec::new());
        }
        self.ask_views(move |views, _| {
            let qty = |order: OrderAt| {
                let (at, _) = order;
                let book = &views.instrument(at.instrument)?.book;
                Some((order, book.qty_at(at.side, at.price)))
            };
            orders.into_iter().filter_map(qty).collect()
        })
        .await
    }

    async fn ahead_in_queues(&self, orders: Vec<OrderAt>) -> Answered<Vec<(OrderAt, Qty)>> {
        let orders: Arc<[OrderAt]> = orders.into();
        while !orders.is_empty() {
            let (queues, asked) = (Arc::clone(&self.queues), Arc::clone(&orders));
            match self.ask_views(move |_, _| queues.ahead(&asked)).await? {
                Ok(ahead) => {
                    let found = |(order, ahead): (&OrderAt, Option<Qty>)| Some((*order, ahead?));
                    return Ok(orders.iter().zip(ahead).filter_map(found).collect());
                }
                Err(NotYet::Missing(missing)) => self.read_parts(missing).await?,
                Err(NotYet::TooMany) => return Err(QueryError::Refused(Refused::Overloaded)),
            }
        }
        Ok(Vec::new())
    }

    /// Has the engine read parts of queues, and the publisher take them. The engine hands them over
    /// itself, so that they come behind all events that it has applied, and ahead of all others.
    async fn read_parts(&self, missing: Vec<MissingPart>) -> Answered<()> {
        let (handle, queues) = (self.handle.clone(), Arc::clone(&self.queues));
        let taken = self
            .ask_engine(move |engine| {
                let parts = parts_of(engine, &missing);
                handle.read_views(move |_, _| queues.take_parts(&parts))
            })
            .await?;
        self.answered(taken).await
    }
}

/// An order and where it is to be found.
pub(crate) type OrderAt = (QueueAt, OrderId);

pub(crate) fn order_at(order: &Order) -> OrderAt {
    (QueueAt::of(order), order.order_id)
}

/// As many of the parts as one reading takes.
fn parts_of(engine: &Engine, missing: &[MissingPart]) -> Vec<Part> {
    let mut left = READ_MAX;
    let mut parts = Vec::new();
    for (at, behind) in missing {
        if left == 0 {
            break;
        }
        let QueuePart { orders, is_last } =
            engine.queue_part(at.instrument, (at.side, at.price), *behind, left);
        // A queue that ended costs something, too.
        left = left.saturating_sub(orders.len().max(1));
        parts.push(Part { of: (*at, *behind), orders, is_last });
    }
    parts
}
