//! Which answers of a read model that is behind are final: no event that it lacks can change them.

use types::{Order, OrderList, OrderListStatus};

use crate::question::{
    AggTrades, AllOrderLists, AllOrders, Answer, AuditTrail, HistoricalTrades, OrderFilter,
    OrdersInAll, PreventedFilter, Question, Times, Transfers,
};

/// Whether the answer stays as it is. The read model has all events that were sequenced before
/// `up_to_ns`; commands of one batch have one time, so of that time it may lack some.
///
/// The trades of an account are never final: an operator may still bust or correct them.
pub(crate) fn is_settled(question: &Question, answer: &Answer, up_to_ns: u64) -> bool {
    match (question, answer) {
        (Question::Klines(asked), Answer::Klines(candles)) => {
            let ends = |open_ns| asked.interval.end_ns(asked.zone, open_ns) <= up_to_ns;
            let is_full = asked.times.start_ns.is_some() && candles.len() >= asked.limit;
            match candles.last() {
                Some(last) if is_full => ends(last.open_ns),
                _ => asked.times.end_ns.is_some_and(ends),
            }
        }
        (Question::AllOrders(AllOrders { filter, .. }), Answer::AllOrders(orders)) => {
            let OrderFilter { from_id, times, limit } = *filter;
            let is_full = is_full(from_id.is_some(), times, limit, orders.len());
            (is_full || has_ended(times, up_to_ns)) && orders.iter().all(is_ended)
        }
        (Question::OrdersInAll(asked), Answer::OrdersInAll(orders)) => {
            orders_in_all_are_settled(asked, orders, up_to_ns)
        }
        // Another order may have taken the name since.
        (Question::OneOrder(asked), Answer::OneOrder(Some(order))) => {
            asked.order.order_id.is_some() && is_ended(order)
        }
        (Question::ExpireCauses(asked), Answer::ExpireCauses(found)) => {
            found.len() == asked.orders.len()
        }
        (Question::AnyOrder(_), Answer::AnyOrder(Some(order))) => is_ended(order),
        (Question::Amendments(asked), Answer::Amendments(found)) => found.len() >= asked.limit,
        (Question::OneOrderList(asked), Answer::OneOrderList(Some(list))) => {
            asked.order_list.is_some() && is_done(list)
        }
        (Question::AllOrderLists(AllOrderLists { filter, .. }), Answer::AllOrderLists(lists)) => {
            let is_full =
                is_full(filter.from_id.is_some(), filter.times, filter.limit, lists.len());
            (is_full || has_ended(filter.times, up_to_ns)) && lists.iter().all(is_done)
        }
        (Question::PreventedMatches(asked), Answer::PreventedMatches(found)) => {
            match asked.filter {
                PreventedFilter::One(_) => !found.is_empty(),
                PreventedFilter::OfOrder { limit, .. } => found.len() >= limit,
            }
        }
        (
            Question::HistoricalTrades(HistoricalTrades { from_id, limit, .. }),
            Answer::HistoricalTrades(trades),
        ) => from_id.is_some() && trades.len() >= *limit,
        // The command that made the last one may go on.
        (Question::AggTrades(AggTrades { filter, .. }), Answer::AggTrades(trades)) => {
            let is_full =
                is_full(filter.from_id.is_some(), filter.times, filter.limit, trades.len());
            let is_past = trades.last().is_some_and(|last| last.traded_ns < up_to_ns);
            has_ended(filter.times, up_to_ns) || (is_full && is_past)
        }
        (Question::Transfers(Transfers { filter, .. }), Answer::Transfers(found)) => {
            // A transfer of another status may have come to this one.
            has_ended(filter.times, up_to_ns)
                && filter.status.is_none()
                && found.iter().all(|transfer| transfer.ended_ns > 0)
        }
        (
            Question::AuditTrail(AuditTrail { from, times, limit, .. }),
            Answer::AuditTrail(found),
        ) => {
            let is_full = is_full(from.is_some(), *times, *limit, found.len());
            let is_past = found.last().is_some_and(|last| last.sequenced_ns < up_to_ns);
            has_ended(*times, up_to_ns) || (is_full && is_past)
        }
        _ => false,
    }
}

/// At the time of the last one, another instrument may have more.
fn orders_in_all_are_settled(asked: &OrdersInAll, orders: &[Order], up_to_ns: u64) -> bool {
    let is_full = is_full(false, asked.times, asked.limit, orders.len());
    let is_past = orders.last().is_some_and(|last| last.created_ns < up_to_ns);
    let is_whole = (is_full && is_past) || has_ended(asked.times, up_to_ns);
    is_whole && orders.iter().all(is_ended)
}

/// Whether a page that begins at a place of its own has no room for later rows.
fn is_full(from_id: bool, times: Times, limit: usize, rows: usize) -> bool {
    (from_id || times.start_ns.is_some()) && rows >= limit
}

fn has_ended(times: Times, up_to_ns: u64) -> bool {
    times.end_ns.is_some_and(|end_ns| end_ns < up_to_ns)
}

fn is_ended(order: &Order) -> bool {
    !order.status.is_open()
}

fn is_done(list: &OrderList) -> bool {
    list.status == OrderListStatus::AllDone
}
