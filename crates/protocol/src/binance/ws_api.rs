//! Messages of the WebSocket API: a request names a method, and its answer comes under the
//! request's id, in whatever order answers are ready.

use std::borrow::Cow;
use std::io::Write;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::signed::params::is_json;
use crate::signed::{ApiError, Params, TimeUnit};

use crate::binance::object::object;
use crate::binance::response::{Interval, OrderCount, RateLimit, RateLimitType, encode};

/// The longest text that an id may be.
pub const ID_LEN_MAX: usize = 36;

/// The same in JSON, between quotes.
const ID_JSON_LEN_MAX: usize = ID_LEN_MAX + 2;

/// Of a request, as it was written: an integer, a text, or `null`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Id {
    len: u8,
    json: [u8; ID_JSON_LEN_MAX],
}

impl Id {
    /// Of an answer to nothing.
    pub fn null() -> Self {
        Self::of("null").expect("four letters")
    }

    /// `None` if it is too long.
    fn of(text: &str) -> Option<Self> {
        let mut json = [0; ID_JSON_LEN_MAX];
        json.get_mut(..text.len())?.copy_from_slice(text.as_bytes());
        Some(Self { len: u8::try_from(text.len()).ok()?, json })
    }

    fn as_str(&self) -> &str {
        std::str::from_utf8(&self.json[..usize::from(self.len)]).expect("a whole text")
    }
}

#[derive(Clone, Debug)]
pub struct Request<'a> {
    pub id: Id,
    pub method: Cow<'a, str>,
    /// With the signature, and what was signed: all other parameters as they were sent.
    pub params: Params,
    /// Whether its answer shall have the weight that was spent; the connection has its own wish,
    /// too.
    pub return_rate_limits: Option<bool>,
}

impl<'a> Request<'a> {
    /// A text that is no request is answered under its id, if it has one.
    pub fn parse(text: &'a str) -> Result<Self, (Id, ApiError)> {
        let sent: Sent<'_> =
            serde_json::from_str(text).map_err(|_| (Id::null(), ApiError::invalid_json()))?;
        let method = sent.method;
        let id = parse_id(sent.id).map_err(|error| (Id::null(), error))?;
        let parse = || {
            let Text(method) = method.ok_or_else(|| ApiError::mandatory("method"))?;
            let mut params = parse_params(sent.params)?;
            params.take_signature()?;
            let return_rate_limits = params.flag("returnRateLimits")?;
            Ok((method, params, return_rate_limits))
        };
        match parse() {
            Ok((method, params, return_rate_limits)) => {
                Ok(Self { id, method, params, return_rate_limits })
            }
            Err(error) => Err((id, error)),
        }
    }
}

#[derive(Deserialize)]
struct Sent<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Option<Text<'a>>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

/// A text that is copied only if it has escapes.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// A number too large for 64 bits is answered as it was written.
fn parse_id(id: Option<&RawValue>) -> Result<Id, ApiError> {
    let Some(id) = id.map(RawValue::get) else { return Ok(Id::null()) };
    let is_integer = |text: &str| {
        let digits = text.strip_prefix('-').unwrap_or(text);
        digits.len() <= 20 && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    let is_text = id.starts_with('"') && id.len() <= ID_JSON_LEN_MAX;
    if is_text || id == "null" || is_integer(id) {
        Id::of(id).ok_or_else(|| ApiError::invalid_parameter("id"))
    } else {
        Err(ApiError::invalid_parameter("id"))
    }
}

fn parse_params(params: Option<&RawValue>) -> Result<Params, ApiError> {
    match params.map(RawValue::get) {
        None | Some("null") => Ok(Params::default()),
        Some(object) if is_json(object.as_bytes()) => Params::parse("", object.as_bytes()),
        Some(_) => Err(ApiError::invalid_json()),
    }
}

/// What a sender has used of its limits, as answers show it.
#[derive(Clone, Copy, Debug)]
pub struct UsedLimits<'a> {
    /// Of an account whose orders are limited, in an answer to an order.
    pub orders: &'a [OrderCount],
    /// Of its address.
    pub weight: u32,
    pub weight_limit: u32,
}

/// The most that stands before the body of an answer.
const ANSWER_HEAD_LEN_MAX: usize = ID_JSON_LEN_MAX + 34;

/// An answer, in the memory of its body. That is JSON; from a status of 400 on it is an error.
pub fn answer(id: &Id, status: u16, body: String, used: Option<&UsedLimits<'_>>) -> String {
    let member = if status < 400 { "result" } else { "error" };
    let mut head = [0; ANSWER_HEAD_LEN_MAX];
    let mut room = &mut head[..];
    let id = id.as_str();
    write!(room, r#"{{"id":{id},"status":{status},"{member}":"#).expect("a head has room");
    let left = room.len();
    let head = &head[..ANSWER_HEAD_LEN_MAX - left];
    let mut text = body;
    text.insert_str(0, std::str::from_utf8(head).expect("texts"));
    if let Some(used) = used {
        text += r#","rateLimits":"#;
        text += &encode(&used);
    }
    text.push('}');
    text
}

/// The limits of the orders, then of the weight.
impl Serialize for UsedLimits<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let (rate_limit_type, interval) = (RateLimitType::RequestWeight, Interval::Minute);
        let limit = self.weight_limit;
        let limit = RateLimit { rate_limit_type, interval, interval_num: 1, limit };
        let weight = OrderCount { limit, count: self.weight };
        to.collect_seq(self.orders.iter().chain([&weight]))
    }
}

/// An error's body; one that a limit gave says when the sender may come back.
pub fn error_body(error: &ApiError, now_ns: u64, unit: TimeUnit) -> String {
    let Some(retry_after_s) = error.retry_after_s else { return error.body() };
    let data = retry(retry_after_s, now_ns, unit);
    object! { "code": error.code, "msg": error.msg, "data" [raw]: data }
}

/// The body of an error that has data of its own, and that a limit gave: the data end with the time
/// at which the sender may come back.
pub fn with_retry(body: &str, retry_after_s: u64, now_ns: u64, unit: TimeUnit) -> String {
    match body.strip_suffix("}}") {
        Some(rest) => format!("{rest},{}}}", &retry(retry_after_s, now_ns, unit)[1..]),
        None => body.to_owned(),
    }
}

fn retry(after_s: u64, now_ns: u64, unit: TimeUnit) -> String {
    let retry_ns = now_ns.saturating_add(after_s.saturating_mul(1_000_000_000));
    object! { "serverTime": unit.time(now_ns), "retryAfter": unit.time(retry_ns) }
}

/// The account that a connection speaks for.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionStatus {
    pub api_key: Option<String>,
    pub authorized_since: Option<u64>,
    pub connected_since: u64,
    pub return_rate_limits: bool,
    pub server_time: u64,
    pub user_data_stream: bool,
}

#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Subscription {
    pub subscription_id: u32,
    /// The number of the first event, if the client has asked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_seq: Option<u64>,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_request_is_read_and_its_id_is_kept_as_it_was_written() {
        for (text, id, method, params) in [
            (r#"{"id":1,"method":"ping"}"#, "1", "ping", ""),
            (r#"{"id":"a-b","method":"time","params":{}}"#, r#""a-b""#, "time", ""),
            (r#"{"id":null,"method":"x","params":null}"#, "null", "x", ""),
            (r#"{"method":"x"}"#, "null", "x", ""),
            (
                r#"{"id":-7,"method":"v3/depth","params":{"symbol":"BTCUSDT","limit":5}}"#,
                "-7",
                "v3/depth",
                "limit=5&symbol=BTCUSDT",
            ),
        ] {
            let request = Request::parse(text).unwrap_or_else(|error| panic!("{text} {error:?}"));
            let mut found = request.params.into_unread();
            found.sort_unstable();
            let pairs: Vec<_> =
                found.iter().map(|(name, value)| format!("{name}={value}")).collect();
            let found = (request.id.as_str(), &*request.method, pairs.join("&"));
            assert_eq!(found, (id, method, params.to_owned()), "{text}");
        }
    }

    #[test]
    fn what_is_no_request_is_answered_under_its_id() {
        for (text, id, code) in [
            ("", "null", -1135),
            ("[]", "null", -1135),
            (r#"{"id":1"#, "null", -1135),
            (r#"{"id":1.5,"method":"ping"}"#, "null", -1130),
            (r#"{"id":{},"method":"ping"}"#, "null", -1130),
            (r#"{"id":3}"#, "3", -1102),
            (r#"{"id":3,"method":"ping","params":[]}"#, "3", -1135),
            (r#"{"id":3,"method":"ping","params":{"a":{}}}"#, "3", -1135),
            (r#"{"id":3,"method":"ping","params":{"returnRateLimits":"x"}}"#, "3", -1130),
        ] {
            let (found_id, error) = Request::parse(text).unwrap_err();
            assert_eq!((found_id.as_str(), error.code), (id, code), "{text}");
        }
    }

    #[test]
    fn answers_have_a_result_or_an_error() {
        let used = UsedLimits { orders: &[], weight: 70, weight_limit: 6_000 };
        assert_eq!(
            answer(&Id::null(), 200, "{}".to_owned(), Some(&used)),
            r#"{"id":null,"status":200,"result":{},"rateLimits":[{"rateLimitType":"REQUEST_WEIGHT","interval":"MINUTE","intervalNum":1,"limit":6000,"count":70}]}"#
        );
        let error = error_body(&ApiError::invalid_symbol(), 1, TimeUnit::Millisecond);
        assert_eq!(
            answer(&Id::of("2").unwrap(), 400, error, None),
            r#"{"id":2,"status":400,"error":{"code":-1121,"msg":"Invalid symbol."}}"#
        );
        let limited = ApiError::too_much_weight(5, "1 MINUTE", 2);
        let body = error_body(&limited, 1_000_000_000, TimeUnit::Millisecond);
        assert!(body.ends_with(r#""data":{"serverTime":1000,"retryAfter":3000}}"#), "{body}");
        let partly = r#"{"code":-2021,"msg":"m","data":{"cancelResult":"SUCCESS"}}"#;
        assert_eq!(
            with_retry(partly, 2, 1_000_000_000, TimeUnit::Millisecond),
            r#"{"code":-2021,"msg":"m","data":{"cancelResult":"SUCCESS","serverTime":1000,"retryAfter":3000}}"#
        );
    }

    proptest! {
        #[test]
        fn any_text_is_a_request_or_an_error(text in ".{0,80}", tail in ".{0,40}") {
            let _ = Request::parse(&text);
            let _ = Request::parse(&format!(r#"{{"id":1,"method":"ping","params":{tail}"#));
        }
    }
}
