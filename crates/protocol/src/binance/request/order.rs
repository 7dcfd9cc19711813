//! New orders, each by itself.

use types::{Market, Markets, NewOrder, OrderSize, OrderType};

use crate::signed::{ApiError, Generate, Params};

use super::sent::SentOrder;

const RESPONSE_TYPES: &[(&str, ResponseType)] =
    &[("ACK", ResponseType::Ack), ("RESULT", ResponseType::Result), ("FULL", ResponseType::Full)];

/// How much the answer to a new order has.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ResponseType {
    Ack,
    Result,
    Full,
}

impl ResponseType {
    /// Of an order whose client did not say.
    pub(super) const fn of(order_type: OrderType) -> Self {
        match order_type {
            OrderType::Limit | OrderType::Market => Self::Full,
            _ => Self::Ack,
        }
    }
}

pub(super) fn take_response_type(params: &mut Params) -> Result<Option<ResponseType>, ApiError> {
    params.choice("newOrderRespType", RESPONSE_TYPES)
}

/// `POST /api/v3/order`
#[derive(Clone, Copy, Debug)]
pub struct NewOrderRequest {
    pub market: Market,
    pub order: NewOrder,
    pub response_type: ResponseType,
}

impl NewOrderRequest {
    pub fn parse(
        mut params: Params,
        markets: Markets<'_>,
        generate: Generate<'_>,
    ) -> Result<Self, ApiError> {
        let market = params.market(markets)?;
        let sent = SentOrder::alone(&mut params, &market)?;
        let asked = take_response_type(&mut params)?;
        params.finish()?;
        let response_type = asked.unwrap_or_else(|| ResponseType::of(sent.order_type()));
        let order = sent.check(&market, generate)?;
        Ok(Self { market, order, response_type })
    }
}

/// `POST /api/v3/sor/order`: a limit or market order by quantity.
#[derive(Clone, Copy, Debug)]
pub struct RoutedOrderRequest(pub NewOrderRequest);

impl RoutedOrderRequest {
    pub fn parse(
        params: Params,
        markets: Markets<'_>,
        generate: Generate<'_>,
    ) -> Result<Self, ApiError> {
        let request = NewOrderRequest::parse(params, markets, generate)?;
        let is_routed = matches!(request.order.order_type, OrderType::Limit | OrderType::Market)
            && matches!(request.order.size, OrderSize::Base(_));
        if is_routed { Ok(Self(request)) } else { Err(ApiError::unsupported_order_combination()) }
    }
}

/// `POST /api/v3/sor/order/test`
#[derive(Clone, Copy, Debug)]
pub struct TestRoutedOrderRequest(pub TestOrderRequest);

impl TestRoutedOrderRequest {
    pub fn parse(
        mut params: Params,
        markets: Markets<'_>,
        generate: Generate<'_>,
    ) -> Result<Self, ApiError> {
        let compute_commission_rates = take_compute_commission_rates(&mut params)?;
        let RoutedOrderRequest(request) = RoutedOrderRequest::parse(params, markets, generate)?;
        Ok(Self(TestOrderRequest { request, compute_commission_rates }))
    }
}

/// `POST /api/v3/order/test`
#[derive(Clone, Copy, Debug)]
pub struct TestOrderRequest {
    pub request: NewOrderRequest,
    pub compute_commission_rates: bool,
}

impl TestOrderRequest {
    pub fn parse(
        mut params: Params,
        markets: Markets<'_>,
        generate: Generate<'_>,
    ) -> Result<Self, ApiError> {
        let compute_commission_rates = take_compute_commission_rates(&mut params)?;
        let request = NewOrderRequest::parse(params, markets, generate)?;
        Ok(Self { request, compute_commission_rates })
    }
}

fn take_compute_commission_rates(params: &mut Params) -> Result<bool, ApiError> {
    Ok(params.flag("computeCommissionRates")?.unwrap_or(false))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use types::{Amount, OrderSize, Price, Qty, Side, StpMode, TimeInForce};

    use super::*;
    use crate::binance::request::{CancelOrderRequest, ReplaceOrderRequest};
    use crate::binance::testing::{cl, markets, query};
    use crate::signed::sign::check_time;

    const LIMIT: &str =
        "symbol=BTCUSDT&side=BUY&type=LIMIT&timeInForce=GTC&quantity=0.1&price=25000";

    fn new_order(text: &str) -> Result<NewOrderRequest, ApiError> {
        NewOrderRequest::parse(query(text), &markets, &mut || cl("generated"))
    }

    #[test]
    fn a_limit_order_is_whole_ticks_and_lots() {
        let request = new_order(&format!(
            "{LIMIT}&newClientOrderId=mine&strategyId=7&strategyType=1000000\
             &selfTradePreventionMode=EXPIRE_TAKER"
        ))
        .unwrap();
        assert_eq!(request.response_type, ResponseType::Full);
        assert_eq!(
            request.order,
            NewOrder {
                instrument: request.market.instrument.id,
                cl_ord_id: cl("mine"),
                side: Side::Buy,
                order_type: OrderType::Limit,
                time_in_force: TimeInForce::Gtc,
                stp_mode: StpMode::ExpireTaker,
                price: Price::from_ticks(2_500_000),
                size: OrderSize::Base(Qty::from_lots(10_000)),
                strategy_id: Some(7),
                strategy_type: Some(1_000_000),
                terms: None,
            }
        );
    }

    #[test]
    fn a_market_order_is_sized_in_either_asset() {
        let request =
            new_order("symbol=BTCUSDT&side=SELL&type=MARKET&quoteOrderQty=12.34").unwrap();
        assert_eq!(request.order.size, OrderSize::Quote(Amount::from_minor(1_234_000_000)));
        assert_eq!(request.order.cl_ord_id, cl("generated"));
        let request = new_order("symbol=BTCUSDT&side=SELL&type=MARKET&quantity=0.00001").unwrap();
        assert_eq!(request.order.size, OrderSize::Base(Qty::from_lots(1)));
        assert_eq!(request.order.price, Price::from_ticks(0));
    }

    #[test]
    fn a_post_only_order_is_acknowledged_only() {
        let text = "symbol=BTCUSDT&side=SELL&type=LIMIT_MAKER&quantity=1&price=1.50000000000";
        assert_eq!(new_order(text).unwrap().response_type, ResponseType::Ack);
        let request = new_order(&format!("{text}&newOrderRespType=RESULT")).unwrap();
        assert_eq!(request.response_type, ResponseType::Result);
        assert_eq!(request.order.price, Price::from_ticks(150));
    }

    #[test]
    fn each_fault_in_an_order_has_its_code_and_text() {
        let with = |name: &str, value: &str| {
            let others = LIMIT.split('&').filter(|pair| !pair.starts_with(&format!("{name}=")));
            let rest = others.collect::<Vec<_>>().join("&");
            if value.is_empty() { rest } else { format!("{rest}&{name}={value}") }
        };
        let mandatory = |name: &str| {
            format!("Mandatory parameter '{name}' was not sent, was empty/null, or malformed.")
        };
        let not_required = |name: &str| format!("Parameter '{name}' sent when not required.");
        let check = |text: &str, code: i32, msg: &str| {
            let error = new_order(text).unwrap_err();
            assert_eq!((error.code, &*error.msg), (code, msg), "{text}");
        };
        for name in ["symbol", "side", "type", "timeInForce", "quantity", "price"] {
            check(&with(name, ""), -1102, &mandatory(name));
        }
        check(&with("symbol", "NONE"), -1121, "Invalid symbol.");
        check(&with("side", "HOLD"), -1117, "Invalid side.");
        check(&with("type", "ODD"), -1116, "Invalid orderType.");
        check(&with("timeInForce", "WEEK"), -1115, "Invalid timeInForce.");
        check(&with("price", "1.001"), -1013, "Filter failure: PRICE_FILTER");
        check(&with("price", "99999999999999999999"), -1013, "Filter failure: PRICE_FILTER");
        check(&with("quantity", "0.000001"), -1013, "Filter failure: LOT_SIZE");
        check(&with("quantity", "99999999999999999999"), -1013, "Filter failure: LOT_SIZE");
        let precise = "Parameter 'quantity' has too much precision.";
        check(&with("quantity", "0.000000001"), -1111, precise);
        check(&with("price", "1.000000001"), -1111, "Parameter 'price' has too much precision.");
        check(&with("strategyType", "999999"), -1134, "strategyType was less than 1000000.");
        check(&with("strategyType", "4294967296"), -1108, "Parameter 'strategyType' overflowed.");
        check(
            &with("newOrderRespType", "ALL"),
            -1130,
            "Data sent for parameter 'newOrderRespType' is not valid.",
        );
        let no_transfer = "This symbol does not allow the specified self-trade prevention mode.";
        check(&with("selfTradePreventionMode", "TRANSFER"), -1013, no_transfer);
        check(&with("quoteOrderQty", "5"), -1106, &not_required("quoteOrderQty"));
        check(
            // A misspelled parameter is reported before the one that is missing because of it.
            &LIMIT.replace("timeInForce", "timeInforce"),
            -1104,
            "Not all sent parameters were read; read '5' parameter(s) but was sent '6'.",
        );

        let market = "symbol=BTCUSDT&side=BUY&type=MARKET";
        check(
            market,
            -1102,
            "Param 'quantity' or 'quoteOrderQty' must be sent, but both were empty/null!",
        );
        check(&format!("{market}&quantity=1&price=1"), -1106, &not_required("price"));
        check(&format!("{market}&quantity=1&timeInForce=GTC"), -1106, &not_required("timeInForce"));
        let both = format!("{market}&quantity=1&quoteOrderQty=1");
        check(&both, -1106, &not_required("quoteOrderQty"));
    }

    #[test]
    fn a_signed_request_counts_all_its_parameters() {
        let text = LIMIT.replace("timeInForce", "timeInforce") + "&timestamp=1000&signature=x";
        let mut params = query(&text);
        check_time(&mut params, 1_000_000).unwrap();
        let error = NewOrderRequest::parse(params, &markets, &mut || cl("x")).unwrap_err();
        assert_eq!(error.msg, ApiError::unread(7, 8).msg);
    }

    #[test]
    fn a_test_order_may_ask_for_rates() {
        let text = format!("{LIMIT}&computeCommissionRates=true");
        let request = TestOrderRequest::parse(query(&text), &markets, &mut || cl("x")).unwrap();
        assert!(request.compute_commission_rates);
        assert_eq!(new_order(&text).unwrap_err().code, -1104);
    }

    proptest! {
        #[test]
        fn any_values_make_an_order_or_an_error(
            quantity in "[0-9.]{0,24}",
            price in "[0-9.]{0,24}",
            rest in "[a-zA-Z&=0-9.%\\[\\]\"]{0,60}",
        ) {
            let text = format!(
                "symbol=BTCUSDT&side=BUY&type=LIMIT&timeInForce=GTC&quantity={quantity}&price={price}&{rest}"
            );
            let Ok(params) = Params::parse(&text, b"") else { return Ok(()) };
            let mut generate = || cl("x");
            let _ = NewOrderRequest::parse(params.clone(), &markets, &mut generate);
            let _ = ReplaceOrderRequest::parse(params.clone(), &markets, &mut generate);
            let _ = CancelOrderRequest::parse(params, &markets, &mut generate);
        }
    }
}
