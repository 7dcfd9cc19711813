//! Unfilled order counts: an account's order limits, and the orders that count against them.

use axum::http::{HeaderMap, HeaderName};
use protocol::binance::request::NoParams;
use protocol::binance::response::{Interval, OrderCount, RateLimit, RateLimitType};
use protocol::signed::ApiError;
use types::AccountId;

use crate::binance::call::{Answer, KeyedCall};
use crate::clock::now_ns;
use crate::door::query::Answered;
use crate::door::shared::Door;
use crate::socket::http::number;

const NS_PER_SECOND: u64 = 1_000_000_000;
const WINDOW_S: u64 = 10;
const DAY_S: u64 = 86_400;
const TOO_MANY_ORDERS: i32 = -1015;

/// One for each interval, in the order of [`counts_of`].
pub(crate) const COUNT_HEADERS: [HeaderName; 2] = [
    HeaderName::from_static("x-mbx-order-count-10s"),
    HeaderName::from_static("x-mbx-order-count-1d"),
];

/// `GET /api/v3/rateLimit/order`: the account's limits, and its orders in the current windows.
pub(crate) async fn order_counts(call: KeyedCall, _: NoParams) -> Answer<Vec<OrderCount>> {
    let found = counts_of(&call.shared.door, call.signer.account).await?;
    Ok(found.ok_or_else(ApiError::api_key_rejected)?)
}

/// The limits that are set for an account; `None` if there is no such account.
pub(crate) async fn counts_of(
    door: &Door,
    account: AccountId,
) -> Answered<Option<Vec<OrderCount>>> {
    let Some((risk, rate)) = door.order_rate(account).await? else { return Ok(None) };
    // The engine's time stops between events.
    let now_s = now_ns() / NS_PER_SECOND;
    let still = |counted: u64, now: u64, count: u32| if counted < now { 0 } else { count };
    let count = |interval, interval_num, limit, count| {
        let rate_limit_type = RateLimitType::Orders;
        OrderCount { limit: RateLimit { rate_limit_type, interval, interval_num, limit }, count }
    };
    let in_window = still(rate.window, now_s / WINDOW_S, rate.in_window);
    let in_day = still(rate.day, now_s / DAY_S, rate.in_day);
    let counts = [
        count(Interval::Second, 10, risk.max_orders_per_10s, in_window),
        count(Interval::Day, 1, risk.max_orders_per_day, in_day),
    ];
    Ok(Some(counts.into_iter().filter(|count| count.limit.limit > 0).collect()))
}

pub(crate) fn add_headers(headers: &mut HeaderMap, counts: &[OrderCount]) {
    let [per_window, per_day] = COUNT_HEADERS;
    for OrderCount { limit, count } in counts {
        let name = if is_daily(limit) { per_day.clone() } else { per_window.clone() };
        headers.insert(name, number(*count));
    }
}

/// Whether an error is the engine's refusal of an order above a limit, without its figures.
pub(crate) fn is_limit(error: &ApiError) -> bool {
    error.code == TOO_MANY_ORDERS
}

/// The error with the figures of the limit that is reached, and the end of its interval.
pub(crate) fn limit_reached(error: ApiError, counts: &[OrderCount]) -> ApiError {
    let left = |count: &&OrderCount| count.limit.limit.saturating_sub(count.count);
    // The longer interval, if both are reached.
    let Some(OrderCount { limit, .. }) = counts.iter().rev().min_by_key(left) else { return error };
    let (interval, interval_s) =
        if is_daily(limit) { ("1 DAY", DAY_S) } else { ("10 SECOND", WINDOW_S) };
    let now_s = now_ns() / NS_PER_SECOND;
    let retry_after_s = Some(interval_s - now_s % interval_s);
    let reason = error.reason;
    ApiError { reason, retry_after_s, ..ApiError::too_many_orders(limit.limit, interval) }
}

/// [`limit_reached`] for an account's own error; others stay as they are.
pub(crate) async fn explain(door: &Door, account: AccountId, error: ApiError) -> ApiError {
    if !is_limit(&error) {
        return error;
    }
    match counts_of(door, account).await {
        Ok(Some(counts)) => limit_reached(error, &counts),
        // The refusal itself is certain.
        Ok(None) | Err(_) => error,
    }
}

const fn is_daily(limit: &RateLimit) -> bool {
    matches!(limit.interval, Interval::Day)
}
