//! Market data streams over WebSocket: names of streams, the session that subscribes to them, and
//! the payloads.
//!
//! A [`Session`] is one connection without its socket: texts go in, replies come out, and
//! [`Session::streams`] says what is to be sent.

mod name;
mod payload;
mod statistics;

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use types::Symbol;

pub use self::name::{RollingWindow, Speed, Stream, StreamKind};
pub use self::payload::{
    AuctionResult, StatusCause, agg_trade, auction, book_ticker, depth_update, partial_depth,
    server_shutdown, symbol_status, trade,
};
pub use self::statistics::{avg_price, day_ticker, kline, mini_ticker, rolling_ticker};
use crate::binance::response::encode;

/// The most streams that one connection may listen to.
pub const STREAMS_MAX: usize = 1024;
/// The longest text that a client may send.
pub const MESSAGE_LEN_MAX: usize = 64 * 1024;
pub const REQUEST_ID_LEN_MAX: usize = 36;

/// A payload with the name of its stream.
pub fn combined(stream: &Stream, payload: &str) -> String {
    format!(r#"{{"stream":"{stream}","data":{payload}}}"#)
}

/// One connection's subscriptions.
#[derive(Clone, Debug, Default)]
pub struct Session {
    /// Whether each payload is sent with the name of its stream.
    combined: bool,
    streams: Vec<Stream>,
    listen_keys: Vec<String>,
}

/// What a name in a control message may be.
#[allow(missing_debug_implementations)] // Two questions have nothing to show.
pub struct Names<'a> {
    pub is_symbol: &'a dyn Fn(&Symbol) -> bool,
    pub is_listen_key: &'a dyn Fn(&str) -> bool,
    /// The limit of all connections of the client, if this one would have more streams than that.
    pub too_many: &'a dyn Fn(usize) -> Option<usize>,
}

impl Session {
    /// `combined` is false for `/ws`, true for `/stream`.
    pub fn new(combined: bool, streams: Vec<Stream>, listen_keys: Vec<String>) -> Self {
        let mut session = Self { combined, streams: Vec::new(), listen_keys: Vec::new() };
        session.subscribe(streams, listen_keys);
        session
    }

    /// Whether payloads are to be sent [`combined`] with the name of their stream.
    pub fn is_combined(&self) -> bool {
        self.combined
    }

    /// In the order in which they were subscribed to.
    pub fn streams(&self) -> &[Stream] {
        &self.streams
    }

    /// Those are streams, too, for the time of a listen key.
    pub fn listen_keys(&self) -> &[String] {
        &self.listen_keys
    }

    /// Carries out what a client sent, and gives the reply.
    pub fn receive(&mut self, text: &str, names: &Names<'_>) -> String {
        let message = match Message::parse(text) {
            Ok(message) => message,
            Err(ControlError { code, msg }) => {
                return encode(&Reply::Error { code, msg, id: None });
            }
        };
        encode(&match self.control(message.method, &message.params, names) {
            Ok(result) => Reply::Result { result, id: message.id },
            Err(ControlError { code, msg }) => Reply::Error { code, msg, id: Some(message.id) },
        })
    }

    /// A payload as this connection wants it.
    pub fn wrap(&self, stream: &Stream, payload: &str) -> String {
        if self.combined { combined(stream, payload) } else { payload.to_owned() }
    }

    fn control(
        &mut self,
        method: Method,
        params: &[Value],
        names: &Names<'_>,
    ) -> Result<Value, ControlError> {
        match method {
            Method::Subscribe => {
                let (streams, listen_keys) = parse_names(params, names.is_listen_key)?;
                let is_listed =
                    |stream: &&Stream| stream.symbol.as_ref().is_none_or(names.is_symbol);
                if let Some(stream) = streams.iter().find(|stream| !is_listed(stream)) {
                    return Err(invalid(format!("unknown symbol in stream {stream}")));
                }
                let new = streams.iter().filter(|stream| !self.streams.contains(stream)).count();
                let new_keys = listen_keys.iter().filter(|key| !self.listen_keys.contains(key));
                let own = self.streams.len() + self.listen_keys.len();
                let all = own + new + new_keys.count();
                if all > STREAMS_MAX {
                    return Err(invalid(format!("more than {STREAMS_MAX} streams")));
                }
                if let Some(max) = (names.too_many)(all) {
                    let of = "for all connections of an address";
                    return Err(invalid(format!("more than {max} streams {of}")));
                }
                self.subscribe(streams, listen_keys);
                Ok(Value::Null)
            }
            Method::Unsubscribe => {
                let own = |name: &str| self.listen_keys.iter().any(|key| key == name);
                let (streams, listen_keys) = parse_names(params, &own)?;
                self.streams.retain(|stream| !streams.contains(stream));
                self.listen_keys.retain(|key| !listen_keys.contains(key));
                Ok(Value::Null)
            }
            Method::ListSubscriptions => match params {
                [] => {
                    let streams = self.streams.iter().map(Stream::to_string);
                    Ok(streams.chain(self.listen_keys.iter().cloned()).collect())
                }
                _ => Err(invalid("too many parameters")),
            },
            Method::SetProperty => {
                self.combined = parse_set_property(params)?;
                Ok(Value::Null)
            }
            Method::GetProperty => {
                check_property(params, 1)?;
                Ok(self.combined.into())
            }
        }
    }

    fn subscribe(&mut self, streams: Vec<Stream>, listen_keys: Vec<String>) {
        for stream in streams {
            if !self.streams.contains(&stream) {
                self.streams.push(stream);
            }
        }
        for key in listen_keys {
            if !self.listen_keys.contains(&key) {
                self.listen_keys.push(key);
            }
        }
    }
}

#[derive(Serialize)]
#[serde(untagged)]
enum Reply {
    Result {
        result: Value,
        id: Value,
    },
    Error {
        code: u8,
        msg: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<Value>,
    },
}

#[derive(Debug)]
struct ControlError {
    code: u8,
    msg: String,
}

fn invalid(what: impl fmt::Display) -> ControlError {
    ControlError { code: 2, msg: format!("Invalid request: {what}") }
}

fn unknown_property() -> ControlError {
    ControlError { code: 0, msg: "Unknown property".to_owned() }
}

/// A message as it is sent. The texts of its errors are those of the JSON library, which Binance
/// shows as they are.
#[derive(Deserialize)]
struct Message {
    method: Method,
    #[serde(default, deserialize_with = "null_as_default")]
    params: Vec<Value>,
    #[serde(default)]
    id: Value,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum Method {
    Subscribe,
    Unsubscribe,
    ListSubscriptions,
    SetProperty,
    GetProperty,
}

fn null_as_default<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Value>, D::Error> {
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

impl Message {
    fn parse(text: &str) -> Result<Self, ControlError> {
        let message: Self = serde_json::from_str(text).map_err(|error| match error.classify() {
            serde_json::error::Category::Data => invalid(error),
            _ => ControlError { code: 3, msg: format!("Invalid JSON: {error}") },
        })?;
        if is_request_id(&message.id) {
            Ok(message)
        } else {
            Err(invalid("request ID must be an unsigned integer"))
        }
    }
}

/// A 64-bit integer, up to 36 letters and digits (of a UUID, say), or null.
fn is_request_id(id: &Value) -> bool {
    match id {
        Value::Null => true,
        Value::Number(number) => number.is_i64() || number.is_u64(),
        Value::String(text) => {
            text.len() <= REQUEST_ID_LEN_MAX
                && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
        }
        _ => false,
    }
}

fn parse_names(
    params: &[Value],
    is_listen_key: &dyn Fn(&str) -> bool,
) -> Result<(Vec<Stream>, Vec<String>), ControlError> {
    if params.len() > STREAMS_MAX {
        return Err(invalid("too many parameters"));
    }
    let (mut streams, mut listen_keys) = (Vec::new(), Vec::new());
    for param in params {
        let name = param.as_str().ok_or_else(|| invalid("stream name must be a string"))?;
        match Stream::parse(name) {
            Some(stream) => streams.push(stream),
            None if is_listen_key(name) => listen_keys.push(name.to_owned()),
            None => return Err(invalid(format!("unknown stream {name}"))),
        }
    }
    Ok((streams, listen_keys))
}

fn parse_set_property(params: &[Value]) -> Result<bool, ControlError> {
    check_property(params, 2)?;
    params.get(1).and_then(Value::as_bool).ok_or_else(|| ControlError {
        code: 1,
        msg: "Invalid value type: expected Boolean".to_owned(),
    })
}

/// `combined` is the only property.
fn check_property(params: &[Value], params_max: usize) -> Result<(), ControlError> {
    if params.len() > params_max {
        return Err(invalid("too many parameters"));
    }
    match params.first() {
        Some(Value::String(name)) if name == "combined" => Ok(()),
        Some(Value::String(_)) => Err(unknown_property()),
        _ => Err(invalid("property name must be a string")),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    const NAMES: Names<'_> = Names {
        is_symbol: &|symbol| symbol.as_str() == "BTCUSDT",
        is_listen_key: &|_| false,
        too_many: &|_| None,
    };
    const ANY: Names<'_> =
        Names { is_symbol: &|_| true, is_listen_key: &|_| false, too_many: &|_| None };

    fn check(session: &mut Session, text: &str, expect: &str) {
        let reply = session.receive(text, &NAMES);
        let value = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        assert_eq!(value(&reply), value(expect), "{text}");
    }

    #[test]
    fn a_session_subscribes_lists_and_unsubscribes() {
        let mut session = Session::default();
        let subscribe =
            r#"{"method":"SUBSCRIBE","params":["btcusdt@trade","btcusdt@depth"],"id":1}"#;
        check(&mut session, subscribe, r#"{"result":null,"id":1}"#);
        check(&mut session, subscribe, r#"{"result":null,"id":1}"#);
        check(
            &mut session,
            r#"{"method":"LIST_SUBSCRIPTIONS","params":null,"id":"a-1"}"#,
            r#"{"result":["btcusdt@trade","btcusdt@depth"],"id":"a-1"}"#,
        );
        check(
            &mut session,
            r#"{"method":"UNSUBSCRIBE","params":["btcusdt@trade"],"id":null}"#,
            r#"{"result":null,"id":null}"#,
        );
        assert_eq!(session.streams(), [Stream::parse("btcusdt@depth").unwrap()]);
    }

    #[test]
    fn payloads_carry_their_stream_when_combined() {
        let stream = Stream::parse("btcusdt@depth@100ms").unwrap();
        let mut session = Session::new(false, vec![stream], Vec::new());
        assert_eq!(session.wrap(&stream, "{}"), "{}");
        let get = r#"{"method":"GET_PROPERTY","params":["combined"],"id":2}"#;
        check(&mut session, get, r#"{"result":false,"id":2}"#);
        let set = r#"{"method":"SET_PROPERTY","params":["combined",true],"id":5}"#;
        check(&mut session, set, r#"{"result":null,"id":5}"#);
        check(&mut session, get, r#"{"result":true,"id":2}"#);
        assert_eq!(session.wrap(&stream, "{}"), r#"{"stream":"btcusdt@depth@100ms","data":{}}"#);
    }

    #[test]
    fn each_fault_has_its_code_and_text() {
        for (text, code, msg) in [
            ("{", 3, "Invalid JSON: EOF while parsing an object at line 1 column 1"),
            ("x", 3, "Invalid JSON: expected value at line 1 column 1"),
            (
                r#"{"method":"SUBSCRIB"}"#,
                2,
                "Invalid request: unknown variant `SUBSCRIB`, expected one of `SUBSCRIBE`, \
                 `UNSUBSCRIBE`, `LIST_SUBSCRIPTIONS`, `SET_PROPERTY`, `GET_PROPERTY` at line 1 \
                 column 20",
            ),
            (r#"{"id":1}"#, 2, "Invalid request: missing field `method` at line 1 column 8"),
            (
                r#"{"method":"SUBSCRIBE","params":[],"id":1.5}"#,
                2,
                "Invalid request: request ID must be an unsigned integer",
            ),
            (
                r#"{"method":"SUBSCRIBE","params":["btcusdt@odd"]}"#,
                2,
                "Invalid request: unknown stream btcusdt@odd",
            ),
            (
                r#"{"method":"SUBSCRIBE","params":["none@trade"]}"#,
                2,
                "Invalid request: unknown symbol in stream none@trade",
            ),
            (
                r#"{"method":"LIST_SUBSCRIPTIONS","params":["x"]}"#,
                2,
                "Invalid request: too many parameters",
            ),
            (r#"{"method":"GET_PROPERTY"}"#, 2, "Invalid request: property name must be a string"),
            (r#"{"method":"GET_PROPERTY","params":["x"]}"#, 0, "Unknown property"),
            (
                r#"{"method":"SET_PROPERTY","params":["combined",1]}"#,
                1,
                "Invalid value type: expected Boolean",
            ),
        ] {
            let reply = Session::default().receive(text, &NAMES);
            let reply: Value = serde_json::from_str(&reply).unwrap();
            assert_eq!((&reply["code"], &reply["msg"]), (&json!(code), &json!(msg)), "{text}");
        }
    }

    #[test]
    fn faults_of_a_request_are_reported_with_its_id() {
        check(
            &mut Session::default(),
            r#"{"method":"GET_PROPERTY","params":["x"],"id":7}"#,
            r#"{"code":0,"msg":"Unknown property","id":7}"#,
        );
    }

    #[test]
    fn a_session_has_a_limit_of_streams() {
        let mut session = Session::default();
        let name = |n: usize| format!("s{n}@trade");
        let subscribe = |names: Vec<String>| {
            json!({"method": "SUBSCRIBE", "params": names, "id": 1}).to_string()
        };
        let names = (0..STREAMS_MAX).map(name).collect();
        let reply = session.receive(&subscribe(names), &ANY);
        assert_eq!(reply, r#"{"result":null,"id":1}"#);
        let reply = session.receive(&subscribe(vec![name(STREAMS_MAX)]), &ANY);
        assert!(reply.contains("more than 1024 streams"));
        assert_eq!(session.streams().len(), STREAMS_MAX);
        let few = Names { too_many: &|streams| (streams > 1).then_some(7), ..ANY };
        let mut session = Session::new(false, Vec::new(), Vec::new());
        let reply = session.receive(&subscribe(vec![name(0), name(1)]), &few);
        assert!(reply.contains("more than 7 streams for all connections"), "{reply}");
    }

    #[test]
    fn a_cut_message_is_an_error_and_changes_nothing() {
        let text = r#"{"method":"SUBSCRIBE","params":["btcusdt@trade"],"id":1}"#;
        for cut in 0..text.len() {
            let mut session = Session::default();
            let reply = session.receive(&text[..cut], &ANY);
            assert!(reply.starts_with(r#"{"code":3"#), "cut at {cut}: {reply}");
            assert!(session.streams().is_empty());
        }
    }

    proptest! {
        #[test]
        fn any_text_has_a_reply(text in ".{0,80}", name in ".{0,30}") {
            let mut session = Session::default();
            session.receive(&text, &ANY);
            let subscribe = json!({"method": "SUBSCRIBE", "params": [name], "id": text});
            session.receive(&subscribe.to_string(), &ANY);
        }

        #[test]
        fn a_name_that_parses_is_printed_again(
            name in "[a-z0-9]{1,20}@(trade|aggTrade|bookTicker|depth(5|10|20)?(@100ms)?\
                |kline_(1s|3m|1w|1M)(@\\+08:00)?|ticker(_1h|_4h|_1d)?|miniTicker|avgPrice)\
                |!(ticker(_1h|_4h|_1d)?|miniTicker)@arr"
        ) {
            prop_assert_eq!(Stream::parse(&name).unwrap().to_string(), name);
        }
    }
}
