//! Order lists, as they are entered and as they are asked for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use types::{
    ClOrdId, Event, Market, Order, OrderId, OrderList, OrderListKind, OrderListStatus, OrderStatus,
};

use crate::binance::list_id::list_id;
use crate::binance::request::ResponseType;
use crate::binance::response::entered::Entered;
use crate::binance::response::order::{NewOrderAnswer, new_order_refusal};
use crate::binance::words::Word;
use crate::signed::{ApiError, TimeUnit};

/// Finds an order's name. What is not kept any more has none, and is left out.
pub type OrderNames<'a> = &'a dyn Fn(OrderId) -> Option<ClOrdId>;

/// `GET /api/v3/orderList`, and one of `GET /api/v3/openOrderList` and `GET /api/v3/allOrderList`
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListStatus {
    pub order_list_id: u64,
    pub contingency_type: Word,
    pub list_status_type: Word,
    pub list_order_status: Word,
    pub list_client_order_id: String,
    pub transaction_time: u64,
    pub symbol: String,
    pub orders: Vec<ListedOrder>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListedOrder {
    pub symbol: String,
    pub order_id: u64,
    pub client_order_id: String,
}

impl ListStatus {
    pub fn new(market: &Market, list: &OrderList, names: OrderNames<'_>, unit: TimeUnit) -> Self {
        let (list_status_type, list_order_status) = match list.status {
            OrderListStatus::Executing => ("EXEC_STARTED", "EXECUTING"),
            OrderListStatus::AllDone => ("ALL_DONE", "ALL_DONE"),
        };
        Self {
            order_list_id: list_id(list.instrument, list.order_list),
            contingency_type: contingency_type(list.kind).into(),
            list_status_type: list_status_type.into(),
            list_order_status: list_order_status.into(),
            list_client_order_id: list.cl_ord_id.to_string(),
            transaction_time: unit.time(list.updated_ns),
            symbol: market.symbol().to_owned(),
            orders: listed(market, list, names),
        }
    }
}

/// What an amended order shows of the list that it is in.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ListOfAmended {
    order_list_id: u64,
    contingency_type: &'static str,
    list_order_status: &'static str,
    list_client_order_id: String,
    symbol: String,
    orders: Vec<ListedOrder>,
}

impl ListOfAmended {
    pub(super) fn new(market: &Market, list: &OrderList, names: OrderNames<'_>) -> Self {
        Self {
            order_list_id: list_id(list.instrument, list.order_list),
            contingency_type: contingency_type(list.kind),
            list_order_status: match list.status {
                OrderListStatus::Executing => "EXECUTING",
                OrderListStatus::AllDone => "ALL_DONE",
            },
            list_client_order_id: list.cl_ord_id.to_string(),
            symbol: market.symbol().to_owned(),
            orders: listed(market, list, names),
        }
    }
}

fn listed(market: &Market, list: &OrderList, names: OrderNames<'_>) -> Vec<ListedOrder> {
    let listed = |order_id: OrderId| {
        Some(ListedOrder {
            symbol: market.symbol().to_owned(),
            order_id: order_id.0,
            client_order_id: names(order_id)?.to_string(),
        })
    };
    list.orders.into_iter().flatten().filter_map(listed).collect()
}

/// An OTO whose second order is an OCO is an OTO still, and so is one whose first order pays.
pub(crate) const fn contingency_type(kind: OrderListKind) -> &'static str {
    match kind {
        OrderListKind::Oco => "OCO",
        OrderListKind::Oto | OrderListKind::Otoco | OrderListKind::Opo | OrderListKind::Opoco => {
            "OTO"
        }
    }
}

/// `POST /api/v3/orderList/oco`, `…/oto`, `…/otoco`, `…/opo`, `…/opoco` and
/// `POST /api/v3/order/oco`
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NewOrderListAnswer {
    #[serde(flatten)]
    status: ListStatus,
    order_reports: Vec<NewOrderAnswer>,
}

impl NewOrderListAnswer {
    /// From the events of the one command that entered the list.
    pub fn new(
        market: &Market,
        events: &[Event],
        response_type: ResponseType,
        unit: TimeUnit,
    ) -> Result<Self, ApiError> {
        let Some((list, events)) = find_entered(events) else {
            return Err(new_order_refusal(market, events));
        };
        let entered = Entered::of_list(events, &list);
        let name = |order_id| {
            let order = entered.iter().find(|entered| entered.order.order_id == order_id);
            order.map(|entered| entered.order.cl_ord_id)
        };
        let report = |entered: &Entered<'_>| {
            NewOrderAnswer::from_entered(market, entered, response_type, unit)
        };
        Ok(Self {
            status: ListStatus::new(market, &list, &name, unit),
            order_reports: entered.iter().map(report).collect(),
        })
    }
}

/// The list that was entered, as it stood in the end, and the events that the answer shows. What
/// was due before it may have ended another.
fn find_entered(events: &[Event]) -> Option<(OrderList, &[Event])> {
    let mut lists = lists_in(events);
    let entered = lists.find(|list| list.status == OrderListStatus::Executing)?;
    let events = until_placement(events, &entered);
    let same = |list: &OrderList| {
        list.instrument == entered.instrument && list.order_list == entered.order_list
    };
    Some((lists_in(events).rfind(same).unwrap_or(entered), events))
}

fn lists_in(events: &[Event]) -> impl DoubleEndedIterator<Item = OrderList> {
    events.iter().filter_map(|event| match event {
        Event::OrderListUpdated(updated) => Some(updated.list),
        _ => None,
    })
}

/// The events up to the fill of a first order that others wait for. The answer shows those as
/// pending, even if they were placed at once.
fn until_placement<'a>(events: &'a [Event], list: &OrderList) -> &'a [Event] {
    let fills_first = |event: &Event| match event {
        Event::TradeExecuted(trade) => [&trade.maker, &trade.taker].iter().any(|fill| {
            let Order { instrument, order_id, status, .. } = fill.order;
            instrument == list.instrument
                && Some(order_id) == list.orders[0]
                && status == OrderStatus::Filled
        }),
        _ => false,
    };
    match events.iter().position(fills_first) {
        Some(at) if list.kind != OrderListKind::Oco => &events[..=at],
        _ => events,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use types::{
        Amount, AssetId, ExpireCause, Fill, OrderExpired, OrderListChange, OrderListUpdated,
        OrderTerms, OrderTriggered, OrderType, Price, RejectReason, Side, Terms, TradeExecuted,
        TradeId,
    };

    use super::*;
    use crate::binance::testing::{accepted, btcusdt, check, cl, list, of_list, order, rejected};

    const MS: TimeUnit = TimeUnit::Millisecond;

    fn stop(order_id: u64) -> Order {
        let terms = Terms { stop_price: Some(Price::from_ticks(2_600_000)), ..Terms::default() };
        let terms = OrderTerms { terms, ..OrderTerms::default() };
        let cl_ord_id = cl("stop");
        let order_type = OrderType::StopLossLimit;
        of_list(Order { cl_ord_id, order_type, terms: Some(terms), ..order(order_id) })
    }

    fn entered(kind: OrderListKind) -> Event {
        updated(kind, OrderListStatus::Executing)
    }

    fn updated(kind: OrderListKind, status: OrderListStatus) -> Event {
        let list = list(kind, status);
        let change = match status {
            OrderListStatus::Executing => OrderListChange::Entered,
            OrderListStatus::AllDone => OrderListChange::Done,
        };
        Event::OrderListUpdated(OrderListUpdated { account_seq: 1, list, change })
    }

    fn trade(taker: Order) -> Event {
        let fill = |order| Fill { account_seq: 2, order, fee: Amount::ZERO, fee_asset: AssetId(0) };
        Event::TradeExecuted(TradeExecuted {
            instrument_seq: 2,
            instrument: taker.instrument,
            trade_id: TradeId(1),
            price: taker.price,
            qty: taker.order_qty,
            quote: Amount::ZERO,
            side: taker.side,
            maker: fill(Order { side: Side::Sell, ..order(1) }),
            taker: fill(taker),
        })
    }

    fn answer(events: &[Event]) -> Value {
        let answer = NewOrderListAnswer::new(&btcusdt(), events, ResponseType::Result, MS);
        serde_json::to_value(answer.unwrap()).unwrap()
    }

    #[test]
    fn a_new_list_shows_its_orders() {
        let maker = of_list(Order { order_type: OrderType::LimitMaker, ..order(5) });
        let events = [entered(OrderListKind::Oco), accepted(stop(4)), accepted(maker)];
        let report = |order_id, name: &str, order_type: &str, working_time: i64| {
            json!({
                "symbol": "BTCUSDT", "orderId": order_id, "orderListId": 300_000,
                "clientOrderId": name, "transactTime": 1_507_725_176_595_u64,
                "price": "25000.00000000", "origQty": "0.10000000", "executedQty": "0.00000000",
                "origQuoteOrderQty": "0.00000000", "cummulativeQuoteQty": "0.00000000",
                "status": "NEW", "timeInForce": "GTC", "type": order_type, "side": "BUY",
                "workingTime": working_time, "selfTradePreventionMode": "NONE",
            })
        };
        let mut stop_report = report(4, "stop", "STOP_LOSS_LIMIT", -1);
        stop_report["stopPrice"] = json!("26000.00000000");
        let expect = json!({
            "orderListId": 300_000, "contingencyType": "OCO", "listStatusType": "EXEC_STARTED",
            "listOrderStatus": "EXECUTING", "listClientOrderId": "list",
            "transactionTime": 1_507_725_176_595_u64, "symbol": "BTCUSDT",
            "orders": [
                {"symbol": "BTCUSDT", "orderId": 4, "clientOrderId": "stop"},
                {"symbol": "BTCUSDT", "orderId": 5, "clientOrderId": "mine"},
            ],
            "orderReports": [
                stop_report,
                report(5, "mine", "LIMIT_MAKER", 1_507_725_176_595),
            ],
        });
        assert_eq!(answer(&events), expect);

        let full = NewOrderListAnswer::new(&btcusdt(), &events, ResponseType::Ack, MS).unwrap();
        let full = serde_json::to_value(full).unwrap();
        assert_eq!(full["orderReports"][0]["status"], json!(null));
    }

    #[test]
    fn what_waits_for_the_first_order_is_pending_until_its_list_places_it() {
        let waiting = of_list(Order { side: Side::Sell, ..order(5) });
        let events = [entered(OrderListKind::Oto), accepted(of_list(order(4))), accepted(waiting)];
        let told = answer(&events);
        assert_eq!(told["contingencyType"], "OTO");
        let second = &told["orderReports"][1];
        assert_eq!(
            (&second["status"], &second["workingTime"]),
            (&json!("PENDING_NEW"), &json!(-1))
        );
        assert_eq!(told["orderReports"][0]["status"], "NEW");

        // The answer shows it as pending, even if it is placed at once.
        let filled = of_list(Order { status: OrderStatus::Filled, ..order(4) });
        let placed = OrderTriggered { account_seq: 5, instrument_seq: 5, order: waiting };
        let done = updated(OrderListKind::Oto, OrderListStatus::AllDone);
        let events = [&events[..], &[trade(filled), Event::OrderTriggered(placed), done]].concat();
        let told = answer(&events);
        assert_eq!(told["listOrderStatus"], "EXECUTING");
        assert_eq!(told["orderReports"][0]["status"], "FILLED");
        assert_eq!(told["orderReports"][1]["status"], "PENDING_NEW");
    }

    #[test]
    fn legs_say_which_phase_they_ended_in() {
        let ended = |kind| {
            let first = order(4);
            let order = Order { status: OrderStatus::Expired, ..stop(5) };
            let (account_seq, instrument_seq, cause) = (2, 2, ExpireCause::OrderList);
            let prevented = None;
            let expired = OrderExpired { account_seq, instrument_seq, order, cause, prevented };
            answer(&[
                entered(kind),
                accepted(of_list(first)),
                accepted(stop(5)),
                Event::OrderExpired(expired),
                updated(kind, OrderListStatus::AllDone),
            ])
        };
        let told = ended(OrderListKind::Oco);
        assert_eq!(told["listStatusType"], "ALL_DONE");
        assert_eq!(told["orderReports"][1]["expiryReason"], "OCO_TRIGGER");
        let told = ended(OrderListKind::Oto);
        assert_eq!(told["orderReports"][1]["expiryReason"], "OTO_PHASE_ONE_EXPIRED");
        assert_eq!(told["orderReports"][1]["status"], "EXPIRED");
    }

    #[test]
    fn a_list_that_ended_as_this_one_came_is_not_meant() {
        let mut other = list(OrderListKind::Oco, OrderListStatus::AllDone);
        other.order_list = types::OrderListId(2);
        let change = OrderListChange::Done;
        let other = OrderListUpdated { account_seq: 1, list: other, change };
        let other = Event::OrderListUpdated(other);
        let events =
            [other, entered(OrderListKind::Oco), accepted(stop(4)), accepted(of_list(order(5)))];
        assert_eq!(answer(&events)["orderListId"], 300_000);
        let refused = [rejected(RejectReason::OrderListInvalid, false)];
        let error = NewOrderListAnswer::new(&btcusdt(), &refused, ResponseType::Ack, MS);
        assert_eq!(error.unwrap_err().code, -2010);
    }

    #[test]
    fn a_list_that_is_asked_about_leaves_out_what_is_not_kept() {
        let known = list(OrderListKind::Otoco, OrderListStatus::AllDone);
        let name = |order_id| (order_id == OrderId(5)).then(|| cl("kept"));
        check(
            &ListStatus::new(&btcusdt(), &known, &name, MS),
            json!({
                "orderListId": 300_000, "contingencyType": "OTO", "listStatusType": "ALL_DONE",
                "listOrderStatus": "ALL_DONE", "listClientOrderId": "list",
                "transactionTime": 1_507_725_176_595_u64, "symbol": "BTCUSDT",
                "orders": [{"symbol": "BTCUSDT", "orderId": 5, "clientOrderId": "kept"}],
            }),
        );
    }
}
