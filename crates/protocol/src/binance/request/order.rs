//! New orders, and what becomes of them at their owner's wish.

use types::{
    AmendOrder, CancelAll, CancelOrder, CancelRestriction, ClOrdId, NewOrder, OrderSize, OrderType,
    Price, Qty, ReplaceMode, ReplaceOrder, Side, StpMode, TimeInForce,
};

use super::{Generate, order_ref};
use crate::binance::{ApiError, Market, Markets, Params};

const STRATEGY_TYPE_MIN: i32 = 1_000_000;

/// How much the answer to a new order tells.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ResponseType {
    Ack,
    Result,
    Full,
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
        let sent = SentOrder::take(&mut params, &market)?;
        params.finish()?;
        let (order, response_type) = sent.check(&market, generate)?;
        Ok(Self { market, order, response_type })
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
        let compute_commission_rates = params.flag("computeCommissionRates")?.unwrap_or(false);
        let request = NewOrderRequest::parse(params, markets, generate)?;
        Ok(Self { request, compute_commission_rates })
    }
}

/// `DELETE /api/v3/order`
#[derive(Clone, Copy, Debug)]
pub struct CancelOrderRequest {
    pub market: Market,
    pub cancel: CancelOrder,
}

impl CancelOrderRequest {
    pub fn parse(
        mut params: Params,
        markets: Markets<'_>,
        generate: Generate<'_>,
    ) -> Result<Self, ApiError> {
        let market = params.market(markets)?;
        let order = order_ref(&mut params, "orderId", "origClientOrderId")?;
        let cl_ord_id = params.cl_ord_id("newClientOrderId")?;
        let restriction = cancel_restriction(&mut params)?;
        params.finish()?;
        let cancel = CancelOrder {
            instrument: market.instrument.id,
            order: order?,
            cl_ord_id: cl_ord_id.unwrap_or_else(generate),
            restriction,
        };
        Ok(Self { market, cancel })
    }
}

/// `DELETE /api/v3/openOrders`
#[derive(Clone, Copy, Debug)]
pub struct CancelAllRequest {
    pub market: Market,
    pub cancel: CancelAll,
}

impl CancelAllRequest {
    pub fn parse(
        mut params: Params,
        markets: Markets<'_>,
        generate: Generate<'_>,
    ) -> Result<Self, ApiError> {
        let market = params.market(markets)?;
        params.finish()?;
        let cancel = CancelAll { instrument: market.instrument.id, cl_ord_id: generate() };
        Ok(Self { market, cancel })
    }
}

/// `POST /api/v3/order/cancelReplace`
#[derive(Clone, Copy, Debug)]
pub struct ReplaceOrderRequest {
    pub market: Market,
    pub replace: ReplaceOrder,
    pub response_type: ResponseType,
    /// Whether the cancel is wanted even when the client has sent too many new orders.
    pub cancel_when_limited: bool,
}

impl ReplaceOrderRequest {
    pub fn parse(
        mut params: Params,
        markets: Markets<'_>,
        generate: Generate<'_>,
    ) -> Result<Self, ApiError> {
        let market = params.market(markets)?;
        let sent = SentOrder::take(&mut params, &market)?;
        let mode = params.mandatory_choice_or(
            "cancelReplaceMode",
            &[
                ("STOP_ON_FAILURE", ReplaceMode::StopOnFailure),
                ("ALLOW_FAILURE", ReplaceMode::AllowFailure),
            ],
            || ApiError::invalid_parameter("cancelReplaceMode"),
        )?;
        let target = order_ref(&mut params, "cancelOrderId", "cancelOrigClientOrderId")?;
        let cl_ord_id = params.cl_ord_id("cancelNewClientOrderId")?;
        let restriction = cancel_restriction(&mut params)?;
        let cancel_when_limited = params
            .choice("orderRateLimitExceededMode", &[("DO_NOTHING", false), ("CANCEL_ONLY", true)])?
            .unwrap_or(false);
        params.finish()?;
        let cancel = CancelOrder {
            instrument: market.instrument.id,
            order: target?,
            cl_ord_id: cl_ord_id.unwrap_or_else(&mut *generate),
            restriction,
        };
        let (order, response_type) = sent.check(&market, generate)?;
        let replace = ReplaceOrder { cancel, mode, order };
        Ok(Self { market, replace, response_type, cancel_when_limited })
    }
}

/// `PUT /api/v3/order/amend/keepPriority`
#[derive(Clone, Copy, Debug)]
pub struct AmendOrderRequest {
    pub market: Market,
    pub amend: AmendOrder,
}

impl AmendOrderRequest {
    pub fn parse(
        mut params: Params,
        markets: Markets<'_>,
        generate: Generate<'_>,
    ) -> Result<Self, ApiError> {
        let market = params.market(markets)?;
        let order = order_ref(&mut params, "orderId", "origClientOrderId")?;
        let cl_ord_id = params.cl_ord_id("newClientOrderId")?;
        let new_qty = params.decimal("newQty")?.ok_or_else(|| ApiError::mandatory("newQty"))?;
        params.finish()?;
        let amend = AmendOrder {
            instrument: market.instrument.id,
            order: order?,
            cl_ord_id: Some(cl_ord_id.unwrap_or_else(generate)),
            order_qty: parse_qty(&market, "newQty", &new_qty)?,
        };
        Ok(Self { market, amend })
    }
}

/// The parameters of an order, each right by itself. What goes with what is still to be checked.
struct SentOrder {
    side: Side,
    order_type: SentType,
    time_in_force: Option<TimeInForce>,
    quantity: Option<String>,
    quote_order_qty: Option<String>,
    price: Option<String>,
    cl_ord_id: Option<ClOrdId>,
    strategy_id: Option<i64>,
    strategy_type: Option<i32>,
    response_type: Option<ResponseType>,
    stp_mode: StpMode,
    /// A feature that the order asks for and that no market here has.
    unsupported: Option<&'static str>,
}

#[derive(Clone, Copy)]
enum SentType {
    Known(OrderType),
    Unsupported(&'static str),
}

const SIDES: &[(&str, Side)] = &[("BUY", Side::Buy), ("SELL", Side::Sell)];
const ORDER_TYPES: &[(&str, SentType)] = &[
    ("LIMIT", SentType::Known(OrderType::Limit)),
    ("MARKET", SentType::Known(OrderType::Market)),
    ("LIMIT_MAKER", SentType::Known(OrderType::LimitMaker)),
    ("STOP_LOSS", SentType::Unsupported("Stop loss orders")),
    ("STOP_LOSS_LIMIT", SentType::Unsupported("Stop loss limit orders")),
    ("TAKE_PROFIT", SentType::Unsupported("Take profit orders")),
    ("TAKE_PROFIT_LIMIT", SentType::Unsupported("Take profit limit orders")),
];
const TIMES_IN_FORCE: &[(&str, TimeInForce)] =
    &[("GTC", TimeInForce::Gtc), ("IOC", TimeInForce::Ioc), ("FOK", TimeInForce::Fok)];
const RESPONSE_TYPES: &[(&str, ResponseType)] =
    &[("ACK", ResponseType::Ack), ("RESULT", ResponseType::Result), ("FULL", ResponseType::Full)];
const STP_MODES: &[(&str, StpMode)] = &[
    ("NONE", StpMode::None),
    ("EXPIRE_TAKER", StpMode::ExpireTaker),
    ("EXPIRE_MAKER", StpMode::ExpireMaker),
    ("EXPIRE_BOTH", StpMode::ExpireBoth),
    ("DECREMENT", StpMode::Decrement),
];
/// Parameters of features that no market here has.
const UNSUPPORTED: &[(&str, &str)] = &[
    ("stopPrice", "Stop loss orders"),
    ("trailingDelta", "Trailing stop orders"),
    ("icebergQty", "Iceberg orders"),
    ("pegPriceType", "Pegged orders"),
    ("pegOffsetType", "Pegged orders"),
    ("pegOffsetValue", "Pegged orders"),
];

impl SentOrder {
    fn take(params: &mut Params, market: &Market) -> Result<Self, ApiError> {
        let mut unsupported = None;
        for (name, feature) in UNSUPPORTED {
            unsupported = params.text(name)?.map(|_| *feature).or(unsupported);
        }
        Ok(Self {
            side: params.mandatory_choice_or("side", SIDES, ApiError::invalid_side)?,
            order_type: params.mandatory_choice_or(
                "type",
                ORDER_TYPES,
                ApiError::invalid_order_type,
            )?,
            time_in_force: params.choice_or(
                "timeInForce",
                TIMES_IN_FORCE,
                ApiError::invalid_time_in_force,
            )?,
            quantity: take_decimal(params, "quantity", market.base.decimals)?,
            quote_order_qty: take_decimal(params, "quoteOrderQty", market.quote.decimals)?,
            price: take_decimal(params, "price", market.quote.decimals)?,
            cl_ord_id: params.cl_ord_id("newClientOrderId")?,
            strategy_id: take_int(params, "strategyId")?,
            strategy_type: take_int(params, "strategyType")?,
            response_type: params.choice("newOrderRespType", RESPONSE_TYPES)?,
            stp_mode: params.choice("selfTradePreventionMode", STP_MODES)?.unwrap_or(StpMode::None),
            unsupported,
        })
    }

    fn check(
        self,
        market: &Market,
        generate: Generate<'_>,
    ) -> Result<(NewOrder, ResponseType), ApiError> {
        let order_type = match (self.order_type, self.unsupported) {
            (SentType::Unsupported(feature), _) | (_, Some(feature)) => {
                return Err(ApiError::not_supported_for_symbol(feature));
            }
            (SentType::Known(order_type), None) => order_type,
        };
        if self.strategy_type.is_some_and(|strategy_type| strategy_type < STRATEGY_TYPE_MIN) {
            return Err(ApiError::strategy_type_too_low());
        }
        let time_in_force = self.check_time_in_force(order_type)?;
        let size = self.check_size(order_type, market)?;
        let price = self.check_price(order_type, market)?;
        let order = NewOrder {
            instrument: market.instrument.id,
            cl_ord_id: self.cl_ord_id.unwrap_or_else(generate),
            side: self.side,
            order_type,
            time_in_force,
            stp_mode: self.stp_mode,
            price,
            size,
            strategy_id: self.strategy_id,
            strategy_type: self.strategy_type,
            terms: None,
        };
        let default = match order_type {
            OrderType::Limit | OrderType::Market => ResponseType::Full,
            _ => ResponseType::Ack,
        };
        Ok((order, self.response_type.unwrap_or(default)))
    }

    /// Only a plain limit order has one; the others are reported as good till canceled.
    fn check_time_in_force(&self, order_type: OrderType) -> Result<TimeInForce, ApiError> {
        match (order_type, self.time_in_force) {
            (OrderType::Limit, Some(time_in_force)) => Ok(time_in_force),
            (OrderType::Limit, None) => Err(ApiError::mandatory("timeInForce")),
            (_, Some(_)) => Err(ApiError::not_required("timeInForce")),
            (_, None) => Ok(TimeInForce::Gtc),
        }
    }

    fn check_size(&self, order_type: OrderType, market: &Market) -> Result<OrderSize, ApiError> {
        match (order_type, &self.quantity, &self.quote_order_qty) {
            (OrderType::Market, None, None) => {
                Err(ApiError::either_mandatory("quantity", "quoteOrderQty"))
            }
            (OrderType::Market, None, Some(text)) => {
                let amount = market.quote.parse_amount(text);
                let amount = amount.ok_or_else(|| ApiError::overflowed("quoteOrderQty"))?;
                Ok(OrderSize::Quote(amount))
            }
            (_, None, _) => Err(ApiError::mandatory("quantity")),
            (_, Some(_), Some(_)) => Err(ApiError::not_required("quoteOrderQty")),
            (_, Some(text), None) => parse_qty(market, "quantity", text).map(OrderSize::Base),
        }
    }

    fn check_price(&self, order_type: OrderType, market: &Market) -> Result<Price, ApiError> {
        match (order_type, &self.price) {
            (OrderType::Market, None) => Ok(Price::from_ticks(0)),
            (OrderType::Market, Some(_)) => Err(ApiError::not_required("price")),
            (_, None) => Err(ApiError::mandatory("price")),
            (_, Some(text)) => {
                market.instrument.parse_price(text).ok_or_else(|| ApiError::filter("PRICE_FILTER"))
            }
        }
    }
}

/// A decimal that is exact in an asset's smallest units; zeros beyond those are fine.
fn take_decimal(params: &mut Params, name: &str, decimals: u8) -> Result<Option<String>, ApiError> {
    let text = params.decimal(name)?;
    match text.as_deref().is_none_or(|text| has_precision(text, decimals)) {
        true => Ok(text),
        false => Err(ApiError::too_much_precision(name)),
    }
}

fn has_precision(text: &str, decimals: u8) -> bool {
    let (_, fraction) = text.split_once('.').unwrap_or((text, ""));
    fraction.trim_end_matches('0').len() <= usize::from(decimals)
}

/// An integer that is stored in fewer bits than clients may send.
fn take_int<T: TryFrom<u64>>(params: &mut Params, name: &str) -> Result<Option<T>, ApiError> {
    let Some(integer) = params.integer(name)? else { return Ok(None) };
    T::try_from(integer).map(Some).map_err(|_| ApiError::overflowed(name))
}

fn parse_qty(market: &Market, name: &str, text: &str) -> Result<Qty, ApiError> {
    if !has_precision(text, market.base.decimals) {
        return Err(ApiError::too_much_precision(name));
    }
    market.instrument.parse_qty(text).ok_or_else(|| ApiError::filter("LOT_SIZE"))
}

fn cancel_restriction(params: &mut Params) -> Result<CancelRestriction, ApiError> {
    let restriction = params.choice_or(
        "cancelRestrictions",
        &[
            ("ONLY_NEW", CancelRestriction::OnlyNew),
            ("ONLY_PARTIALLY_FILLED", CancelRestriction::OnlyPartiallyFilled),
        ],
        ApiError::invalid_cancel_restrictions,
    )?;
    Ok(restriction.unwrap_or(CancelRestriction::None))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use types::{Amount, OrderId, OrderRef};

    use super::*;
    use crate::binance::sign::check_time;
    use crate::binance::testing::{cl, markets, query};

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
        check(&with("timeInForce", "DAY"), -1115, "Invalid timeInForce.");
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
        let iceberg = "Iceberg orders are not supported for this symbol.";
        check(&with("icebergQty", "0.01"), -1013, iceberg);
        let stop = "Stop loss limit orders are not supported for this symbol.";
        check(&format!("{}&stopPrice=1", with("type", "STOP_LOSS_LIMIT")), -1013, stop);
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
        assert_eq!(error, ApiError::unread(7, 8));
    }

    #[test]
    fn a_test_order_may_ask_for_rates() {
        let text = format!("{LIMIT}&computeCommissionRates=true");
        let request = TestOrderRequest::parse(query(&text), &markets, &mut || cl("x")).unwrap();
        assert!(request.compute_commission_rates);
        assert_eq!(new_order(&text).unwrap_err().code, -1104);
    }

    #[test]
    fn a_cancel_names_its_order() {
        let cancel = |text: &str| {
            CancelOrderRequest::parse(query(text), &markets, &mut || cl("generated"))
                .map(|request| request.cancel)
        };
        let request = cancel("symbol=BTCUSDT&orderId=5&cancelRestrictions=ONLY_NEW").unwrap();
        assert_eq!(request.order, OrderRef::by_id(OrderId(5)));
        assert_eq!(request.cl_ord_id, cl("generated"));
        assert_eq!(request.restriction, CancelRestriction::OnlyNew);
        let request = cancel("symbol=BTCUSDT&origClientOrderId=a&newClientOrderId=b").unwrap();
        assert_eq!(request.order, OrderRef::by_cl_ord_id(cl("a")));
        assert_eq!(request.cl_ord_id, cl("b"));
        let error = cancel("symbol=BTCUSDT").unwrap_err();
        assert_eq!(error.code, -1102);
        assert_eq!(
            error.msg,
            "Param 'origClientOrderId' or 'orderId' must be sent, but both were empty/null!"
        );
        let error = cancel("symbol=BTCUSDT&orderId=5&cancelRestrictions=X").unwrap_err();
        assert_eq!((error.code, &*error.msg), (-1145, "Invalid cancelRestrictions"));
    }

    #[test]
    fn a_replace_is_a_cancel_and_an_order() {
        let parse = |text: &str| {
            let mut count = 0;
            ReplaceOrderRequest::parse(query(text), &markets, &mut || {
                count += 1;
                cl(&format!("generated{count}"))
            })
        };
        let text = format!("{LIMIT}&cancelReplaceMode=ALLOW_FAILURE&cancelOrderId=3");
        let request = parse(&text).unwrap();
        assert_eq!(request.replace.mode, ReplaceMode::AllowFailure);
        assert_eq!(request.replace.cancel.order, OrderRef::by_id(OrderId(3)));
        assert_eq!(request.replace.cancel.cl_ord_id, cl("generated1"));
        assert_eq!(request.replace.order.cl_ord_id, cl("generated2"));
        assert_eq!(parse(LIMIT).unwrap_err().code, -1102);
        assert_eq!(parse(&format!("{LIMIT}&cancelReplaceMode=X")).unwrap_err().code, -1130);
        let no_target = format!("{LIMIT}&cancelReplaceMode=ALLOW_FAILURE");
        assert_eq!(parse(&no_target).unwrap_err().code, -1102);
    }

    #[test]
    fn an_amend_has_a_quantity() {
        let parse = |text: &str| {
            AmendOrderRequest::parse(query(text), &markets, &mut || cl("generated"))
                .map(|request| request.amend)
        };
        let amend = parse("symbol=BTCUSDT&orderId=5&newQty=0.05").unwrap();
        assert_eq!(amend.order_qty, Qty::from_lots(5_000));
        assert_eq!(amend.cl_ord_id, Some(cl("generated")));
        assert_eq!(parse("symbol=BTCUSDT&orderId=5").unwrap_err().code, -1102);
        assert_eq!(parse("symbol=BTCUSDT&orderId=5&newQty=0.000001").unwrap_err().code, -1013);
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
