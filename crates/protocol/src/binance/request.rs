//! Requests, typed: each takes what it knows out of the parameters and refuses the rest.
//!
//! The order of checks is Binance's: each parameter by itself, then parameters that nobody asked
//! for, then what goes with what. Signed requests have been through [`sign::check_time`] before.
//!
//! [`sign::check_time`]: crate::binance::sign::check_time

mod history;
mod lookup;
mod market;
mod order;

use types::{ClOrdId, OrderId, OrderRef};

pub use self::history::{
    AggTradesRequest, AvgPriceRequest, DayTickerRequest, HistoricalTradesRequest, KlinesRequest,
    TickerType, TradingDayRequest, WindowTickerRequest,
};
pub use self::lookup::{
    AccountRequest, AllOrdersRequest, MyTradesRequest, OpenOrdersRequest, QueryOrderRequest, Times,
};
pub use self::market::{
    DepthRequest, ExchangeInfoRequest, Selection, TickerRequest, TradesRequest,
};
pub use self::order::{
    AmendOrderRequest, CancelAllRequest, CancelOrderRequest, NewOrderRequest, ReplaceOrderRequest,
    ResponseType, TestOrderRequest,
};
use crate::binance::{ApiError, Params};

pub const RESULTS_DEFAULT: usize = 500;
pub const RESULTS_MAX: usize = 1000;

/// Gives a name to an order or a cancel whose client gave none; see
/// [`generated_cl_ord_id`](crate::binance::generated_cl_ord_id).
pub type Generate<'a> = &'a mut dyn FnMut() -> ClOrdId;

/// An order by our id, the client's, or both. That one of them is there is for later to check:
/// the inner result.
fn order_ref(
    params: &mut Params,
    id_name: &str,
    cl_ord_id_name: &str,
) -> Result<Result<OrderRef, ApiError>, ApiError> {
    let order = OrderRef {
        order_id: params.integer(id_name)?.map(OrderId),
        cl_ord_id: params.cl_ord_id(cl_ord_id_name)?,
    };
    Ok(match order.order_id.is_none() && order.cl_ord_id.is_none() {
        true => Err(ApiError::either_mandatory(cl_ord_id_name, id_name)),
        false => Ok(order),
    })
}
