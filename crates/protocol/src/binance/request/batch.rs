//! Batches, our extension: several orders or cancels in one signed request, each with a result or
//! an error of its own.

use serde_json::value::RawValue;
use types::Markets;

use super::{CancelOrderRequest, NewOrderRequest};
use crate::signed::{ApiError, Generate, Params};

pub const ORDERS_IN_BATCH_MAX: usize = 20;

const NAME: &str = "batchOrders";

/// `POST /api/v3/batchOrders`: a list of objects with the parameters of `POST /api/v3/order`.
#[derive(Clone, Debug)]
pub struct BatchOrdersRequest {
    pub orders: Vec<Result<NewOrderRequest, ApiError>>,
}

impl BatchOrdersRequest {
    pub fn parse(
        params: Params,
        markets: Markets<'_>,
        generate: Generate<'_>,
    ) -> Result<Self, ApiError> {
        let each = |params| NewOrderRequest::parse(params, markets, &mut *generate);
        Ok(Self { orders: parse_each(params, each)? })
    }

    /// What a batch of orders or cancels counts against its sender's limit: as much as its parts by
    /// themselves.
    pub fn weight(params: &Params) -> u32 {
        let objects = params.peek(NAME).and_then(|text| objects(text).ok());
        let parts = objects.map_or(1, |objects| objects.len().clamp(1, ORDERS_IN_BATCH_MAX));
        u32::try_from(parts).expect("at most ORDERS_IN_BATCH_MAX")
    }
}

fn objects(text: &str) -> Result<Vec<&RawValue>, ApiError> {
    serde_json::from_str(text).map_err(|_| ApiError::invalid_json_in(NAME))
}

/// `POST /api/v3/batchCancel`: a list of objects with the parameters of `DELETE /api/v3/order`.
#[derive(Clone, Debug)]
pub struct BatchCancelRequest {
    pub cancels: Vec<Result<CancelOrderRequest, ApiError>>,
}

impl BatchCancelRequest {
    pub fn parse(
        params: Params,
        markets: Markets<'_>,
        generate: Generate<'_>,
    ) -> Result<Self, ApiError> {
        let each = |params| CancelOrderRequest::parse(params, markets, &mut *generate);
        Ok(Self { cancels: parse_each(params, each)? })
    }
}

/// The batch as a whole is an error only when it is no list, an empty one, or too long.
fn parse_each<T>(
    mut params: Params,
    mut parse: impl FnMut(Params) -> Result<T, ApiError>,
) -> Result<Vec<Result<T, ApiError>>, ApiError> {
    let text = params.mandatory_text(NAME)?.into_owned();
    params.finish()?;
    let objects = objects(&text)?;
    match objects.len() {
        0 => Err(ApiError::empty(NAME)),
        1..=ORDERS_IN_BATCH_MAX => {
            let parsed = |object: &RawValue| Params::of_object(object.get()).and_then(&mut parse);
            Ok(objects.into_iter().map(parsed).collect())
        }
        too_many => Err(ApiError::too_many_parameters(ORDERS_IN_BATCH_MAX, too_many)),
    }
}

#[cfg(test)]
mod tests {
    use types::Side;

    use super::*;
    use crate::binance::testing::{cl, markets};

    fn body(list: &str) -> Params {
        Params::parse("", format!(r#"{{"batchOrders":{list}}}"#).as_bytes()).unwrap()
    }

    #[test]
    fn each_order_is_right_or_wrong_by_itself() {
        let list = r#"[{"symbol":"BTCUSDT","side":"BUY","type":"MARKET","quantity":0.1},
                       {"symbol":"NONE","side":"BUY","type":"MARKET","quantity":"1"}, 5]"#;
        let batch = BatchOrdersRequest::parse(body(list), &markets, &mut || cl("x")).unwrap();
        assert_eq!(batch.orders[0].as_ref().unwrap().order.side, Side::Buy);
        let code = |at: usize| batch.orders[at].as_ref().unwrap_err().code;
        assert_eq!((code(1), code(2)), (-1121, -1135));
    }

    #[test]
    fn a_batch_is_a_list_of_at_most_twenty() {
        let parse = |list: &str| {
            BatchCancelRequest::parse(body(list), &markets, &mut || cl("x"))
                .map(|batch| batch.cancels.len())
        };
        let one = r#"{"symbol":"BTCUSDT","orderId":5}"#;
        let of = |count: usize| format!("[{}]", vec![one; count].join(","));
        assert_eq!(parse(&of(20)), Ok(20));
        assert_eq!(parse(&of(21)), Err(ApiError::too_many_parameters(20, 21)));
        assert_eq!(BatchOrdersRequest::weight(&body(&of(3))), 3);
        assert_eq!(BatchOrdersRequest::weight(&body(&of(21))), 20);
        assert_eq!(BatchOrdersRequest::weight(&body("5")), 1);
        assert_eq!(parse("[]"), Err(ApiError::empty("batchOrders")));
        assert_eq!(parse(r#""x""#), Err(ApiError::invalid_json_in("batchOrders")));
        let none = BatchCancelRequest::parse(Params::default(), &markets, &mut || cl("x"));
        assert_eq!(none.unwrap_err(), ApiError::mandatory("batchOrders"));
    }

    #[test]
    fn in_a_form_the_list_is_text() {
        let text = "batchOrders=%5B%7B%22symbol%22%3A%22BTCUSDT%22%2C%22orderId%22%3A5%7D%5D";
        let params = Params::parse(text, b"").unwrap();
        let batch = BatchCancelRequest::parse(params, &markets, &mut || cl("x")).unwrap();
        assert!(batch.cancels[0].is_ok());
    }
}
