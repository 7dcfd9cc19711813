//! Open orders that are canceled, replaced or lowered at their owner's wish.

use types::{
    AmendOrder, CancelAll, CancelOrder, CancelRestriction, Market, Markets, ReplaceMode,
    ReplaceOrder,
};

use super::order::{ResponseType, take_response_type};
use super::order_ref;
use super::sent::{SentOrder, parse_qty};
use crate::signed::{ApiError, Generate, Params};

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
}

impl ReplaceOrderRequest {
    pub fn parse(
        mut params: Params,
        markets: Markets<'_>,
        generate: Generate<'_>,
    ) -> Result<Self, ApiError> {
        let market = params.market(markets)?;
        let sent = SentOrder::alone(&mut params, &market)?;
        let asked = take_response_type(&mut params)?;
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
        let response_type = asked.unwrap_or_else(|| ResponseType::of(sent.order_type()));
        let order = sent.check(&market, generate)?;
        let replace = ReplaceOrder { cancel, mode, cancel_when_limited, order };
        Ok(Self { market, replace, response_type })
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
        let new_qty = params.mandatory_decimal("newQty")?;
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
    use types::{OrderId, OrderRef, Qty};

    use super::*;
    use crate::binance::testing::{cl, markets, query};

    const LIMIT: &str =
        "symbol=BTCUSDT&side=BUY&type=LIMIT&timeInForce=GTC&quantity=0.1&price=25000";

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
}
