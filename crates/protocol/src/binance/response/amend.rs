//! Orders whose quantity was lowered.

use schemars::JsonSchema;
use serde::Serialize;
use types::{Event, Market, OrderAmended, OrderList};

use crate::binance::list_id::list_id_of;
use crate::binance::reject::Request;
use crate::binance::response::facts::{
    Conditional, OrderFacts, limit_price, orig_qty, prevented_qty, status, type_word,
};
use crate::binance::response::list::{ListOfAmended, OrderNames};
use crate::binance::response::order::refusal;
use crate::binance::words::{side, stp_mode, time_in_force};
use crate::signed::{ApiError, TimeUnit};

/// `PUT /api/v3/order/amend/keepPriority`
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AmendAnswer {
    transact_time: u64,
    execution_id: u64,
    amended_order: AmendedOrder,
    #[serde(skip_serializing_if = "Option::is_none")]
    list_status: Option<ListOfAmended>,
}

#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
struct AmendedOrder {
    symbol: String,
    order_id: u64,
    order_list_id: i64,
    orig_client_order_id: String,
    client_order_id: String,
    price: String,
    qty: String,
    executed_qty: String,
    prevented_qty: String,
    quote_order_qty: String,
    cumulative_quote_qty: String,
    status: &'static str,
    time_in_force: &'static str,
    #[serde(rename = "type")]
    order_type: &'static str,
    side: &'static str,
    #[serde(flatten)]
    conditional: Conditional,
    #[serde(skip_serializing_if = "Option::is_none")]
    working_time: Option<u64>,
    self_trade_prevention_mode: &'static str,
}

/// The order that a command amended, if it did.
pub fn find_amended(events: &[Event]) -> Option<&OrderAmended> {
    events.iter().find_map(|event| match event {
        Event::OrderAmended(amended) => Some(amended),
        _ => None,
    })
}

impl AmendAnswer {
    /// `facts` is asked of the amended order; `list` is the one that it is in, with its orders'
    /// names.
    pub fn new(
        market: &Market,
        events: &[Event],
        facts: impl FnOnce(&OrderAmended) -> OrderFacts,
        list: Option<(&OrderList, OrderNames<'_>)>,
        unit: TimeUnit,
    ) -> Result<Self, ApiError> {
        let Some(amended) = find_amended(events) else {
            return Err(refusal(events, false, Request::Amend));
        };
        let list_status = list.map(|(list, names)| ListOfAmended::new(market, list, names));
        Ok(Self {
            transact_time: unit.time(amended.order.updated_ns),
            execution_id: amended.account_seq,
            amended_order: AmendedOrder::new(market, amended, &facts(amended), unit),
            list_status,
        })
    }
}

impl AmendedOrder {
    fn new(market: &Market, amended: &OrderAmended, facts: &OrderFacts, unit: TimeUnit) -> Self {
        let order = &amended.order;
        Self {
            symbol: market.symbol().to_owned(),
            order_id: order.order_id.0,
            order_list_id: list_id_of(order),
            orig_client_order_id: amended.orig_cl_ord_id.to_string(),
            client_order_id: order.cl_ord_id.to_string(),
            price: market.price(limit_price(order)),
            qty: market.qty(orig_qty(order)),
            executed_qty: market.qty(order.cum_qty),
            prevented_qty: market.qty(prevented_qty(order)),
            quote_order_qty: market.quote_amount(order.quote_order_qty),
            cumulative_quote_qty: market.quote_amount(order.cum_quote),
            status: status(order, facts),
            time_in_force: time_in_force(order.time_in_force),
            order_type: type_word(order),
            side: side(order.side),
            conditional: Conditional::new(market, order, facts, unit),
            working_time: facts.working_ns.map(|time_ns| unit.time(time_ns)),
            self_trade_prevention_mode: stp_mode(order.stp_mode),
        }
    }
}

/// One of `GET /api/v3/order/amendments`
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Amendment {
    symbol: String,
    order_id: u64,
    execution_id: u64,
    orig_client_order_id: String,
    new_client_order_id: String,
    orig_qty: String,
    new_qty: String,
    time: u64,
}

impl Amendment {
    pub fn new(market: &Market, amended: &OrderAmended, unit: TimeUnit) -> Self {
        let order = &amended.order;
        let prevented = prevented_qty(order);
        Self {
            symbol: market.symbol().to_owned(),
            order_id: order.order_id.0,
            execution_id: amended.account_seq,
            orig_client_order_id: amended.orig_cl_ord_id.to_string(),
            new_client_order_id: order.cl_ord_id.to_string(),
            orig_qty: market.qty(amended.orig_order_qty + prevented),
            new_qty: market.qty(order.order_qty + prevented),
            time: unit.time(order.updated_ns),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use types::{Order, OrderListKind, OrderListStatus, Qty};

    use super::*;
    use crate::binance::testing::{btcusdt, check, cl, list, of_list, order};

    const MS: TimeUnit = TimeUnit::Millisecond;

    #[test]
    fn an_amended_order_has_its_new_quantity() {
        let amended = OrderAmended {
            account_seq: 75,
            instrument_seq: 9,
            order: Order { order_qty: Qty::from_lots(5_000), ..order(33) },
            orig_cl_ord_id: cl("before"),
            orig_order_qty: Qty::from_lots(10_000),
            request: types::LoweringRequest::Amend,
        };
        let facts = |amended: &OrderAmended| OrderFacts::of(&amended.order);
        let answer =
            AmendAnswer::new(&btcusdt(), &[Event::OrderAmended(amended)], facts, None, MS).unwrap();
        check(
            &answer,
            json!({
                "transactTime": 1_507_725_176_595_u64, "executionId": 75,
                "amendedOrder": {
                    "symbol": "BTCUSDT", "orderId": 33, "orderListId": -1,
                    "origClientOrderId": "before", "clientOrderId": "mine",
                    "price": "25000.00000000", "qty": "0.05000000",
                    "executedQty": "0.00000000", "preventedQty": "0.00000000",
                    "quoteOrderQty": "0.00000000", "cumulativeQuoteQty": "0.00000000",
                    "status": "NEW", "timeInForce": "GTC", "type": "LIMIT", "side": "BUY",
                    "workingTime": 1_507_725_176_595_u64, "selfTradePreventionMode": "NONE",
                },
            }),
        );
    }

    #[test]
    fn an_amended_order_of_a_list_shows_the_list() {
        let amended = OrderAmended {
            account_seq: 22,
            instrument_seq: 9,
            order: of_list(Order { order_qty: Qty::from_lots(5_000), ..order(5) }),
            orig_cl_ord_id: cl("before"),
            orig_order_qty: Qty::from_lots(10_000),
            request: types::LoweringRequest::Amend,
        };
        let executing = list(OrderListKind::Oto, OrderListStatus::Executing);
        let events = [Event::OrderAmended(amended)];
        let names: OrderNames<'_> = &|_| Some(cl("mine"));
        let pending = |amended: &OrderAmended| OrderFacts::pending(&amended.order);
        let answer =
            AmendAnswer::new(&btcusdt(), &events, pending, Some((&executing, names)), MS).unwrap();
        let answer = serde_json::to_value(answer).unwrap();
        assert_eq!(answer["amendedOrder"]["status"], "PENDING_NEW");
        assert_eq!(answer["amendedOrder"]["workingTime"], json!(null));
        assert_eq!(
            answer["listStatus"],
            json!({
                "orderListId": 300_000, "contingencyType": "OTO", "listOrderStatus": "EXECUTING",
                "listClientOrderId": "list", "symbol": "BTCUSDT",
                "orders": [
                    {"symbol": "BTCUSDT", "orderId": 4, "clientOrderId": "mine"},
                    {"symbol": "BTCUSDT", "orderId": 5, "clientOrderId": "mine"},
                ],
            })
        );
        check(
            &Amendment::new(&btcusdt(), &amended, MS),
            json!({
                "symbol": "BTCUSDT", "orderId": 5, "executionId": 22,
                "origClientOrderId": "before", "newClientOrderId": "mine",
                "origQty": "0.10000000", "newQty": "0.05000000",
                "time": 1_507_725_176_595_u64,
            }),
        );
    }
}
