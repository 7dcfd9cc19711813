//! Requests, typed: each takes what it knows out of the parameters and refuses the rest.
//!
//! The order of checks is Binance's: each parameter by itself, then parameters that are not known
//! for, then what goes with what. Signed requests have been through [`sign::check_time`] before.
//!
//! [`sign::check_time`]: crate::signed::sign::check_time

/// Requests whose parameters are taken one after the other, each with its type and its getter. What
/// goes with what is checked once no parameter is left.
macro_rules! requests {
    ($(
        $(#[$doc:meta])*
        $name:ident($params:ident $(, $markets:ident)?) {
            $($field:ident: $type:ty = $taken:expr,)+
        } $(=> $check:block)?
    )+) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $name {
            $(pub $field: $type,)+
        }

        impl $name {
            pub fn parse(
                mut $params: Params,
                $($markets: Markets<'_>,)?
            ) -> Result<Self, ApiError> {
                $(let $field = $taken;)+
                $params.finish()?;
                $($check)?
                Ok(Self { $($field),+ })
            }
        }
    )+};
}

mod batch;
mod cancel;
mod extension;
mod history;
mod list;
mod lookup;
mod market;
mod names;
mod order;
mod peg;
mod rules;
mod sent;
mod wallet;

use types::{ClOrdId, InstrumentId, OrderId, OrderListId, OrderRef};

pub use self::batch::{BatchCancelRequest, BatchOrdersRequest, ORDERS_IN_BATCH_MAX};
pub use self::cancel::{
    AmendOrderRequest, CancelAllRequest, CancelOrderRequest, ReplaceOrderRequest,
};
pub use self::history::{
    AggTradesRequest, AvgPriceRequest, DayTickerRequest, HistoricalTradesRequest, KlinesRequest,
    TickerType, TradingDayRequest, WindowTickerRequest,
};
pub use self::list::{CancelOrderListRequest, NewOrderListRequest};
pub use self::lookup::{
    AccountRequest, AllOrderListsRequest, AllOrdersRequest, AmendmentsRequest, CommissionRequest,
    ListenKeyRequest, MyTradesRequest, NoParams, OpenOrdersRequest, OrderListRequest,
    PreventedMatchesRequest, PreventedMatchesWanted, QueryOrderRequest, Times,
};
pub use self::market::{
    DepthRequest, ExchangeInfoRequest, Selection, TickerRequest, TradesRequest,
};
pub use self::order::{
    NewOrderRequest, ResponseType, RoutedOrderRequest, TestOrderRequest, TestRoutedOrderRequest,
};
pub use self::rules::{
    AllocationsRequest, BlockTradesRequest, ExecutionRulesRequest, MyFiltersRequest,
    ReferencePriceCalculationRequest, ReferencePriceRequest,
};
pub(crate) use self::wallet::withdrawal_status;
pub use self::wallet::{
    DepositsRequest, MarginPairsRequest, NoSuchStatus, TradeFeeRequest, WithdrawalsRequest,
};
use crate::binance::parse_list_id;
use crate::signed::{ApiError, Params};

pub const RESULTS_DEFAULT: usize = 500;
pub const RESULTS_MAX: usize = 1000;

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
    Ok(if order.order_id.is_none() && order.cl_ord_id.is_none() {
        Err(ApiError::either_mandatory(cl_ord_id_name, id_name))
    } else {
        Ok(order)
    })
}

/// An order list by our id, the client's, or both.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct ListRef {
    pub id: Option<(InstrumentId, OrderListId)>,
    pub cl_ord_id: Option<ClOrdId>,
}

/// As [`order_ref`], of a list.
fn take_list_ref(
    params: &mut Params,
    cl_ord_id_name: &str,
) -> Result<Result<ListRef, ApiError>, ApiError> {
    let list = ListRef {
        id: params.integer("orderListId")?.map(parse_list_id),
        cl_ord_id: params.cl_ord_id(cl_ord_id_name)?,
    };
    Ok(if list.id.is_none() && list.cl_ord_id.is_none() {
        Err(ApiError::either_mandatory("orderListId", cl_ord_id_name))
    } else {
        Ok(list)
    })
}

#[cfg(test)]
mod tests;
