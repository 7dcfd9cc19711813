//! The parameters of one request: gathered from query string and body, then taken one by one.
//!
//! Each getter takes its parameter away, so that [`Params::finish`] knows the unknown ones.
//! An optional parameter may be absent, but not empty; a mandatory one may be neither.

use std::borrow::Cow;
use std::ops::Range;

use types::{ClOrdId, DecimalText, Market, Markets, Symbol};

use super::pairs::Pairs;
use super::parameter::Notes;
use crate::signed::{ApiError, Kind, span_ns};

/// The most parameters that a request may have; no endpoint knows half as many.
pub const PARAMS_MAX: usize = 64;

/// What the characters of a parameter may be, as refusals word it.
pub mod legal {
    pub const INTEGER: &str = "^[0-9]{1,20}$";
    pub const DECIMAL: &str = r"^([0-9]{1,20})(\.[0-9]{1,20})?$";
    pub const RECV_WINDOW: &str = r"^([0-9]{1,20})(\.[0-9]{1,3})?$";
    pub const SYMBOL: &str = "^[A-Z0-9-_.]{1,20}$";
    pub const SYMBOLS: &str = r#"^\[("[A-Z0-9-_.]{1,20}"(,"[A-Z0-9-_.]{1,20}"){0,}){0,1}\]$"#;
    pub const CL_ORD_ID: &str = r"^[\.A-Z\:/a-z0-9_-]{1,36}$";
}

#[derive(Clone, Debug, Default)]
pub struct Params {
    sent: usize,
    unread: Pairs,
    /// Where in the text of the parameters stands what was signed, and the signature.
    signed: Option<(Range<usize>, Range<usize>)>,
    /// The record of what is asked for, where that is wanted.
    notes: Option<Notes>,
}

impl Params {
    /// The body is a form, or an object in JSON. Where query string and body name the same
    /// parameter, the query string's is used.
    pub fn parse(query: &str, body: &[u8]) -> Result<Self, ApiError> {
        let mut unread = Pairs::with_room(query, body);
        unread.add_form(query.as_bytes());
        let in_query = unread.len();
        if is_json(body) {
            unread.add_json(body).map_err(|_| ApiError::invalid_json())?;
        } else {
            unread.add_form(body);
        }
        if unread.len() > PARAMS_MAX {
            return Err(ApiError::too_many_parameters(PARAMS_MAX, unread.len()));
        }
        let of_each = [0..in_query, in_query..unread.len()];
        if let Some(name) = of_each.into_iter().find_map(|part| unread.duplicate(part)) {
            return Err(ApiError::duplicate_parameter().of_parameters([name].into_iter()));
        }
        unread.remove_repeated(in_query);
        Ok(Self { sent: unread.len(), unread, signed: None, notes: None })
    }

    /// Those of one object of a list in JSON.
    pub fn of_object(text: &str) -> Result<Self, ApiError> {
        if is_json(text.as_bytes()) {
            Self::parse("", text.as_bytes())
        } else {
            Err(ApiError::invalid_json())
        }
    }

    /// Those of no request: what must be there is, and what may be absent is.
    pub(super) fn noting(notes: Notes) -> Self {
        Self { notes: Some(notes), ..Self::default() }
    }

    /// Refuses unknown parameters.
    pub fn finish(self) -> Result<(), ApiError> {
        if let Some(notes) = &self.notes {
            notes.complete();
        }
        if self.unread.len() == 0 {
            Ok(())
        } else {
            let error = ApiError::unread(self.sent - self.unread.len(), self.sent);
            Err(error.of_parameters(self.unread.iter().map(|(name, _)| name)))
        }
    }
}

/// Getters, general.
impl Params {
    pub fn contains(&self, name: &str) -> bool {
        self.unread.position(name).is_some()
    }

    /// Without taking it away.
    pub fn peek(&self, name: &str) -> Option<&str> {
        self.unread.position(name).map(|place| self.unread.value(place))
    }

    /// All that are left, in no order.
    pub fn into_unread(self) -> Vec<(String, String)> {
        self.unread.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    }

    /// Takes the signature away, and notes it with what it signs: all other parameters, sorted by
    /// name, as `name=value&name=value`.
    pub(crate) fn take_signature(&mut self) -> Result<(), ApiError> {
        let Some(place) = self.unread.position("signature") else { return Ok(()) };
        let signature = self.unread.remove(place);
        if signature.is_empty() {
            return Err(ApiError::empty("signature"));
        }
        self.signed = Some((self.unread.add_sorted(), signature));
        Ok(())
    }

    /// What was signed, and the signature, where [`Params::take_signature`] found one.
    pub fn signed(&self) -> Option<(&str, &str)> {
        let (payload, signature) = self.signed.clone()?;
        Some((self.unread.text(payload), self.unread.text(signature)))
    }

    fn note(&self, name: &str, is_required: bool, kind: impl FnOnce() -> Kind) {
        if let Some(notes) = &self.notes {
            notes.add(name, kind(), is_required);
        }
    }

    fn take(&mut self, name: &str) -> Option<Cow<'_, str>> {
        if let Some(notes) = &self.notes {
            return notes.example(name).map(Cow::Owned);
        }
        let place = self.unread.position(name)?;
        let value = self.unread.remove(place);
        Some(Cow::Borrowed(self.unread.text(value)))
    }

    /// Text that is read before another parameter is taken.
    pub fn text(&mut self, name: &str) -> Result<Option<Cow<'_, str>>, ApiError> {
        self.note(name, false, || Kind::Text);
        match self.take(name) {
            Some(text) if text.is_empty() => Err(ApiError::empty(name)),
            text => Ok(text),
        }
    }

    pub fn mandatory_text(&mut self, name: &str) -> Result<Cow<'_, str>, ApiError> {
        self.note(name, true, || Kind::Text);
        self.take(name).filter(|text| !text.is_empty()).ok_or_else(|| ApiError::mandatory(name))
    }

    /// Text that the caller refuses unless it matches.
    pub(crate) fn pattern(
        &mut self,
        name: &str,
        legal: &str,
    ) -> Result<Option<Cow<'_, str>>, ApiError> {
        self.note(name, false, || Kind::Pattern(legal.to_owned()));
        self.text(name)
    }

    pub fn integer(&mut self, name: &str) -> Result<Option<u64>, ApiError> {
        self.note(name, false, || Kind::Integer);
        self.text(name)?.map(|text| parse_integer(name, &text)).transpose()
    }

    pub fn mandatory_integer(&mut self, name: &str) -> Result<u64, ApiError> {
        self.note(name, true, || Kind::Integer);
        parse_integer(name, &self.mandatory_text(name)?)
    }

    /// Text of the form of a decimal without sign. How many places it may have is the asset's
    /// affair.
    pub fn decimal(&mut self, name: &str) -> Result<Option<DecimalText>, ApiError> {
        let Some(text) = self.pattern(name, legal::DECIMAL)? else { return Ok(None) };
        let decimal = DecimalText::parse(&text).filter(|text| is_decimal(text, 20));
        decimal.map(Some).ok_or_else(|| ApiError::illegal_characters(name, legal::DECIMAL))
    }

    pub fn mandatory_decimal(&mut self, name: &str) -> Result<DecimalText, ApiError> {
        self.note(name, true, || Kind::Pattern(legal::DECIMAL.to_owned()));
        if self.notes.is_some() {
            return Ok(DecimalText::format(1, 0, 0));
        }
        self.decimal(name)?.ok_or_else(|| ApiError::mandatory(name))
    }

    pub fn flag(&mut self, name: &str) -> Result<Option<bool>, ApiError> {
        self.note(name, false, || Kind::Flag);
        self.choice(name, &[("true", true), ("false", false)])
    }

    /// One of a few words.
    pub fn choice<T: Copy>(
        &mut self,
        name: &str,
        words: &[(&str, T)],
    ) -> Result<Option<T>, ApiError> {
        self.note(name, false, || words_of(words));
        let Some(text) = self.text(name)? else { return Ok(None) };
        find(&text, words).map(Some).ok_or_else(|| ApiError::invalid_parameter(name))
    }

    /// One of a few words, where the parameter has an error of its own.
    pub fn choice_or<T: Copy>(
        &mut self,
        name: &str,
        words: &[(&str, T)],
        otherwise: fn() -> ApiError,
    ) -> Result<Option<T>, ApiError> {
        self.note(name, false, || words_of(words));
        let Some(text) = self.text(name)? else { return Ok(None) };
        find(&text, words).map(Some).ok_or_else(otherwise)
    }

    pub fn mandatory_choice_or<T: Copy>(
        &mut self,
        name: &str,
        words: &[(&str, T)],
        otherwise: fn() -> ApiError,
    ) -> Result<T, ApiError> {
        self.note(name, true, || words_of(words));
        find(&self.mandatory_text(name)?, words).ok_or_else(otherwise)
    }
}

/// Getters for what has a meaning of its own.
impl Params {
    pub fn market(&mut self, markets: Markets<'_>) -> Result<Market, ApiError> {
        self.note("symbol", true, || Kind::Pattern(legal::SYMBOL.to_owned()));
        find_market(&self.mandatory_text("symbol")?, markets)
    }

    pub fn optional_market(&mut self, markets: Markets<'_>) -> Result<Option<Market>, ApiError> {
        self.pattern("symbol", legal::SYMBOL)?
            .map(|symbol| find_market(&symbol, markets))
            .transpose()
    }

    pub fn cl_ord_id(&mut self, name: &str) -> Result<Option<ClOrdId>, ApiError> {
        let Some(text) = self.pattern(name, legal::CL_ORD_ID)? else { return Ok(None) };
        let illegal = || ApiError::illegal_characters(name, legal::CL_ORD_ID);
        let parsed = ClOrdId::parse(&text).filter(|_| !text.contains('~'));
        parsed.map(Some).ok_or_else(illegal)
    }

    /// How many results are wanted. More than `max` means `max`.
    pub fn limit(&mut self, default: usize, max: usize) -> Result<usize, ApiError> {
        self.note("limit", false, || Kind::Limit { default, max });
        match self.integer("limit")? {
            None => Ok(default),
            Some(0) => Err(ApiError::invalid_parameter("limit")),
            Some(limit) => Ok(usize::try_from(limit).unwrap_or(max).min(max)),
        }
    }

    /// The first and the last nanosecond of the unit that a time was given in.
    pub fn time_span_ns(&mut self, name: &str) -> Result<Option<(u64, u64)>, ApiError> {
        let Some(time) = self.integer(name)? else { return Ok(None) };
        span_ns(time).map(Some).ok_or_else(|| ApiError::overflowed(name))
    }

    /// A list in JSON, such as `["BTCUSDT","ETHBTC"]`.
    pub fn texts(&mut self, name: &str, legal: &str) -> Result<Option<Vec<String>>, ApiError> {
        let Some(text) = self.pattern(name, legal)? else { return Ok(None) };
        serde_json::from_str(&text).map(Some).map_err(|_| ApiError::illegal_characters(name, legal))
    }
}

pub(crate) fn find_market(symbol: &str, markets: Markets<'_>) -> Result<Market, ApiError> {
    if Symbol::parse(symbol).is_none() {
        return Err(ApiError::illegal_characters("symbol", legal::SYMBOL));
    }
    markets(symbol).ok_or_else(ApiError::invalid_symbol)
}

/// One to twenty digits, and after a point one to `places_max` more.
pub(crate) fn is_decimal(text: &str, places_max: usize) -> bool {
    let digits =
        |s: &str, max| (1..=max).contains(&s.len()) && s.bytes().all(|byte| byte.is_ascii_digit());
    match text.split_once('.') {
        None => digits(text, 20),
        Some((whole, fraction)) => digits(whole, 20) && digits(fraction, places_max),
    }
}

fn words_of<T>(words: &[(&str, T)]) -> Kind {
    Kind::Words(words.iter().map(|(word, _)| (*word).to_owned()).collect())
}

fn find<T: Copy>(text: &str, words: &[(&str, T)]) -> Option<T> {
    words.iter().find(|(word, _)| *word == text).map(|(_, value)| *value)
}

fn parse_integer(name: &str, text: &str) -> Result<u64, ApiError> {
    if text.len() > 20 || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(ApiError::illegal_characters(name, legal::INTEGER));
    }
    text.parse().map_err(|_| ApiError::overflowed(name))
}

pub(crate) fn is_json(body: &[u8]) -> bool {
    body.trim_ascii_start().starts_with(b"{")
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;

    pub(in crate::signed) fn query(text: &str) -> Params {
        Params::parse(text, b"").unwrap()
    }

    fn markets(symbol: &str) -> Option<Market> {
        (symbol == "BTCUSDT").then(Market::example)
    }

    #[test]
    fn query_and_body_are_merged_and_the_query_wins() {
        let mut params = Params::parse("a=1&b=%5B%22X%22%5D", b"c=x+y&a=2").unwrap();
        assert_eq!(params.text("a").unwrap().unwrap(), "1");
        assert_eq!(params.text("b").unwrap().unwrap(), r#"["X"]"#);
        assert_eq!(params.text("c").unwrap().unwrap(), "x y");
        assert_eq!(params.finish(), Ok(()));
    }

    #[test]
    fn a_body_in_json_is_read_as_it_was_written() {
        let body =
            br#" {"s":"a\u0062","n":0.10000000000000000001,"f":true,"l":["X","Y"],"z":null}"#;
        let mut params = Params::parse("", body).unwrap();
        assert_eq!(params.text("s").unwrap().unwrap(), "ab");
        assert_eq!(&*params.decimal("n").unwrap().unwrap(), "0.10000000000000000001");
        assert_eq!(params.flag("f"), Ok(Some(true)));
        assert_eq!(params.texts("l", "").unwrap().unwrap(), ["X", "Y"]);
        assert_eq!(params.text("z").unwrap_err().code, -1105);
        let code = |body: &[u8]| Params::parse("", body).unwrap_err().code;
        assert_eq!(code(br#"{"a":{}}"#), -1135);
        assert_eq!(code(br#"{"a":1"#), -1135);
        assert_eq!(code(br#"{"a":1,"a":2}"#), -1101);
        assert_eq!(code(b"{\"\xff\":1}"), -1135);
    }

    #[test]
    fn each_fault_has_its_code_and_text() {
        let check = |error: Option<ApiError>, code, msg: &str| {
            let error = error.expect("an error");
            assert_eq!((error.code, &*error.msg), (code, msg));
        };
        check(
            Params::parse("a=1&a=1", b"").err(),
            -1101,
            "Duplicate values for a parameter detected.",
        );
        check(
            Params::parse(&(0..99).map(|n| format!("{n}=1&")).collect::<String>(), b"").err(),
            -1101,
            "Too many parameters; expected '64' and received '65'.",
        );
        let mandatory = "Mandatory parameter 'side' was not sent, was empty/null, or malformed.";
        check(query("").mandatory_text("side").err(), -1102, mandatory);
        check(query("side=").mandatory_text("side").err(), -1102, mandatory);
        check(query("price=").decimal("price").err(), -1105, "Parameter 'price' was empty.");
        check(
            query("price=-1").decimal("price").err(),
            -1100,
            r"Illegal characters found in parameter 'price'; legal range is '^([0-9]{1,20})(\.[0-9]{1,20})?$'.",
        );
        check(
            query("orderId=x").integer("orderId").err(),
            -1100,
            "Illegal characters found in parameter 'orderId'; legal range is '^[0-9]{1,20}$'.",
        );
        check(
            query("orderId=99999999999999999999").integer("orderId").err(),
            -1108,
            "Parameter 'orderId' overflowed.",
        );
        check(
            query("symbol=btcusdt").market(&markets).err(),
            -1100,
            "Illegal characters found in parameter 'symbol'; legal range is '^[A-Z0-9-_.]{1,20}$'.",
        );
        check(query("symbol=NONE").market(&markets).err(), -1121, "Invalid symbol.");
        check(
            query("id=a%20b").cl_ord_id("id").err(),
            -1100,
            r"Illegal characters found in parameter 'id'; legal range is '^[\.A-Z\:/a-z0-9_-]{1,36}$'.",
        );
        check(
            query("limit=0").limit(100, 5000).err(),
            -1130,
            "Data sent for parameter 'limit' is not valid.",
        );
        let mut params = query("a=1&b=2&c=3");
        assert!(params.text("b").unwrap().is_some());
        check(
            params.finish().err(),
            -1104,
            "Not all sent parameters were read; read '1' parameter(s) but was sent '3'.",
        );
        // The names are for the operator's record.
        let error = query("a=1&c=3").finish().unwrap_err();
        assert!(error.recorded().ends_with("was sent '2'. ('a', 'c')"), "{}", error.recorded());
        assert!(!error.body().contains("'a'"));
        let error = Params::parse("a=1&b=2&b=3", b"").unwrap_err();
        assert!(error.recorded().ends_with("detected. ('b')"), "{}", error.recorded());
    }

    #[test]
    fn decimals_are_plain() {
        for (text, expect) in [
            ("1", true),
            ("0.00000001", true),
            ("12345678901234567890.12345678901234567890", true),
            ("123456789012345678901", false),
            ("", false),
            ("1.", false),
            (".1", false),
            ("1e3", false),
            ("+1", false),
            ("1,5", false),
            ("1.2.3", false),
            ("١", false),
        ] {
            assert_eq!(is_decimal(text, 20), expect, "{text:?}");
        }
    }

    #[test]
    fn limits_above_the_maximum_mean_the_maximum() {
        assert_eq!(query("limit=99999999999").limit(100, 5000), Ok(5000));
        assert_eq!(query("").limit(100, 5000), Ok(100));
    }

    proptest! {
        #[test]
        fn any_bytes_are_parameters_or_an_error(
            text in ".{0,80}",
            body in proptest::collection::vec(any::<u8>(), 0..80),
        ) {
            let _ = Params::parse(&text, &body);
            let _ = Params::parse("", &[b"{", body.as_slice()].concat());
        }

        #[test]
        fn any_value_is_read_or_an_error(value in ".{0,40}") {
            let encoded: String = form_urlencoded::byte_serialize(value.as_bytes()).collect();
            let params = query(&format!("symbol={encoded}&x={encoded}"));
            let _ = params.clone().market(&markets);
            let _ = params.clone().integer("x");
            let _ = params.clone().decimal("x");
            let _ = params.clone().time_span_ns("x");
            let _ = params.clone().texts("x", "");
            let mut params = params;
            prop_assert_eq!(params.text("x").ok().flatten().unwrap_or_default(), value);
        }
    }
}
