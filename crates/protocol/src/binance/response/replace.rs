//! Cancel and replace: one command with two halves, each of which may fail.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use types::{CancelCause, Event, Market, RejectReason, ReplaceMode};

use crate::binance::reject::{self, Request};
use crate::binance::request::ResponseType;
use crate::binance::response::cancel::{CancelAnswer, Canceling, canceled};
use crate::binance::response::encode;
use crate::binance::response::entered::Entered;
use crate::binance::response::order::{NewOrderAnswer, find_refusal, new_order_refusal};
use crate::signed::{ApiError, TimeUnit};

/// `POST /api/v3/order/cancelReplace`: an answer or an error, with what became of each half.
#[derive(Clone, Debug)]
pub struct ReplaceAnswer {
    pub status: u16,
    pub body: String,
}

impl ReplaceAnswer {
    /// `limit` is the error of an order above the account's order limits, with its figures.
    pub fn new(
        canceling: Canceling<'_>,
        response_type: ResponseType,
        mode: ReplaceMode,
        limit: Option<ApiError>,
    ) -> Result<Self, ApiError> {
        let cancel = CancelHalf::new(canceling)?;
        let Canceling { market, events, unit, .. } = canceling;
        let stops = mode == ReplaceMode::StopOnFailure;
        let (status, new_order) = match limit {
            Some(limit) if !stops => (None, NewOrderHalf::Failed(limit)),
            Some(limit) => match &cancel {
                CancelHalf::Done(_) => (Some(limit.status), NewOrderHalf::Failed(limit)),
                CancelHalf::Failed(_) => (Some(limit.status), NewOrderHalf::NotAttempted),
            },
            None => (None, NewOrderHalf::new(market, events, response_type, unit)),
        };
        let halves = Halves {
            cancel_result: cancel.outcome(),
            new_order_result: new_order.outcome(),
            cancel_response: cancel,
            new_order_response: new_order,
        };
        let answer = halves.answer();
        Ok(Self { status: status.unwrap_or(answer.status), ..answer })
    }

    /// Whether the account's order limits refused the new order.
    pub fn is_limited(events: &[Event]) -> bool {
        find_refusal(events, false) == Some(RejectReason::OrderRateAboveMax)
    }
}

/// Of a success.
impl JsonSchema for ReplaceAnswer {
    fn schema_name() -> Cow<'static, str> {
        "ReplaceAnswer".into()
    }

    fn json_schema(schemas: &mut SchemaGenerator) -> Schema {
        Halves::json_schema(schemas)
    }
}

#[derive(JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
struct Halves {
    cancel_result: Outcome,
    new_order_result: Outcome,
    cancel_response: CancelHalf,
    new_order_response: NewOrderHalf,
}

#[derive(Clone, Copy, Eq, PartialEq, JsonSchema, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum Outcome {
    Success,
    Failure,
    NotAttempted,
}

#[derive(JsonSchema, Serialize)]
#[serde(untagged)]
enum CancelHalf {
    Done(CancelAnswer),
    Failed(ApiError),
}

#[derive(JsonSchema, Serialize)]
#[serde(untagged)]
enum NewOrderHalf {
    Done(Box<NewOrderAnswer>),
    Failed(ApiError),
    NotAttempted,
}

impl Halves {
    fn answer(&self) -> ReplaceAnswer {
        let succeeded = [self.cancel_result, self.new_order_result].map(|o| o == Outcome::Success);
        let (status, code, msg) = match succeeded {
            [true, true] => return ReplaceAnswer { status: 200, body: encode(self) },
            [false, false] => (400, -2022, "Order cancel-replace failed."),
            _ => (409, -2021, "Order cancel-replace partially failed."),
        };
        ReplaceAnswer { status, body: encode(&HalvesError { code, msg, data: self }) }
    }
}

#[derive(Serialize)]
struct HalvesError<'a> {
    code: i32,
    msg: &'static str,
    data: &'a Halves,
}

impl CancelHalf {
    /// A refusal of the command as a whole, say because of a filter, is plainly its error.
    fn new(canceling: Canceling<'_>) -> Result<Self, ApiError> {
        let events = canceling.events;
        let replaced = canceled(events).find(|canceled| canceled.cause == CancelCause::Replaced);
        if let Some(canceled) = replaced {
            return Ok(Self::Done(canceling.answer(canceled)));
        }
        match find_refusal(events, true) {
            Some(reason) => Ok(Self::Failed(reject::api_error(reason, Request::Cancel))),
            None => Err(new_order_refusal(canceling.market, events)),
        }
    }

    const fn outcome(&self) -> Outcome {
        match self {
            Self::Done(_) => Outcome::Success,
            Self::Failed(_) => Outcome::Failure,
        }
    }
}

impl NewOrderHalf {
    fn new(market: &Market, events: &[Event], response_type: ResponseType, unit: TimeUnit) -> Self {
        if let Some(entered) = Entered::find(events) {
            let answer = NewOrderAnswer::from_entered(market, &entered, response_type, unit);
            return Self::Done(Box::new(answer));
        }
        match find_refusal(events, false) {
            None | Some(RejectReason::NotAttempted) => Self::NotAttempted,
            Some(reason) => Self::Failed(reject::new_order_error(reason, market)),
        }
    }

    const fn outcome(&self) -> Outcome {
        match self {
            Self::Done(_) => Outcome::Success,
            Self::Failed(_) => Outcome::Failure,
            Self::NotAttempted => Outcome::NotAttempted,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use types::CancelCause;

    use super::*;
    use crate::binance::testing::{
        accepted, btcusdt, cancel_json, canceled, canceling, order, rejected,
    };

    fn replace(events: &[Event]) -> (u16, serde_json::Value) {
        let (mode, kind) = (ReplaceMode::StopOnFailure, ResponseType::Ack);
        let answer = ReplaceAnswer::new(canceling(&btcusdt(), events), kind, mode, None).unwrap();
        (answer.status, serde_json::from_str(&answer.body).unwrap())
    }

    #[test]
    fn a_replace_shows_both_halves() {
        let cancel_done = canceled(order(3), CancelCause::Replaced);
        let cancel_failed = rejected(RejectReason::OrderNotFound, true);
        let order_done = accepted(order(11));
        let order_failed = rejected(RejectReason::WouldTakeLiquidity, false);
        let not_attempted = rejected(RejectReason::NotAttempted, false);

        let cancel_json = cancel_json(3);
        let cancel_error =
            json!({"code": -2011, "msg": "Unknown order sent.", "reason": "OrderNotFound"});
        let order_json = json!({
            "symbol": "BTCUSDT", "orderId": 11, "orderListId": -1, "clientOrderId": "mine",
            "transactTime": 1_507_725_176_595_u64,
        });
        let order_error = json!({
            "code": -2010, "msg": "Order would immediately match and take.",
            "reason": "WouldTakeLiquidity",
        });
        let failed = "Order cancel-replace failed.";
        let partially = "Order cancel-replace partially failed.";

        assert_eq!(
            replace(&[cancel_done, order_done]),
            (
                200,
                json!({
                    "cancelResult": "SUCCESS", "newOrderResult": "SUCCESS",
                    "cancelResponse": cancel_json, "newOrderResponse": order_json,
                })
            )
        );
        assert_eq!(
            replace(&[cancel_failed, not_attempted]),
            (
                400,
                json!({"code": -2022, "msg": failed, "data": {
                    "cancelResult": "FAILURE", "newOrderResult": "NOT_ATTEMPTED",
                    "cancelResponse": cancel_error, "newOrderResponse": null,
                }})
            )
        );
        assert_eq!(
            replace(&[cancel_failed, order_failed]),
            (
                400,
                json!({"code": -2022, "msg": failed, "data": {
                    "cancelResult": "FAILURE", "newOrderResult": "FAILURE",
                    "cancelResponse": cancel_error, "newOrderResponse": order_error,
                }})
            )
        );
        assert_eq!(
            replace(&[cancel_done, order_failed]),
            (
                409,
                json!({"code": -2021, "msg": partially, "data": {
                    "cancelResult": "SUCCESS", "newOrderResult": "FAILURE",
                    "cancelResponse": cancel_json, "newOrderResponse": order_error,
                }})
            )
        );
        assert_eq!(
            replace(&[cancel_failed, order_done]),
            (
                409,
                json!({"code": -2021, "msg": partially, "data": {
                    "cancelResult": "FAILURE", "newOrderResult": "SUCCESS",
                    "cancelResponse": cancel_error, "newOrderResponse": order_json,
                }})
            )
        );
    }

    #[test]
    fn a_replace_refused_as_a_whole_is_a_plain_error() {
        let events = [rejected(RejectReason::PriceAboveMax, false)];
        let (mode, kind) = (ReplaceMode::StopOnFailure, ResponseType::Ack);
        let error = ReplaceAnswer::new(canceling(&btcusdt(), &events), kind, mode, None);
        let reason = Some(RejectReason::PriceAboveMax);
        assert_eq!(error.unwrap_err(), ApiError { reason, ..ApiError::filter("PRICE_FILTER") });
    }

    /// The table of the documentation, for accounts above their limits.
    #[test]
    fn a_limited_replace_may_still_cancel() {
        let limit = ApiError::too_many_orders(1, "10 SECOND");
        let done = canceled(order(3), CancelCause::Replaced);
        let failed = rejected(RejectReason::OrderNotFound, true);
        let (stop, allow) = (ReplaceMode::StopOnFailure, ReplaceMode::AllowFailure);
        for (cancel, mode, expect) in [
            (done, stop, (429, -2021, "FAILURE")),
            (failed, stop, (429, -2022, "NOT_ATTEMPTED")),
            (done, allow, (409, -2021, "FAILURE")),
            (failed, allow, (400, -2022, "FAILURE")),
        ] {
            let events = [cancel, rejected(RejectReason::OrderRateAboveMax, false)];
            assert!(ReplaceAnswer::is_limited(&events));
            let market = btcusdt();
            let canceling = canceling(&market, &events);
            let answer =
                ReplaceAnswer::new(canceling, ResponseType::Ack, mode, Some(limit.clone()));
            let answer = answer.unwrap();
            let body: serde_json::Value = serde_json::from_str(&answer.body).unwrap();
            let data = &body["data"];
            assert_eq!((answer.status, &body["code"]), (expect.0, &json!(expect.1)));
            assert_eq!(data["newOrderResult"], expect.2);
            let is_tried = expect.2 == "FAILURE";
            let code = if is_tried { json!(-1015) } else { json!(null) };
            assert_eq!(data["newOrderResponse"]["code"], code);
        }
    }
}
