//! What the tests of this module share: a market, its orders, a shorthand for parameters.

use serde::Serialize;
use serde_json::json;
use types::{
    AccountId, Amount, Asset, AssetName, CancelCause, ClOrdId, CommandRejected, Event,
    InstrumentId, Market, Order, OrderAccepted, OrderCanceled, OrderId, OrderList, OrderListChange,
    OrderListId, OrderListKind, OrderListStatus, OrderListUpdated, OrderStatus, OrderTerms,
    OrderType, Price, Qty, RejectReason, Side, StpMode, TimeInForce,
};

use crate::binance::response::{Canceling, encode};
use crate::signed::{Params, TimeUnit};

pub(crate) fn asset(name: &str, decimals: u8) -> Asset {
    Asset { name: AssetName::parse(name).unwrap(), decimals }
}

pub(crate) fn btcusdt() -> Market {
    Market::example()
}

pub(crate) fn markets(symbol: &str) -> Option<Market> {
    (symbol == "BTCUSDT").then(btcusdt)
}

pub(crate) fn cl(text: &str) -> ClOrdId {
    ClOrdId::parse(text).unwrap()
}

pub(crate) fn query(text: &str) -> Params {
    Params::parse(text, b"").unwrap()
}

/// Buy 0.1 at 25 000, new, entered at 1507725176595 ms.
pub(crate) fn order(order_id: u64) -> Order {
    Order {
        instrument: InstrumentId(0),
        account: AccountId(7),
        order_id: OrderId(order_id),
        cl_ord_id: cl("mine"),
        side: Side::Buy,
        order_type: OrderType::Limit,
        time_in_force: TimeInForce::Gtc,
        stp_mode: StpMode::None,
        status: OrderStatus::New,
        strategy_id: None,
        strategy_type: None,
        price: Price::from_ticks(2_500_000),
        order_qty: Qty::from_lots(10_000),
        quote_order_qty: Amount::ZERO,
        cum_qty: Qty::ZERO,
        cum_quote: Amount::ZERO,
        created_ns: 1_507_725_176_595_123_456,
        updated_ns: 1_507_725_176_595_123_456,
        terms: None,
    }
}

pub(crate) fn accepted(order: Order) -> Event {
    Event::OrderAccepted(OrderAccepted { account_seq: 1, instrument_seq: 1, order })
}

pub(crate) fn rejected(reason: RejectReason, in_cancel: bool) -> Event {
    Event::CommandRejected(CommandRejected {
        account: AccountId(7),
        reason,
        in_cancel,
        numbered: None,
    })
}

pub(crate) fn canceled(order: Order, cause: CancelCause) -> Event {
    Event::OrderCanceled(OrderCanceled {
        account_seq: 2,
        instrument_seq: 2,
        order: Order { status: OrderStatus::Canceled, ..order },
        canceled_qty: order.order_qty,
        cl_ord_id: cl("cancel"),
        cause,
    })
}

/// One of the orders 4 and 5, which are an OCO: the third list of its market.
pub(crate) fn of_list(order: Order) -> Order {
    let terms = OrderTerms { order_list: OrderListId(3), ..order.terms.unwrap_or_default() };
    Order { terms: Some(terms), ..order }
}

pub(crate) fn list(kind: OrderListKind, status: OrderListStatus) -> OrderList {
    OrderList {
        instrument: InstrumentId(0),
        account: AccountId(7),
        order_list: OrderListId(3),
        cl_ord_id: cl("list"),
        kind,
        status,
        orders: [Some(OrderId(4)), Some(OrderId(5)), None],
        created_ns: 1_507_725_176_595_123_456,
        updated_ns: 1_507_725_176_595_123_456,
    }
}

pub(crate) fn list_updated(status: OrderListStatus) -> Event {
    let list = list(OrderListKind::Oco, status);
    let change = OrderListChange::Done;
    Event::OrderListUpdated(OrderListUpdated { account_seq: 3, list, change })
}

/// In milliseconds, of orders whose lists' names are no longer known.
pub(crate) fn canceling<'a>(market: &'a Market, events: &'a [Event]) -> Canceling<'a> {
    Canceling { market, events, names: &|_| None, unit: TimeUnit::Millisecond }
}

pub(crate) fn cancel_json(order_id: u64) -> serde_json::Value {
    json!({
        "symbol": "BTCUSDT", "origClientOrderId": "mine", "orderId": order_id,
        "orderListId": -1, "clientOrderId": "cancel",
        "transactTime": 1_507_725_176_595_u64, "price": "25000.00000000",
        "origQty": "0.10000000", "executedQty": "0.00000000",
        "origQuoteOrderQty": "0.00000000", "cummulativeQuoteQty": "0.00000000",
        "status": "CANCELED", "timeInForce": "GTC", "type": "LIMIT", "side": "BUY",
        "selfTradePreventionMode": "NONE",
    })
}

pub(crate) fn check<T: Serialize>(answer: &T, expect: serde_json::Value) {
    let encoded: serde_json::Value = serde_json::from_str(&encode(answer)).unwrap();
    assert_eq!(encoded, expect);
}
