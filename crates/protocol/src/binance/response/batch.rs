//! Batches: a result or an error for each part, in the order in which they were sent.

use schemars::JsonSchema;
use serde::Serialize;

use crate::signed::ApiError;

/// `POST /api/v3/batchOrders` and `POST /api/v3/batchCancel`
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(transparent)]
pub struct BatchAnswer<T>(Vec<Part<T>>);

#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(untagged)]
enum Part<T> {
    Done(T),
    Failed(ApiError),
}

impl<T> FromIterator<Result<T, ApiError>> for BatchAnswer<T> {
    fn from_iter<I: IntoIterator<Item = Result<T, ApiError>>>(parts: I) -> Self {
        let part = |part| match part {
            Ok(done) => Part::Done(done),
            Err(error) => Part::Failed(error),
        };
        Self(parts.into_iter().map(part).collect())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::binance::response::Empty;
    use crate::binance::testing::check;

    #[test]
    fn each_part_has_a_result_or_an_error() {
        let parts = [Ok(Empty {}), Err(ApiError::unknown_order())];
        let answer: BatchAnswer<Empty> = parts.into_iter().collect();
        check(&answer, json!([{}, {"code": -2011, "msg": "Unknown order sent."}]));
    }
}
