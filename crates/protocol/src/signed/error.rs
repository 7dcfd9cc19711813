//! Errors as clients see them: an HTTP status, and a body with a code and a text.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use thiserror::Error;
use types::RejectReason;

/// Why a request failed. The code says what kind it is, the text which parameter or rule it was.
#[derive(Clone, Debug, Eq, Error, JsonSchema, PartialEq, Serialize)]
#[error("{code} {msg}")]
pub struct ApiError {
    #[serde(skip)]
    pub status: u16,
    pub code: i32,
    pub msg: Cow<'static, str>,
    /// The reason by which the engine refused an order, a cancel or a change.
    #[serde(serialize_with = "as_word", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub reason: Option<RejectReason>,
    /// After how many seconds a limit lets its sender in again.
    #[serde(skip)]
    pub retry_after_s: Option<u64>,
    /// The parameters at fault, where the text does not name them. For the operator's record.
    #[serde(skip)]
    pub parameters: Option<Box<str>>,
}

impl ApiError {
    pub fn new(status: u16, code: i32, msg: impl Into<Cow<'static, str>>) -> Self {
        Self { status, code, msg: msg.into(), reason: None, retry_after_s: None, parameters: None }
    }

    /// The error with the parameters at fault, which clients do not see.
    pub fn of_parameters<'a>(self, names: impl Iterator<Item = &'a str>) -> Self {
        let names = names.map(|name| format!("'{}'", name.escape_debug())).collect::<Vec<_>>();
        Self { parameters: Some(names.join(", ").into()), ..self }
    }

    /// The text for the operator's record: with the parameters at fault.
    pub fn recorded(&self) -> Cow<'_, str> {
        match &self.parameters {
            Some(names) => format!("{} ({names})", self.msg).into(),
            None => Cow::Borrowed(&self.msg),
        }
    }

    /// `{"code":-1121,"msg":"Invalid symbol."}`
    pub fn body(&self) -> String {
        serde_json::to_string(self).expect("a number and a text are JSON")
    }
}

fn as_word<S: Serializer>(reason: &Option<RejectReason>, serializer: S) -> Result<S::Ok, S::Error> {
    match reason {
        Some(reason) => serializer.collect_str(&format_args!("{reason:?}")),
        None => serializer.serialize_none(),
    }
}

/// Each row makes a constructor: its arguments, the HTTP status, the code and the text.
macro_rules! errors {
    ($(
        $(#[$doc:meta])*
        $name:ident($($arg:ident: $type:ty),*): $status:literal, $code:expr, $msg:literal;
    )*) => {
        impl ApiError {
            $($(#[$doc])* pub fn $name($($arg: $type),*) -> Self {
                Self::new($status, $code, errors!(@text $msg $($arg)*))
            })*
        }
    };
    (@text $msg:literal) => { $msg };
    (@text $msg:literal $($arg:ident)+) => { format!($msg) };
}
pub(crate) use errors;

errors! {
    // The venue's side: nothing that the client can mend.
    unknown(): 500, -1000, "An unknown error occurred while processing the request.";
    /// The request was not taken on.
    disconnected(): 503, -1001, "Internal error; unable to process your request. Please try again.";
    /// The command is under way, but its result did not arrive in time.
    timeout(): 504, -1007,
        "Timeout waiting for response from backend server. Send status unknown; execution status \
         unknown.";
    /// It has no code of its own; clients take 503 for what may be tried again.
    disk_full(): 503, -1008,
        "The venue's disk is full: it takes cancels only, until there is room again. Nothing was \
         carried out.";
    overloaded(): 503, -1008,
        "Server is currently overloaded with other requests. Please try again in a few minutes.";
    /// Queries of the past only.
    history_unavailable(cause: &str): 503, -1008,
        "History is not available now: {cause}. Orders are not affected; please try again.";
    history_behind(age_s: u64, up_to_ms: u64, cause: &str): 503, -1008,
        "History is {age_s} s behind, with events up to {up_to_ms}: {cause}. Orders are not \
         affected; please try again.";
    /// More is sent than the venue can do.
    too_busy_for_orders(): 503, -1008,
        "Server is currently overloaded with other requests: new orders are refused, cancels go \
         on. Nothing was carried out; please try again.";
    shutting_down(): 503, -1016, "This service is no longer available.";

    // Limits.
    too_many_requests(): 429, -1003, "Too many requests queued.";
    /// `interval` as in `"10 SECOND"`.
    too_many_orders(limit: u32, interval: &str): 429, -1015,
        "Too many new orders; current limit is {limit} orders per {interval}.";
    too_many_connections(limit: u32): 429, -1034,
        "Too many concurrent connections; current limit is '{limit}'.";
    body_too_large(bytes_max: usize): 413, -1101,
        "Request body is too large; current limit is {bytes_max} bytes.";

    // Web pages, which a browser sends to a venue in its user's network.
    host_not_allowed(host: &str): 421, -1000,
        "This venue has no name '{host}': use an IP address or localhost, or start the venue with \
         --allowed-host.";
    /// Binance has the code, with another text.
    origin_not_allowed(origin: &str): 403, -1002,
        "Web pages of the origin '{origin}' may not send this request: start the venue with \
         --cors-origin and that origin.";

    // Paths and methods.
    not_found(method: &str, path: &str): 404, -5000, "Path {path}, Method {method} is invalid";
    /// Of the WebSocket API.
    unknown_method(method: &str): 404, -5000, "Method {method} is invalid";
    no_such_listen_key(): 400, -1125, "This listenKey does not exist.";
    subscribed_already(): 400, -2035, "User Data Stream subscription already active.";
    /// It has no code of its own.
    too_many_subscriptions(max: usize): 400, -2035,
        "Too many subscriptions on this connection; the limit is {max}.";
    /// Of all connections of an address; it has no code of its own.
    too_many_streams(max: usize): 429, -1003,
        "Too many streams; current limit is {max} for all connections of an address.";
    too_many_user_streams(max: usize): 429, -1003,
        "Too many user data streams; current limit is {max} for an account.";
    /// Of an account, from a number on. Ours, like the parameter that it answers.
    events_gone(from_seq: u64): 400, -1130,
        "The events from number {from_seq} on are no longer kept.";
    /// A venue that was restored from a backup has fewer events than its clients know.
    events_ahead(from_seq: u64, last: u64): 400, -1130,
        "The account's last event has number {last}, and fromSeq {from_seq} is beyond the next one: \
         the venue may have been restored from a backup. Read orders and balances again, and \
         subscribe without fromSeq.";
    unsupported_operation(): 400, -1020, "This operation is not supported.";

    // Identity and time.
    outside_recv_window(): 400, -1021, "Timestamp for this request is outside of the recvWindow.";
    timestamp_ahead(): 400, -1021,
        "Timestamp for this request was 1000ms ahead of the server's time.";
    invalid_signature(): 400, -1022, "Signature for this request is not valid.";
    /// Of a key whose signed requests are good once each.
    signed_before(): 400, -1022,
        "This request was sent before, and each signed request of this key is good once: sign again \
         with another timestamp.";
    recv_window_too_large(): 400, -1131, "recvWindow must be less than 60000";
    api_key_format(): 401, -2014, "API-key format invalid.";
    /// An unknown key, or one whose role does not allow this.
    api_key_rejected(): 401, -2015, "Invalid API-key, IP, or permissions for action.";

    // Parameters.
    illegal_characters(name: &str, legal: &str): 400, -1100,
        "Illegal characters found in parameter '{name}'; legal range is '{legal}'.";
    too_many_parameters(expected: usize, received: usize): 400, -1101,
        "Too many parameters; expected '{expected}' and received '{received}'.";
    duplicate_parameter(): 400, -1101, "Duplicate values for a parameter detected.";
    mandatory(name: &str): 400, -1102,
        "Mandatory parameter '{name}' was not sent, was empty/null, or malformed.";
    either_mandatory(one: &str, other: &str): 400, -1102,
        "Param '{one}' or '{other}' must be sent, but both were empty/null!";
    unread(read: usize, sent: usize): 400, -1104,
        "Not all sent parameters were read; read '{read}' parameter(s) but was sent '{sent}'.";
    empty(name: &str): 400, -1105, "Parameter '{name}' was empty.";
    not_required(name: &str): 400, -1106, "Parameter '{name}' sent when not required.";
    overflowed(name: &str): 400, -1108, "Parameter '{name}' overflowed.";
    too_much_precision(name: &str): 400, -1111, "Parameter '{name}' has too much precision.";
    invalid_time_in_force(): 400, -1115, "Invalid timeInForce.";
    invalid_order_type(): 400, -1116, "Invalid orderType.";
    invalid_side(): 400, -1117, "Invalid side.";
    invalid_interval(): 400, -1120, "Invalid interval.";
    invalid_ticker_type(): 400, -1139, "Invalid ticker type.";
    invalid_symbol(): 400, -1121, "Invalid symbol.";
    invalid_symbol_status(): 400, -1122, "Invalid symbolStatus.";
    more_than_hours(hours: u64): 400, -1127,
        "More than {hours} hours between startTime and endTime.";
    /// More than a parameter may be; its own limit is known.
    greater_than(name: &str, max: u64): 400, -1102,
        "'{name}' contains unexpected value. Cannot be greater than {max}.";
    bad_combination(): 400, -1128, "Combination of optional parameters invalid.";
    invalid_parameter(name: &str): 400, -1130, "Data sent for parameter '{name}' is not valid.";
    strategy_type_too_low(): 400, -1134, "strategyType was less than 1000000.";
    invalid_json(): 400, -1135, "Invalid JSON Request";
    invalid_json_in(name: &str): 400, -1135, "JSON sent for parameter '{name}' is not valid";
    invalid_cancel_restrictions(): 400, -1145, "Invalid cancelRestrictions";
    duplicate_symbols(): 400, -1151, "Symbol is present multiple times in the list.";
    invalid_time_unit(): 400, -1194,
        "Invalid value for time unit; expected either MICROSECOND or MILLISECOND.";
    invalid_peg_price_type(): 400, -1210, "Invalid pegPriceType.";
    invalid_peg_offset_type(): 400, -1211, "Invalid pegOffsetType.";
    symbol_status_mismatch(): 400, -1220,
        "The symbol's status does not match the requested symbolStatus.";
}

/// Errors with more than a text.
impl ApiError {
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

    pub fn method_not_allowed(method: &str, path: &str) -> Self {
        Self { status: 405, ..Self::not_found(method, path) }
    }

    pub fn only_together(names: &[impl AsRef<str>]) -> Self {
        let names = names.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(",");
        bad(-1128, format!("Fields [{names}] must be sent together or omitted entirely."))
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
