//! Errors as clients see them: an HTTP status, and a body with a code and a text.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;
use thiserror::Error;

/// Why a request failed. The code says what kind it is, the text which parameter or rule it was.
#[derive(Clone, Debug, Eq, Error, JsonSchema, PartialEq, Serialize)]
#[error("{code} {msg}")]
pub struct ApiError {
    #[serde(skip)]
    pub status: u16,
    pub code: i32,
    pub msg: Cow<'static, str>,
    /// After how many seconds a limit lets its sender in again.
    #[serde(skip)]
    pub retry_after_s: Option<u64>,
}

impl ApiError {
    pub fn new(status: u16, code: i32, msg: impl Into<Cow<'static, str>>) -> Self {
        Self { status, code, msg: msg.into(), retry_after_s: None }
    }

    /// `{"code":-1121,"msg":"Invalid symbol."}`
    pub fn body(&self) -> String {
        serde_json::to_string(self).expect("a number and a text are JSON")
    }
}

/// The venue's side: nothing that the client can mend.
impl ApiError {
    pub fn unknown() -> Self {
        Self::new(500, -1000, "An unknown error occurred while processing the request.")
    }

    /// The request was not taken on.
    pub fn disconnected() -> Self {
        Self::new(503, -1001, "Internal error; unable to process your request. Please try again.")
    }

    /// The command is under way, but its result did not arrive in time.
    pub fn timeout() -> Self {
        Self::new(
            504,
            -1007,
            "Timeout waiting for response from backend server. Send status unknown; execution \
             status unknown.",
        )
    }

    /// It has no code of its own; clients take 503 for what may be tried again.
    pub fn disk_full() -> Self {
        Self::new(
            503,
            -1008,
            "The venue's disk is full: it takes cancels only, until there is room again. Nothing was \
             carried out.",
        )
    }

    pub fn overloaded() -> Self {
        Self::new(
            503,
            -1008,
            "Server is currently overloaded with other requests. Please try again in a few \
             minutes.",
        )
    }

    /// More is sent than the venue can do.
    pub fn too_busy_for_orders() -> Self {
        Self::new(
            503,
            -1008,
            "Server is currently overloaded with other requests: new orders are refused, cancels go on. \
             Nothing was carried out; please try again.",
        )
    }

    pub fn shutting_down() -> Self {
        Self::new(503, -1016, "This service is no longer available.")
    }
}

/// Limits.
impl ApiError {
    pub fn too_many_requests() -> Self {
        Self::new(429, -1003, "Too many requests queued.")
    }

    /// `interval` as in `"1 MINUTE"`.
    pub fn too_much_weight(limit: u32, interval: &str, retry_after_s: u64) -> Self {
        let msg = format!(
            "Too much request weight used; current limit is {limit} request weight per {interval}. \
             Please use WebSocket Streams for live updates to avoid polling the API."
        );
        Self { retry_after_s: Some(retry_after_s), ..Self::new(429, -1003, msg) }
    }

    /// For an address that did not stop when it was refused.
    pub fn banned(until_ms: u64, retry_after_s: u64) -> Self {
        let msg = format!(
            "Way too much request weight used; IP banned until {until_ms}. Please use WebSocket \
             Streams for live updates to avoid bans."
        );
        Self { retry_after_s: Some(retry_after_s), ..Self::new(418, -1003, msg) }
    }

    /// `interval` as in `"10 SECOND"`.
    pub fn too_many_orders(limit: u32, interval: &str) -> Self {
        Self::new(
            429,
            -1015,
            format!("Too many new orders; current limit is {limit} orders per {interval}."),
        )
    }

    pub fn too_many_connections(limit: u32) -> Self {
        Self::new(
            429,
            -1034,
            format!("Too many concurrent connections; current limit is '{limit}'."),
        )
    }

    pub fn body_too_large(bytes_max: usize) -> Self {
        Self::new(
            413,
            -1101,
            format!("Request body is too large; current limit is {bytes_max} bytes."),
        )
    }
}

/// Paths and methods.
impl ApiError {
    pub fn not_found(method: &str, path: &str) -> Self {
        Self::new(404, -5000, format!("Path {path}, Method {method} is invalid"))
    }

    pub fn method_not_allowed(method: &str, path: &str) -> Self {
        Self { status: 405, ..Self::not_found(method, path) }
    }

    /// Of the WebSocket API.
    pub fn unknown_method(method: &str) -> Self {
        Self::new(404, -5000, format!("Method {method} is invalid"))
    }

    pub fn no_such_listen_key() -> Self {
        bad(-1125, "This listenKey does not exist.")
    }

    pub fn subscribed_already() -> Self {
        bad(-2035, "Subscription already active on this connection.")
    }

    /// It has no code of its own.
    pub fn too_many_subscriptions(max: usize) -> Self {
        bad(-2035, format!("Too many subscriptions on this connection; the limit is {max}."))
    }

    /// Of an account, from a number on. Ours, like the parameter that it answers.
    pub fn events_gone(from_seq: u64) -> Self {
        bad(-1130, format!("The events from number {from_seq} on are no longer kept."))
    }

    pub fn unsupported_operation() -> Self {
        bad(-1020, "This operation is not supported.")
    }
}

/// Identity and time.
impl ApiError {
    pub fn outside_recv_window() -> Self {
        bad(-1021, "Timestamp for this request is outside of the recvWindow.")
    }

    pub fn timestamp_ahead() -> Self {
        bad(-1021, "Timestamp for this request was 1000ms ahead of the server's time.")
    }

    pub fn invalid_signature() -> Self {
        bad(-1022, "Signature for this request is not valid.")
    }

    pub fn recv_window_too_large() -> Self {
        bad(-1131, "recvWindow must be less than 60000")
    }

    pub fn api_key_format() -> Self {
        Self::new(401, -2014, "API-key format invalid.")
    }

    /// An unknown key, or one whose role does not allow this.
    pub fn api_key_rejected() -> Self {
        Self::new(401, -2015, "Invalid API-key, IP, or permissions for action.")
    }
}

/// Parameters.
impl ApiError {
    pub fn illegal_characters(name: &str, legal: &str) -> Self {
        bad(
            -1100,
            format!("Illegal characters found in parameter '{name}'; legal range is '{legal}'."),
        )
    }

    pub fn too_many_parameters(expected: usize, received: usize) -> Self {
        bad(-1101, format!("Too many parameters; expected '{expected}' and received '{received}'."))
    }

    pub fn duplicate_parameter() -> Self {
        bad(-1101, "Duplicate values for a parameter detected.")
    }

    pub fn mandatory(name: &str) -> Self {
        bad(
            -1102,
            format!("Mandatory parameter '{name}' was not sent, was empty/null, or malformed."),
        )
    }

    pub fn either_mandatory(one: &str, other: &str) -> Self {
        bad(-1102, format!("Param '{one}' or '{other}' must be sent, but both were empty/null!"))
    }

    pub fn unread(read: usize, sent: usize) -> Self {
        bad(
            -1104,
            format!(
                "Not all sent parameters were read; read '{read}' parameter(s) but was sent \
                 '{sent}'."
            ),
        )
    }

    pub fn empty(name: &str) -> Self {
        bad(-1105, format!("Parameter '{name}' was empty."))
    }

    pub fn not_required(name: &str) -> Self {
        bad(-1106, format!("Parameter '{name}' sent when not required."))
    }

    pub fn overflowed(name: &str) -> Self {
        bad(-1108, format!("Parameter '{name}' overflowed."))
    }

    pub fn too_much_precision(name: &str) -> Self {
        bad(-1111, format!("Parameter '{name}' has too much precision."))
    }

    pub fn invalid_time_in_force() -> Self {
        bad(-1115, "Invalid timeInForce.")
    }

    pub fn invalid_order_type() -> Self {
        bad(-1116, "Invalid orderType.")
    }

    pub fn invalid_side() -> Self {
        bad(-1117, "Invalid side.")
    }

    pub fn invalid_interval() -> Self {
        bad(-1120, "Invalid interval.")
    }

    pub fn invalid_ticker_type() -> Self {
        bad(-1139, "Invalid ticker type.")
    }

    pub fn invalid_symbol() -> Self {
        bad(-1121, "Invalid symbol.")
    }

    pub fn invalid_symbol_status() -> Self {
        bad(-1122, "Invalid symbolStatus.")
    }

    pub fn more_than_hours(hours: u64) -> Self {
        bad(-1127, format!("More than {hours} hours between startTime and endTime."))
    }

    /// More than a parameter may be; its own limit is known.
    pub fn greater_than(name: &str, max: u64) -> Self {
        bad(-1102, format!("'{name}' contains unexpected value. Cannot be greater than {max}."))
    }

    pub fn only_together(names: &[impl AsRef<str>]) -> Self {
        let names = names.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(",");
        bad(-1128, format!("Fields [{names}] must be sent together or omitted entirely."))
    }

    pub fn bad_combination() -> Self {
        bad(-1128, "Combination of optional parameters invalid.")
    }

    pub fn invalid_parameter(name: &str) -> Self {
        bad(-1130, format!("Data sent for parameter '{name}' is not valid."))
    }

    pub fn strategy_type_too_low() -> Self {
        bad(-1134, "strategyType was less than 1000000.")
    }

    pub fn invalid_json() -> Self {
        bad(-1135, "Invalid JSON Request")
    }

    pub fn invalid_json_in(name: &str) -> Self {
        bad(-1135, format!("JSON sent for parameter '{name}' is not valid"))
    }

    pub fn invalid_cancel_restrictions() -> Self {
        bad(-1145, "Invalid cancelRestrictions")
    }

    pub fn duplicate_symbols() -> Self {
        bad(-1151, "Symbol is present multiple times in the list.")
    }

    pub fn invalid_time_unit() -> Self {
        bad(-1194, "Invalid value for time unit; expected either MICROSECOND or MILLISECOND.")
    }

    pub fn invalid_peg_price_type() -> Self {
        bad(-1210, "Invalid pegPriceType.")
    }

    pub fn invalid_peg_offset_type() -> Self {
        bad(-1211, "Invalid pegOffsetType.")
    }

    pub fn symbol_status_mismatch() -> Self {
        bad(-1220, "The symbol's status does not match the requested symbolStatus.")
    }
}

pub(crate) fn bad(code: i32, msg: impl Into<Cow<'static, str>>) -> ApiError {
    ApiError::new(400, code, msg)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_have_code_and_text_only() {
        let check = |error: ApiError, status, body: &str| {
            assert_eq!((error.status, error.body().as_str()), (status, body));
        };
        check(ApiError::invalid_symbol(), 400, r#"{"code":-1121,"msg":"Invalid symbol."}"#);
        check(
            ApiError::unread(7, 8),
            400,
            r#"{"code":-1104,"msg":"Not all sent parameters were read; read '7' parameter(s) but was sent '8'."}"#,
        );
        check(
            ApiError::too_many_orders(1, "10 SECOND"),
            429,
            r#"{"code":-1015,"msg":"Too many new orders; current limit is 1 orders per 10 SECOND."}"#,
        );
        check(
            ApiError::overloaded(),
            503,
            r#"{"code":-1008,"msg":"Server is currently overloaded with other requests. Please try again in a few minutes."}"#,
        );
        check(
            ApiError::method_not_allowed("PUT", "/api/v3/time"),
            405,
            r#"{"code":-5000,"msg":"Path /api/v3/time, Method PUT is invalid"}"#,
        );
        check(
            ApiError::api_key_rejected(),
            401,
            r#"{"code":-2015,"msg":"Invalid API-key, IP, or permissions for action."}"#,
        );
    }
}
