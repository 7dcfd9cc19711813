//! Signatures of operators' requests, in three headers. A signature covers the whole request: what
//! was captured of one is good for no other method, path, query or body, and the nonce makes it
//! good for one time only.

use crate::signed::sign::{SigningClock, Window};
use crate::signed::{ApiError, covered};

pub use crate::signed::covered::Covered;

pub const TIMESTAMP: &str = "x-bw-timestamp";
pub const NONCE: &str = "x-bw-nonce";
pub const SIGNATURE: &str = "x-bw-signature";

/// Checks the form of a nonce.
pub fn check_nonce(nonce: &str) -> Result<(), ApiError> {
    covered::check_nonce(NONCE, nonce)
}

/// Checks that a request is neither late nor early.
pub fn check_time(timestamp: &str, clock: impl Into<SigningClock>) -> Result<Window, ApiError> {
    covered::check_time(TIMESTAMP, timestamp, clock)
}

/// The answer to a request that is signed as in the trading API.
pub fn signed_by_query() -> ApiError {
    ApiError::new(
        400,
        -1022,
        "A signature in the query string does not cover the path, and is refused here: sign with \
         the headers X-BW-TIMESTAMP, X-BW-NONCE and X-BW-SIGNATURE.",
    )
}

/// The answer to a nonce that comes once more.
pub fn nonce_used() -> ApiError {
    ApiError::new(400, -1022, "X-BW-NONCE was used before: each request needs one of its own.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_payload_has_six_lines() {
        let covered = Covered {
            method: "POST",
            path: "/admin/v1/accounts/carol/withdrawals/out%2F1/confirm",
            query: "",
            body: b"",
            timestamp: "1795290000123",
            nonce: "0123456789abcdef",
        };
        // The digest of no bytes is known to all.
        let lines = [
            "POST",
            "/admin/v1/accounts/carol/withdrawals/out%2F1/confirm",
            "",
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            "1795290000123",
            "0123456789abcdef",
        ];
        assert_eq!(covered.payload(), lines.join("\n"));
    }

    #[test]
    fn a_nonce_is_long_enough_and_plain() {
        for good in
            ["0123456789abcdef", &"x".repeat(64), "A-Z_a-z_0-9_...".replace('.', "9").as_str()]
        {
            assert!(check_nonce(good).is_ok() == (16..=64).contains(&good.len()), "{good}");
        }
        for bad in ["", "0123456789abcde", &"x".repeat(65), "0123456789abcde\n", "0123456789abcdeé"]
        {
            assert!(check_nonce(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_request_is_good_for_five_seconds() {
        let now_us = 10_000_000;
        let until =
            |timestamp, now_us| check_time(timestamp, now_us).map(|window| window.expires_us);
        assert_eq!(until("10000", now_us), Ok(15_000_000));
        assert_eq!(until("5000", now_us), Ok(now_us));
        assert_eq!(until("4999", now_us), Err(ApiError::outside_recv_window()));
        assert_eq!(until("10999", now_us), Ok(15_999_000));
        assert_eq!(until("11000", now_us), Err(ApiError::timestamp_ahead()));
        for bad in ["", "-1", "1e3", "10000 ", "99999999999999999999"] {
            assert_eq!(until(bad, now_us), Err(ApiError::mandatory(TIMESTAMP)), "{bad:?}");
        }
    }
}
