//! Orders entered, canceled, amended, or asked about.

use serde::Serialize;
use types::{
    CancelCause, Event, ExpireCause, Fill, Order, OrderAmended, OrderCanceled, Price, Qty,
    RejectReason, TradeExecuted,
};

use crate::binance::reject::{self, Request};
use crate::binance::request::ResponseType;
use crate::binance::response::{NO_ORDER_LIST, order_type, side, status, stp_mode, time_in_force};
use crate::binance::{ApiError, Market, TimeUnit};

/// `POST /api/v3/order`
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NewOrderAnswer {
    symbol: String,
    order_id: u64,
    order_list_id: i32,
    client_order_id: String,
    transact_time: u64,
    #[serde(flatten)]
    result: Option<OrderResult>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fills: Option<Vec<FillInfo>>,
}

/// What a result tells beyond an acknowledgement.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct OrderResult {
    price: String,
    orig_qty: String,
    executed_qty: String,
    orig_quote_order_qty: String,
    cummulative_quote_qty: String,
    status: &'static str,
    time_in_force: &'static str,
    #[serde(rename = "type")]
    order_type: &'static str,
    side: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    strategy_id: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    strategy_type: Option<i32>,
    /// A cancel does not tell since when the order worked.
    #[serde(skip_serializing_if = "Option::is_none")]
    working_time: Option<u64>,
    self_trade_prevention_mode: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    expiry_reason: Option<&'static str>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct FillInfo {
    price: String,
    qty: String,
    commission: String,
    commission_asset: String,
    trade_id: u64,
}

impl NewOrderAnswer {
    /// From the events of the one command that entered the order.
    pub fn new(
        market: &Market,
        events: &[Event],
        response_type: ResponseType,
        unit: TimeUnit,
    ) -> Result<Self, ApiError> {
        match Entered::find(events) {
            Some(entered) => Ok(Self::from_entered(market, &entered, response_type, unit)),
            None => Err(refusal(events, false, Request::NewOrder)),
        }
    }

    pub(super) fn from_entered(
        market: &Market,
        entered: &Entered<'_>,
        response_type: ResponseType,
        unit: TimeUnit,
    ) -> Self {
        let order = &entered.order;
        let result = || OrderResult {
            working_time: Some(unit.time(order.created_ns)),
            expiry_reason: entered.expired.map(expiry_reason),
            ..OrderResult::new(market, order)
        };
        let fill = |(trade, fill): &(&TradeExecuted, &Fill)| FillInfo::new(market, trade, fill);
        let fills = || entered.fills.iter().map(fill).collect();
        Self {
            symbol: market.symbol().to_owned(),
            order_id: order.order_id.0,
            order_list_id: NO_ORDER_LIST,
            client_order_id: order.cl_ord_id.to_string(),
            transact_time: unit.time(order.updated_ns),
            result: (response_type != ResponseType::Ack).then(result),
            fills: (response_type == ResponseType::Full).then(fills),
        }
    }
}

impl OrderResult {
    fn new(market: &Market, order: &Order) -> Self {
        Self {
            price: market.price(order.price),
            orig_qty: market.qty(order.order_qty),
            executed_qty: market.qty(order.cum_qty),
            orig_quote_order_qty: market.quote_amount(order.quote_order_qty),
            cummulative_quote_qty: market.quote_amount(order.cum_quote),
            status: status(order.status),
            time_in_force: time_in_force(order.time_in_force),
            order_type: order_type(order.order_type),
            side: side(order.side),
            strategy_id: order.strategy_id,
            strategy_type: order.strategy_type,
            working_time: None,
            self_trade_prevention_mode: stp_mode(order.stp_mode),
            expiry_reason: None,
        }
    }
}

impl FillInfo {
    fn new(market: &Market, trade: &TradeExecuted, fill: &Fill) -> Self {
        let asset = market.asset(fill.fee_asset);
        Self {
            price: market.price(trade.price),
            qty: market.qty(trade.qty),
            commission: asset.format_amount(fill.fee),
            commission_asset: asset.name.to_string(),
            trade_id: trade.trade_id.0,
        }
    }
}

/// What one command did to the order that it entered. Events of other orders stand between those
/// of this one: of orders that it prevented, triggered, or that depended on these.
pub(super) struct Entered<'a> {
    /// As it stood in the end.
    order: Order,
    /// Each trade, and the order's side of it.
    fills: Vec<(&'a TradeExecuted, &'a Fill)>,
    expired: Option<ExpireCause>,
}

impl<'a> Entered<'a> {
    /// `None` if no order was entered.
    pub(super) fn find(events: &'a [Event]) -> Option<Self> {
        let mut events = events.iter();
        let order = events.find_map(|event| match event {
            Event::OrderAccepted(accepted) => Some(accepted.order),
            _ => None,
        })?;
        let mut entered = Self { order, fills: Vec::new(), expired: None };
        for event in events {
            entered.follow(event);
        }
        Some(entered)
    }

    fn follow(&mut self, event: &'a Event) {
        match event {
            Event::TradeExecuted(trade) => {
                // It is a maker where it came to rest and something that it triggered trades.
                let sides = [&trade.taker, &trade.maker];
                if let Some(fill) = sides.into_iter().find(|fill| self.is(&fill.order)) {
                    self.order = fill.order;
                    self.fills.push((trade, fill));
                }
            }
            Event::OrderExpired(expired) if self.is(&expired.order) => {
                self.order = expired.order;
                self.expired = Some(expired.cause);
            }
            Event::OrderCanceled(canceled) if self.is(&canceled.order) => {
                self.order = canceled.order;
            }
            _ => {}
        }
    }

    fn is(&self, order: &Order) -> bool {
        self.order.order_id == order.order_id && self.order.instrument == order.instrument
    }
}

/// Why a command has no result. Without a refusal among its events its result is not known.
pub(super) fn refusal(events: &[Event], in_cancel: bool, request: Request) -> ApiError {
    match find_refusal(events, in_cancel) {
        Some(reason) => reject::api_error(reason, request),
        None => ApiError::unknown(),
    }
}

pub(super) fn find_refusal(events: &[Event], in_cancel: bool) -> Option<RejectReason> {
    events.iter().find_map(|event| match event {
        Event::CommandRejected(rejected) if rejected.in_cancel == in_cancel => {
            Some(rejected.reason)
        }
        _ => None,
    })
}

/// `DELETE /api/v3/order`, and one of `DELETE /api/v3/openOrders`
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CancelAnswer {
    symbol: String,
    orig_client_order_id: String,
    order_id: u64,
    order_list_id: i32,
    client_order_id: String,
    transact_time: u64,
    #[serde(flatten)]
    result: OrderResult,
}

impl CancelAnswer {
    pub fn new(market: &Market, events: &[Event], unit: TimeUnit) -> Result<Self, ApiError> {
        let asked = [CancelCause::Requested, CancelCause::Replaced];
        let first = canceled(events).find(|canceled| asked.contains(&canceled.cause));
        let answer = first.map(|canceled| Self::from_canceled(market, canceled, unit));
        // A cancel by itself has no halves, so it does not matter how its refusal is marked.
        answer.ok_or_else(|| match find_refusal(events, true) {
            Some(reason) => reject::api_error(reason, Request::Cancel),
            None => refusal(events, false, Request::Cancel),
        })
    }

    /// From the events of a cancel of all orders; that there was none is an error. Where the
    /// cancel took several commands, other work may stand among its events.
    pub fn all(market: &Market, events: &[Event], unit: TimeUnit) -> Result<Vec<Self>, ApiError> {
        let Some(first) = canceled(events).next() else {
            return Err(match find_refusal(events, false) {
                Some(reason) => reject::api_error(reason, Request::Cancel),
                None => ApiError::unknown_order(),
            });
        };
        let same = |other: &&OrderCanceled| {
            other.order.account == first.order.account
                && other.order.instrument == first.order.instrument
                && other.cl_ord_id == first.cl_ord_id
        };
        let answer = |canceled| Self::from_canceled(market, canceled, unit);
        Ok(canceled(events).filter(same).map(answer).collect())
    }

    pub(super) fn from_canceled(market: &Market, canceled: &OrderCanceled, unit: TimeUnit) -> Self {
        let order = &canceled.order;
        Self {
            symbol: market.symbol().to_owned(),
            orig_client_order_id: order.cl_ord_id.to_string(),
            order_id: order.order_id.0,
            order_list_id: NO_ORDER_LIST,
            client_order_id: canceled.cl_ord_id.to_string(),
            transact_time: unit.time(order.updated_ns),
            result: OrderResult::new(market, order),
        }
    }
}

pub(super) fn canceled(events: &[Event]) -> impl Iterator<Item = &OrderCanceled> {
    events.iter().filter_map(|event| match event {
        Event::OrderCanceled(canceled) => Some(canceled),
        _ => None,
    })
}

/// `PUT /api/v3/order/amend/keepPriority`
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AmendAnswer {
    transact_time: u64,
    execution_id: u64,
    amended_order: AmendedOrder,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct AmendedOrder {
    symbol: String,
    order_id: u64,
    order_list_id: i32,
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
    working_time: u64,
    self_trade_prevention_mode: &'static str,
}

impl AmendAnswer {
    pub fn new(market: &Market, events: &[Event], unit: TimeUnit) -> Result<Self, ApiError> {
        let amended = events.iter().find_map(|event| match event {
            Event::OrderAmended(amended) => Some(amended),
            _ => None,
        });
        let answer = amended.map(|amended| Self::from_amended(market, amended, unit));
        answer.ok_or_else(|| refusal(events, false, Request::Amend))
    }

    fn from_amended(market: &Market, amended: &OrderAmended, unit: TimeUnit) -> Self {
        let order = &amended.order;
        let amended_order = AmendedOrder {
            symbol: market.symbol().to_owned(),
            order_id: order.order_id.0,
            order_list_id: NO_ORDER_LIST,
            orig_client_order_id: amended.orig_cl_ord_id.to_string(),
            client_order_id: order.cl_ord_id.to_string(),
            price: market.price(order.price),
            qty: market.qty(order.order_qty),
            executed_qty: market.qty(order.cum_qty),
            prevented_qty: market.qty(Qty::ZERO),
            quote_order_qty: market.quote_amount(order.quote_order_qty),
            cumulative_quote_qty: market.quote_amount(order.cum_quote),
            status: status(order.status),
            time_in_force: time_in_force(order.time_in_force),
            order_type: order_type(order.order_type),
            side: side(order.side),
            working_time: unit.time(order.created_ns),
            self_trade_prevention_mode: stp_mode(order.stp_mode),
        };
        Self {
            transact_time: unit.time(order.updated_ns),
            execution_id: amended.account_seq,
            amended_order,
        }
    }
}

/// `GET /api/v3/order`, and one of `GET /api/v3/openOrders` and `GET /api/v3/allOrders`
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OrderInfo {
    symbol: String,
    order_id: u64,
    order_list_id: i32,
    client_order_id: String,
    price: String,
    orig_qty: String,
    executed_qty: String,
    cummulative_quote_qty: String,
    status: &'static str,
    time_in_force: &'static str,
    #[serde(rename = "type")]
    order_type: &'static str,
    side: &'static str,
    stop_price: String,
    iceberg_qty: String,
    time: u64,
    update_time: u64,
    is_working: bool,
    working_time: u64,
    orig_quote_order_qty: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    strategy_id: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    strategy_type: Option<i32>,
    self_trade_prevention_mode: &'static str,
}

impl OrderInfo {
    pub fn new(market: &Market, order: &Order, unit: TimeUnit) -> Self {
        Self {
            symbol: market.symbol().to_owned(),
            order_id: order.order_id.0,
            order_list_id: NO_ORDER_LIST,
            client_order_id: order.cl_ord_id.to_string(),
            price: market.price(order.price),
            orig_qty: market.qty(order.order_qty),
            executed_qty: market.qty(order.cum_qty),
            cummulative_quote_qty: market.quote_amount(order.cum_quote),
            status: status(order.status),
            time_in_force: time_in_force(order.time_in_force),
            order_type: order_type(order.order_type),
            side: side(order.side),
            stop_price: market.price(Price::default()),
            iceberg_qty: market.qty(Qty::ZERO),
            time: unit.time(order.created_ns),
            update_time: unit.time(order.updated_ns),
            is_working: true,
            working_time: unit.time(order.created_ns),
            orig_quote_order_qty: market.quote_amount(order.quote_order_qty),
            strategy_id: order.strategy_id,
            strategy_type: order.strategy_type,
            self_trade_prevention_mode: stp_mode(order.stp_mode),
        }
    }
}

const fn expiry_reason(cause: ExpireCause) -> &'static str {
    match cause {
        ExpireCause::ImmediateOrCancel => "UNFILLED_IOC_QUANTITY_EXPIRED",
        ExpireCause::FillOrKill => "UNFILLED_FOK_ORDER_EXPIRED",
        ExpireCause::NoLiquidity | ExpireCause::BalanceExhausted | ExpireCause::BelowOneLot => {
            "INSUFFICIENT_LIQUIDITY"
        }
        ExpireCause::SelfTrade => "EXECUTION_RULE_PREVENTION",
        ExpireCause::MinQty => "MINIMUM_QUANTITY_UNMET",
        ExpireCause::GoodTillDate | ExpireCause::Day => "TIME_IN_FORCE_EXPIRED",
        ExpireCause::AtOpen | ExpireCause::AtClose | ExpireCause::Phase => "MARKET_PHASE",
        ExpireCause::PriceBand => "PRICE_RANGE",
        ExpireCause::OrderList => "ORDER_LIST",
        ExpireCause::WouldTakeLiquidity => "WOULD_TAKE_LIQUIDITY",
        ExpireCause::NotAllowed => "RISK_CHECK",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use types::{
        AccountId, Amount, AssetId, InstrumentId, OrderExpired, OrderStatus, Side, TimeInForce,
        TradeId,
    };

    use super::*;
    use crate::binance::response::encode;
    use crate::binance::testing::{
        accepted, btcusdt, cancel_json, canceled, check, cl, order, rejected,
    };

    const MS: TimeUnit = TimeUnit::Millisecond;

    /// The taker gets 0.04 at 24 999.
    fn trade(taker: Order) -> Event {
        let fill = |order| Fill {
            account_seq: 2,
            order,
            fee: Amount::from_minor(6_000),
            fee_asset: AssetId(0),
        };
        Event::TradeExecuted(TradeExecuted {
            instrument_seq: 2,
            instrument: InstrumentId(0),
            trade_id: TradeId(56),
            price: Price::from_ticks(2_499_900),
            qty: Qty::from_lots(4_000),
            quote: Amount::from_minor(99_996_000_000),
            side: Side::Buy,
            maker: fill(Order { side: Side::Sell, ..order(1) }),
            taker: fill(taker),
        })
    }

    fn partly_filled() -> Order {
        Order {
            status: OrderStatus::PartiallyFilled,
            cum_qty: Qty::from_lots(4_000),
            cum_quote: Amount::from_minor(99_996_000_000),
            ..order(28)
        }
    }

    /// Before it another order was due to end; behind it come a trade of an order that it
    /// triggered, one in which it is itself the maker, and what became of others.
    #[test]
    fn events_of_other_orders_are_not_the_orders_own() {
        let with = |maker: Order, taker: Order| {
            let Event::TradeExecuted(mut executed) = trade(taker) else { unreachable!() };
            executed.maker.order = maker;
            Event::TradeExecuted(executed)
        };
        let other = |id: u64| Order { order_id: types::OrderId(id), ..partly_filled() };
        let ended = |order| {
            let (account_seq, instrument_seq, cause) = (1, 1, ExpireCause::GoodTillDate);
            Event::OrderExpired(OrderExpired { account_seq, instrument_seq, order, cause })
        };
        let elsewhere = Order { instrument: InstrumentId(1), ..partly_filled() };
        let events = [
            ended(other(3)),
            accepted(order(28)),
            with(other(5), elsewhere),
            with(other(5), other(6)),
            with(partly_filled(), other(6)),
            ended(other(6)),
            canceled(other(7), CancelCause::OrderList),
        ];
        let entered = Entered::find(&events).unwrap();
        assert_eq!(entered.order, partly_filled());
        assert_eq!(entered.fills.len(), 1);
        assert_eq!(entered.expired, None);
    }

    #[test]
    fn a_cancel_answers_for_the_order_that_was_meant() {
        let events = [
            canceled(order(9), CancelCause::KillSwitch),
            canceled(order(4), CancelCause::Requested),
            canceled(order(5), CancelCause::OrderList),
        ];
        check(&CancelAnswer::new(&btcusdt(), &events, MS).unwrap(), cancel_json(4));
        assert!(CancelAnswer::new(&btcusdt(), &events[2..], MS).is_err());
    }

    #[test]
    fn a_full_answer_has_the_fills_and_the_order_as_it_ended() {
        let events = [accepted(order(28)), trade(partly_filled())];
        let answer = NewOrderAnswer::new(&btcusdt(), &events, ResponseType::Full, MS).unwrap();
        assert_eq!(
            encode(&answer),
            concat!(
                r#"{"symbol":"BTCUSDT","orderId":28,"orderListId":-1,"clientOrderId":"mine","#,
                r#""transactTime":1507725176595,"price":"25000.00000000","origQty":"0.10000000","#,
                r#""executedQty":"0.04000000","origQuoteOrderQty":"0.00000000","#,
                r#""cummulativeQuoteQty":"999.96000000","status":"PARTIALLY_FILLED","#,
                r#""timeInForce":"GTC","type":"LIMIT","side":"BUY","workingTime":1507725176595,"#,
                r#""selfTradePreventionMode":"NONE","fills":[{"price":"24999.00000000","#,
                r#""qty":"0.04000000","commission":"0.00006000","commissionAsset":"BTC","tradeId":56}]}"#,
            )
        );
    }

    #[test]
    fn an_acknowledgement_is_short() {
        let unit = TimeUnit::Microsecond;
        let events = [accepted(order(28))];
        let answer = NewOrderAnswer::new(&btcusdt(), &events, ResponseType::Ack, unit).unwrap();
        check(
            &answer,
            json!({
                "symbol": "BTCUSDT", "orderId": 28, "orderListId": -1, "clientOrderId": "mine",
                "transactTime": 1_507_725_176_595_123_u64,
            }),
        );
    }

    #[test]
    fn a_result_tells_why_an_order_expired_and_whose_strategy_it_was() {
        let ioc = Order {
            time_in_force: TimeInForce::Ioc,
            strategy_id: Some(7),
            strategy_type: Some(1_000_000),
            ..order(28)
        };
        let expired = OrderExpired {
            account_seq: 2,
            instrument_seq: 2,
            order: Order { status: OrderStatus::Expired, ..ioc },
            cause: ExpireCause::ImmediateOrCancel,
        };
        let events = [accepted(ioc), Event::OrderExpired(expired)];
        let answer = NewOrderAnswer::new(&btcusdt(), &events, ResponseType::Result, MS).unwrap();
        check(
            &answer,
            json!({
                "symbol": "BTCUSDT", "orderId": 28, "orderListId": -1, "clientOrderId": "mine",
                "transactTime": 1_507_725_176_595_u64, "price": "25000.00000000",
                "origQty": "0.10000000", "executedQty": "0.00000000",
                "origQuoteOrderQty": "0.00000000", "cummulativeQuoteQty": "0.00000000",
                "status": "EXPIRED", "timeInForce": "IOC", "type": "LIMIT", "side": "BUY",
                "strategyId": 7, "strategyType": 1_000_000,
                "workingTime": 1_507_725_176_595_u64, "selfTradePreventionMode": "NONE",
                "expiryReason": "UNFILLED_IOC_QUANTITY_EXPIRED",
            }),
        );
    }

    #[test]
    fn a_refused_order_is_an_error() {
        let error = |events: &[Event]| {
            NewOrderAnswer::new(&btcusdt(), events, ResponseType::Full, MS).unwrap_err().code
        };
        assert_eq!(error(&[rejected(RejectReason::InsufficientBalance, false)]), -2010);
        assert_eq!(error(&[rejected(RejectReason::NotionalBelowMin, false)]), -1013);
        assert_eq!(error(&[]), -1000);
    }

    #[test]
    fn a_cancel_echoes_both_names() {
        let events = [canceled(order(4), CancelCause::Requested)];
        check(&CancelAnswer::new(&btcusdt(), &events, MS).unwrap(), cancel_json(4));
        for in_cancel in [false, true] {
            let refused = [rejected(RejectReason::OrderNotFound, in_cancel)];
            let error = CancelAnswer::new(&btcusdt(), &refused, MS).unwrap_err();
            assert_eq!((error.code, &*error.msg), (-2011, "Unknown order sent."));
        }
    }

    #[test]
    fn a_cancel_of_all_is_a_list_and_never_an_empty_one() {
        let of = |order_id| canceled(order(order_id), CancelCause::CancelAll);
        let other = Order { account: AccountId(8), ..order(6) };
        let events = [of(4), canceled(other, CancelCause::Requested), of(5)];
        let answers = CancelAnswer::all(&btcusdt(), &events, MS).unwrap();
        check(&answers, json!([cancel_json(4), cancel_json(5)]));
        assert_eq!(CancelAnswer::all(&btcusdt(), &[], MS).unwrap_err().code, -2011);
    }

    #[test]
    fn an_order_is_told_of_completely() {
        check(
            &OrderInfo::new(&btcusdt(), &partly_filled(), MS),
            json!({
                "symbol": "BTCUSDT", "orderId": 28, "orderListId": -1, "clientOrderId": "mine",
                "price": "25000.00000000", "origQty": "0.10000000", "executedQty": "0.04000000",
                "cummulativeQuoteQty": "999.96000000", "status": "PARTIALLY_FILLED",
                "timeInForce": "GTC", "type": "LIMIT", "side": "BUY",
                "stopPrice": "0.00000000", "icebergQty": "0.00000000",
                "time": 1_507_725_176_595_u64, "updateTime": 1_507_725_176_595_u64,
                "isWorking": true, "workingTime": 1_507_725_176_595_u64,
                "origQuoteOrderQty": "0.00000000", "selfTradePreventionMode": "NONE",
            }),
        );
    }

    #[test]
    fn an_amended_order_has_its_new_quantity() {
        let amended = OrderAmended {
            account_seq: 75,
            instrument_seq: 9,
            order: Order { order_qty: Qty::from_lots(5_000), ..order(33) },
            orig_cl_ord_id: cl("before"),
            orig_order_qty: Qty::from_lots(10_000),
        };
        let answer = AmendAnswer::new(&btcusdt(), &[Event::OrderAmended(amended)], MS).unwrap();
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
}
