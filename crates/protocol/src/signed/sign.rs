//! The sender of a request, and its freshness: API keys, signatures, time windows.
//!
//! What is signed is the query string followed by the body, byte for byte as they were sent,
//! without the parameter `signature` itself. Clients put that last; wherever it stands, it is cut
//! out together with one `&`. A signature of HMAC-SHA256 is written in hex of either case, one of a
//! public key (Ed25519; RSA, PKCS#1 v1.5 with SHA-256) in base64, which a query encodes.

use std::borrow::Cow;
use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::percent_decode;
use ring::hmac;
use ring::signature::{
    ED25519, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey,
};
use types::parse_decimal;

use crate::signed::params::{is_decimal, is_json, legal};
use crate::signed::{ApiError, NS_PER_US, Params, span_ns};

pub const RECV_WINDOW_DEFAULT_US: u64 = 5_000_000;
pub const RECV_WINDOW_MAX_US: u64 = 60_000_000;
/// How far a client's clock may be ahead of ours.
const AHEAD_MAX_US: u64 = 1_000_000;
pub const API_KEY_LEN_MAX: usize = 128;
/// Of 4096-bit RSA in base64, each character of it encoded.
const SIGNATURE_LEN_MAX: usize = 3 * 684;
const RSA_EXPONENT: [u8; 3] = [1, 0, 1];

/// What a key's signatures are checked with.
#[derive(Clone)]
pub enum VerifyingKey {
    /// The hash begins with the secret: that part is computed once.
    Hmac(hmac::Key),
    Ed25519([u8; 32]),
    /// The modulus; the exponent is 65537.
    Rsa(Vec<u8>),
}

/// The signature of a payload by HMAC-SHA256, in hex. This is the client's side.
pub fn sign(secret: &[u8], payload: &[u8]) -> String {
    let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, secret), payload);
    tag.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The text of the header `X-MBX-APIKEY`, if it can be a key at all.
pub fn check_api_key(header: Option<&str>) -> Result<&str, ApiError> {
    let valid = |key: &&str| {
        (1..=API_KEY_LEN_MAX).contains(&key.len())
            && key.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    header.filter(valid).ok_or_else(ApiError::api_key_format)
}

/// Checks the signature, of HMAC in constant time.
pub fn verify(key: &VerifyingKey, query: &str, body: &[u8]) -> Result<(), ApiError> {
    let (payload, signature) = split(query, body)?;
    let signature = signature.ok_or_else(|| ApiError::mandatory("signature"))?;
    if signature.len() > SIGNATURE_LEN_MAX {
        return Err(ApiError::invalid_signature());
    }
    // A `+` stands for itself: it is a letter of base64, and some clients do not encode it.
    let signature: Cow<'_, [u8]> = percent_decode(signature).into();
    key.verify(&payload, &signature)
}

/// The signed bytes of a request. A signature may be written in several ways, and these in one.
pub fn payload<'a>(query: &'a str, body: &'a [u8]) -> Result<Cow<'a, [u8]>, ApiError> {
    Ok(split(query, body)?.0)
}

/// The signed bytes and the signature, as far as there is one.
type Split<'a> = (Cow<'a, [u8]>, Option<&'a [u8]>);

fn split<'a>(query: &'a str, body: &'a [u8]) -> Result<Split<'a>, ApiError> {
    let ([begin, end], in_query) = cut_signature(query.as_bytes())?;
    let (rest, in_body) = if is_json(body) {
        // An object can't be signed with the signature inside it.
        ([body, b""], None)
    } else {
        cut_signature(body)?
    };
    let signature = match (in_query, in_body) {
        (Some(_), Some(_)) => return Err(ApiError::duplicate_parameter()),
        (in_query, in_body) => in_query.or(in_body).filter(|signature| !signature.is_empty()),
    };
    let parts = [begin, end, rest[0], rest[1]];
    let mut parts_with_bytes = parts.iter().filter(|part| !part.is_empty());
    let payload = match (parts_with_bytes.next(), parts_with_bytes.next()) {
        (_, Some(_)) => parts.concat().into(),
        (part, None) => part.copied().unwrap_or_default().into(),
    };
    Ok((payload, signature))
}

/// Checks the signature of a message of the WebSocket API. What is signed are its other parameters,
/// sorted by name, as in a query that encodes nothing.
pub fn verify_message(key: &VerifyingKey, params: &Params) -> Result<(), ApiError> {
    let (payload, signature) = params.signed().ok_or_else(|| ApiError::mandatory("signature"))?;
    key.verify(payload.as_bytes(), signature.as_bytes())
}

impl fmt::Debug for VerifyingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("VerifyingKey(hidden)")
    }
}

impl VerifyingKey {
    pub fn hmac(secret: &[u8]) -> Self {
        Self::Hmac(hmac::Key::new(hmac::HMAC_SHA256, secret))
    }

    /// Of HMAC in hex, of a public key in base64.
    pub fn verify(&self, payload: &[u8], signature: &[u8]) -> Result<(), ApiError> {
        let is_valid = match self {
            Self::Hmac(key) => parse_hex(signature)
                .is_some_and(|signature| hmac::verify(key, payload, &signature).is_ok()),
            Self::Ed25519(public) => STANDARD.decode(signature).is_ok_and(|signature| {
                UnparsedPublicKey::new(&ED25519, public).verify(payload, &signature).is_ok()
            }),
            Self::Rsa(n) => STANDARD.decode(signature).is_ok_and(|signature| {
                let key = RsaPublicKeyComponents { n: n.as_slice(), e: RSA_EXPONENT.as_slice() };
                key.verify(&RSA_PKCS1_2048_8192_SHA256, payload, &signature).is_ok()
            }),
        };
        is_valid.then_some(()).ok_or_else(ApiError::invalid_signature)
    }
}

/// The venue's clock, for times that clients sign with the clock of their own machine.
#[derive(Clone, Copy, Debug)]
pub struct SigningClock {
    pub now_us: u64,
    /// How far a test has moved the venue's clock ahead of the machine's.
    pub ahead_us: u64,
}

impl From<u64> for SigningClock {
    fn from(now_us: u64) -> Self {
        Self { now_us, ahead_us: 0 }
    }
}

impl SigningClock {
    /// Checks that a time is neither late nor early. A client may have either clock.
    pub fn check(self, timestamp_us: u64, window_us: u64) -> Result<Window, ApiError> {
        let Self { now_us, ahead_us } = self;
        let machine_us = now_us.saturating_sub(ahead_us);
        let is_machines = timestamp_us.abs_diff(machine_us) < timestamp_us.abs_diff(now_us);
        let signed_us = timestamp_us.saturating_add(if is_machines { ahead_us } else { 0 });
        if signed_us >= now_us.saturating_add(AHEAD_MAX_US) {
            return Err(ApiError::timestamp_ahead());
        }
        let expires_us = signed_us.saturating_add(window_us);
        if now_us > expires_us {
            return Err(ApiError::outside_recv_window());
        }
        Ok(Window { signed_us, expires_us })
    }
}

/// When a request was signed, by the venue's clock, and after when it must not be carried out.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Window {
    pub signed_us: u64,
    pub expires_us: u64,
}

/// Checks `timestamp` and `recvWindow` and takes both away, as well as `signature`.
pub fn check_time(params: &mut Params, clock: impl Into<SigningClock>) -> Result<Window, ApiError> {
    let recv_window_us = recv_window_us(params)?;
    let timestamp = params.mandatory_integer("timestamp")?;
    params.text("signature")?;
    let (timestamp_ns, _) = span_ns(timestamp).ok_or_else(|| ApiError::overflowed("timestamp"))?;
    clock.into().check(timestamp_ns / NS_PER_US, recv_window_us)
}

/// In milliseconds, with up to three decimal places.
fn recv_window_us(params: &mut Params) -> Result<u64, ApiError> {
    let text = params.pattern("recvWindow", legal::RECV_WINDOW)?;
    let Some(text) = text else { return Ok(RECV_WINDOW_DEFAULT_US) };
    if !is_decimal(&text, 3) {
        return Err(ApiError::illegal_characters("recvWindow", legal::RECV_WINDOW));
    }
    let window_us = parse_decimal(&text, 3).and_then(|window_us| u64::try_from(window_us).ok());
    let within = |window_us: &u64| *window_us <= RECV_WINDOW_MAX_US;
    window_us.filter(within).ok_or_else(ApiError::recv_window_too_large)
}

/// What is left without the signature, before it and after it, and the signature.
type Cut<'a> = ([&'a [u8]; 2], Option<&'a [u8]>);

fn cut_signature(part: &[u8]) -> Result<Cut<'_>, ApiError> {
    let mut found: Option<(usize, &[u8])> = None;
    let mut begin = 0;
    for pair in part.split(|byte| *byte == b'&') {
        if let Some(value) = pair.strip_prefix(b"signature=")
            && found.replace((begin, value)).is_some()
        {
            return Err(ApiError::duplicate_parameter());
        }
        begin += pair.len() + 1;
    }
    let Some((begin, value)) = found else { return Ok(([part, b""], None)) };
    let end = begin + "signature=".len() + value.len();
    // One of the separators goes with it.
    let rest = match begin.checked_sub(1) {
        Some(before) => [&part[..before], &part[end..]],
        None => [b"", part.get(end + 1..).unwrap_or_default()],
    };
    Ok((rest, Some(value)))
}

/// 32 bytes in hex of either case.
fn parse_hex(text: &[u8]) -> Option<[u8; 32]> {
    let text: &[u8; 64] = text.try_into().ok()?;
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let mut bytes = [0; 32];
    for (byte, pair) in bytes.iter_mut().zip(text.chunks_exact(2)) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use ring::signature::{Ed25519KeyPair, KeyPair};

    use super::*;
    use crate::signed::params::tests::query;

    // The example of the public documentation of the scheme.
    const SECRET: &[u8] = b"NhqPtmdSJYdKjVHjA7PZj4Mge3R5YNiP1e3UZjInClVN65XAbvqqM6A7H5fATj0j";
    const PAYLOAD: &str = "symbol=LTCBTC&side=BUY&type=LIMIT&timeInForce=GTC&quantity=1&price=0.1\
                           &recvWindow=5000&timestamp=1499827319559";
    const SIGNATURE: &str = "c8db56825ae71d6d79447849e617115f4a920fa2acdcab2b053c4b2838bd6b71";

    const RSA_2048: &str = "1v0hdRftsB6SPWLe39EqqdRrwEDLyzz0AR3ofiz9WqYaGLZvDqNbG2mMgYGDJ5ctK6adTyHB+B+wlkK8Jyxdiz\
        CdRtcGRWkLl81hay7c5cVrFxzvI6dpcIxPeIWREqRCBsZvivrIGUGE8ppJ1O2/o6ThEGACYWY0gaIsRKQKbeZu\
        lhOi9eZo0YXwb6dbd0sdtJksliV2guvwr2pjZgJyNg8v+vVU8TDpM53kkgs8y7KRgapai0qFxs+MZ4QFiPgjYd\
        ZhYOypiLSshH1zIrDapdqT/cKJABWDB+yoPc30JS27/0xXAsD8te4TNAf5JSBepZQaIX3LtNoRwirfyoU7AQ==";
    const SIGNED_2048: &str = "A3zybWw32dKMwVKcLQSIrE3FDTX9P/0QDKLCDIHhfI6wfko6dFN7YtuoswisN6eRbr39z8qkxHGCXIy8W3FMup\
        apkg4XkGu+jUM1vPO1OeIJe8ZvfM2Hxk9H6PH3glFCUyx1V890cu2sSdFJyWRIY+3OGD6snz+JmXdgJWeqiA+u\
        pdKFMHpMVespH1zdxf7dJDhlC8/f0YxxBg2IXJKKVE2myGFNGt+QJKXnt/REnpC36qnZ1IUWCC6+no4j4w56S2\
        buIxxZlsSVzth9W9PncD6xFkFXGPg2du1lJlzLK3ocDTQmY2SUNoeb0uErV31EN9Oh6QlE9vmSCblWH4Am4Q==";
    const RSA_4096: &str = "2fanlTfnTR+21GmRw7TK+WI1NqbqHNRk/5pWkhIFh4fAQYSsvekYlqPaRji/5aCkL26Kc8biYnjGBvchhtM6em\
        bUuBTruf82G9KK2T+wxwdyPBublDWt4pVD1veRyU7OGdcV02pl1VoyJQckKRkPvQwUCFh/56OBIILDn+2nSNjs\
        b+bJaPmawcCPGAR7ZB67ugoMPW2AtvpOBsqUeLDD58GVkApmvNyQv5K2erXqVk9ya3Fr6bYPkk5Wetqj3Xt49d\
        vadniRfwTLL5JJPQXnCXMr5pals70IOCl6/qwBWXhbDnBrZWNrvHVJx2WInNVitNwYJN+EChDzmoxYoW0yiSNB\
        DcXA9ZbhGXz7dvLwuZdIMo7OFrZCB2EjQHfQuJ4j9lM1tFDmnMIWRFDKGfBgSibOyi6kntAEXWtrZkNS/jrunY\
        kPwaz6YLB914dsXz8IMddTKIep4M4U6x8fPxW5JzDLsKggDgASHzavYHJoMXgjDyCcnuxui1yftDNKNVEir6oN\
        tzNE1T8hdhjtcpfOiuBYrNnRWsB2cJq18vULluohVLgPdQdR8ZIqxwpJZzgjVVATd04qILLRAbujn/ardvzJHW\
        SK2OtgY6P/FG8JYTonW1h/9TCMCBlaDaDShJhwFkODil/wA+9tbmmz1/yfOXHku/iJCfqVG2Se4t1GUBk=";
    const SIGNED_4096: &str = "xBXRrZFU8e4gVyZI7Y2ksEWgrXsRXjAmHuFya13A9pjyQBqdWGcuzyhbWwqA+xYUVZV5Z1oraz+N9Kr9z74LUj\
        8E55XwK57WsO8qsZqinHN4+PYq0/oNfcqbElBSiUNKDQemvDhkYNwP/AhT5VMqjVquTavJLkSTIMdZtRwrZCda\
        qW36mIgSjJt+/7fQzRcl6WNNxz1bQZdhvXdbB6A+gt7dmNDJ3gMmz2aPogAX+TUcNSIR5SgZ2Zh38XiSKYFfpH\
        WvNCBNlRQB8o4hzEv6FCB3ADxwWRWb7s7Xe3OopKQeAobV6IwjLkniuPlQUmiUr6fCgQfQswbSBmS+FIJ+sKRq\
        23+GoiVCeTmQe6SZEZiYlFI66VncRm/YObhnvhucEINcTqLOeIClzb82WBgpK2dqjuDi/vE/mTpXf+gI4t5k7F\
        7gDFXAr4AgvciBynQI9vwo0o+uhdJBDWVnMdBUf83F3MweinHAYUalqqlOSZyylNsEnqUo7aysr3KfCtuAHgDQ\
        Dm94gWL+oJj5T6Vaw87xYo6M7UM5lQjs5LC9lHhFNXu2zz2Y6PfOzJU06Yo++6WTtP0gViDY4sC7QVBS+438fN\
        g5tv8YhEwf7kEtwtIb7GCePk7IBCbyBcvrseSXUpl9qGh9KGGcPhPd+R0TtEH9pt1+UYAKDwlguUvBI4U=";

    fn verify_hmac(query: &str, body: &[u8]) -> Result<(), ApiError> {
        verify(&VerifyingKey::hmac(SECRET), query, body)
    }

    #[test]
    fn the_documented_examples_hold() {
        assert_eq!(sign(SECRET, PAYLOAD.as_bytes()), SIGNATURE);
        let payload =
            PAYLOAD.replace("LTCBTC", "%EF%BC%91%EF%BC%92%EF%BC%93%EF%BC%94%EF%BC%95%EF%BC%96");
        assert_eq!(
            sign(SECRET, payload.as_bytes()),
            "e1353ec6b14d888f1164ae9af8228a3dbd508bc82eb867db8ab6046442f33ef3"
        );
    }

    #[test]
    fn the_signature_may_stand_anywhere() {
        let signed = format!("signature={SIGNATURE}");
        let (head, tail) = PAYLOAD.split_once('&').unwrap();
        let check = |query: &str, body: &str| {
            assert_eq!(verify_hmac(query, body.as_bytes()), Ok(()), "{query:?} {body:?}");
        };
        check(&format!("{PAYLOAD}&{signed}"), "");
        check("", &format!("{PAYLOAD}&{signed}"));
        check(&format!("{signed}&{PAYLOAD}"), "");
        check(&format!("{head}&{signed}&{tail}"), "");
        check(&signed, PAYLOAD);
        check(PAYLOAD, &signed);
        check(&format!("{head}&"), &format!("{tail}&{signed}"));
        check(&format!("{PAYLOAD}&{}", signed.replace("c8db", "C8DB")), "");
    }

    #[test]
    fn query_and_body_are_joined_without_separator() {
        let (query, body) = ("symbol=LTCBTC&side=BUY", "quantity=1&timestamp=1499827319559");
        let signature = sign(SECRET, format!("{query}{body}").as_bytes());
        let body = format!("{body}&signature={signature}");
        assert_eq!(verify_hmac(query, body.as_bytes()), Ok(()));
    }

    #[test]
    fn a_json_body_is_signed_from_the_query() {
        let body = br#"{"symbol":"LTCBTC"}"#;
        let signature = sign(SECRET, &[b"timestamp=1".as_slice(), body].concat());
        assert_eq!(verify_hmac(&format!("timestamp=1&signature={signature}"), body), Ok(()));
    }

    #[test]
    fn anything_else_is_refused() {
        let code = |query: &str, body: &str| verify_hmac(query, body.as_bytes()).unwrap_err().code;
        assert_eq!(code(PAYLOAD, ""), -1102);
        assert_eq!(code(&format!("{PAYLOAD}&signature="), ""), -1102);
        assert_eq!(code(&format!("{PAYLOAD}&signature=x"), ""), -1022);
        assert_eq!(code(&format!("{PAYLOAD}&signature={}", "0".repeat(64)), ""), -1022);
        assert_eq!(code(&format!("{PAYLOAD}&x=1&signature={SIGNATURE}"), ""), -1022);
        let twice = format!("signature={SIGNATURE}");
        assert_eq!(code(&format!("{PAYLOAD}&{twice}&{twice}"), ""), -1101);
        assert_eq!(code(&format!("{PAYLOAD}&{twice}"), &twice), -1101);
        for cut in 0..PAYLOAD.len() {
            assert_eq!(code(&format!("{}&{twice}", &PAYLOAD[..cut]), ""), -1022, "cut at {cut}");
        }
    }

    #[test]
    fn an_ed25519_key_signs_in_base64() {
        let pair = Ed25519KeyPair::from_seed_unchecked(&[7; 32]).unwrap();
        let key = VerifyingKey::Ed25519(pair.public_key().as_ref().try_into().unwrap());
        let signature = STANDARD.encode(pair.sign(PAYLOAD.as_bytes()));
        let encoded: String =
            percent_encoding::utf8_percent_encode(&signature, percent_encoding::NON_ALPHANUMERIC)
                .collect();
        for signature in [&signature, &encoded] {
            let query = format!("{PAYLOAD}&signature={signature}");
            assert_eq!(verify(&key, &query, b""), Ok(()), "{signature}");
            assert_eq!(verify(&key, "", query.as_bytes()), Ok(()), "{signature}");
        }
        let swapped: String = signature
            .chars()
            .map(|c| if c.is_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() })
            .collect();
        let hex = sign(SECRET, PAYLOAD.as_bytes());
        let long = "A".repeat(SIGNATURE_LEN_MAX + 4);
        for wrong in [&swapped, &signature[4..], &signature.replace('=', ""), &hex, &long] {
            let query = format!("{PAYLOAD}&signature={wrong}");
            assert_eq!(verify(&key, &query, b"").unwrap_err().code, -1022, "{wrong}");
        }
        let query = format!("{PAYLOAD}0&signature={encoded}");
        assert_eq!(verify(&key, &query, b"").unwrap_err().code, -1022);
    }

    /// Made once by `openssl dgst -sha256 -sign`.
    #[test]
    fn an_rsa_key_signs_in_base64() {
        for (modulus, signature) in [(RSA_2048, SIGNED_2048), (RSA_4096, SIGNED_4096)] {
            let modulus = STANDARD.decode(modulus).unwrap();
            let key = VerifyingKey::Rsa(modulus);
            let query = format!("{PAYLOAD}&signature={signature}");
            assert_eq!(verify(&key, &query, b""), Ok(()));
            let altered = query.replace("price=0.1", "price=0.2");
            assert_eq!(verify(&key, &altered, b"").unwrap_err().code, -1022);
            let swapped = query.replace(signature, &signature.to_lowercase());
            assert_eq!(verify(&key, &swapped, b"").unwrap_err().code, -1022);
        }
    }

    #[test]
    fn a_request_is_meant_for_a_window_of_time() {
        const NOW_US: u64 = 1_499_827_319_559_000;
        let check = |text: &str, expect: Result<u64, (i32, &str)>| {
            let result = check_time(&mut query(text), NOW_US);
            let result = result.as_ref().map_err(|error| (error.code, &*error.msg));
            assert_eq!(result.map(|window| window.expires_us), expect, "{text}");
        };
        let outside = (-1021, "Timestamp for this request is outside of the recvWindow.");
        let ahead = (-1021, "Timestamp for this request was 1000ms ahead of the server's time.");
        check("timestamp=1499827319559", Ok(NOW_US + 5_000_000));
        check("timestamp=1499827319559000", Ok(NOW_US + 5_000_000));
        check("timestamp=1499827314559", Ok(NOW_US));
        check("timestamp=1499827314558", Err(outside));
        check("timestamp=1499827314558999", Err(outside));
        check("timestamp=1499827320558", Ok(NOW_US + 5_999_000));
        check("timestamp=1499827320559", Err(ahead));
        check("timestamp=0", Err(outside));
        check("timestamp=1499827319559&recvWindow=0.001", Ok(NOW_US + 1));
        check("timestamp=1499827319558&recvWindow=0.001", Err(outside));
        check("timestamp=1499827259559&recvWindow=60000", Ok(NOW_US));
        let too_large = (-1131, "recvWindow must be less than 60000");
        check("timestamp=1499827319559&recvWindow=60000.001", Err(too_large));
        check("timestamp=1499827319559&recvWindow=99999999999999999999", Err(too_large));
        let missing = "Mandatory parameter 'timestamp' was not sent, was empty/null, or malformed.";
        check("recvWindow=5000", Err((-1102, missing)));
        check("timestamp=18446744073709551615", Err((-1108, "Parameter 'timestamp' overflowed.")));
        assert_eq!(
            check_time(&mut query("timestamp=1&recvWindow=1.0001"), 1).unwrap_err().code,
            -1100
        );
        assert_eq!(check_time(&mut query("timestamp=now"), 1).unwrap_err().code, -1100);
    }

    /// A test has moved the venue's clock by an hour; clients sign with that clock or their own.
    #[test]
    fn a_moved_clock_takes_times_by_either_clock() {
        const WINDOW_US: u64 = 5_000_000;
        const AHEAD_US: u64 = 3_600_000_000;
        let clock = SigningClock { now_us: 10 * AHEAD_US, ahead_us: AHEAD_US };
        let check = |timestamp_us, expect: Result<u64, i32>| {
            let found = clock.check(timestamp_us, WINDOW_US);
            let found = found.map(|window| window.signed_us).map_err(|error| error.code);
            assert_eq!(found, expect, "{timestamp_us}");
        };
        for now_us in [clock.now_us, clock.now_us - AHEAD_US] {
            check(now_us, Ok(clock.now_us));
            check(now_us - WINDOW_US, Ok(clock.now_us - WINDOW_US));
            check(now_us - WINDOW_US - 1, Err(-1021));
            check(now_us + AHEAD_MAX_US - 1, Ok(clock.now_us + AHEAD_MAX_US - 1));
            check(now_us + AHEAD_MAX_US, Err(-1021));
        }
        check(clock.now_us - AHEAD_US / 2, Err(-1021));
        check(0, Err(-1021));
        check(u64::MAX, Err(-1021));
    }

    #[test]
    fn keys_are_letters_and_digits() {
        assert_eq!(check_api_key(Some("vmPUZE6mv9SD5VNHk4")), Ok("vmPUZE6mv9SD5VNHk4"));
        for header in [None, Some(""), Some("a b"), Some(&*"x".repeat(129))] {
            assert_eq!(check_api_key(header).unwrap_err().code, -2014);
        }
    }

    proptest! {
        #[test]
        fn any_request_is_verified_or_refused(
            query in ".{0,60}",
            body in proptest::collection::vec(any::<u8>(), 0..60),
        ) {
            prop_assert!(verify_hmac(&query, &body).is_err());
            let signature = sign(SECRET, &cut_signature(query.as_bytes()).unwrap().0.concat());
            let _ = verify_hmac(&format!("{query}&signature={signature}"), &[]);
        }
    }
}
