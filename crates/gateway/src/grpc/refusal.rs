//! Refusals of a request, as the status of a call and as a message of a stream.

use std::fmt::Write;

use proto::{ErrorInfo, v1};
use protocol::signed::ApiError;
use tonic::{Code, Status};
use types::RejectReason;

use crate::door::query::QueryError;
use crate::door::submit::SubmitError;

/// A refused request. The access record keeps those without a command; the log has the others.
#[derive(Debug)]
pub(super) enum Failure {
    /// No command was submitted to the venue.
    BeforeLog(ApiError),
    /// A command was submitted, or the refusal is none of the access record.
    Other(Refused),
}

/// Why a request was refused.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Refused {
    pub(super) code: Code,
    pub(super) info: ErrorInfo,
    pub(super) message: String,
    /// The request may have been carried out.
    pub(super) is_unknown: bool,
}

pub(super) const OUTCOME_UNKNOWN: &str = "OUTCOME_UNKNOWN";
/// The name of the number from which a stream resumes, less one.
pub(super) const LAST_EVENT: &str = "last_event";

impl Failure {
    /// Of a command that was submitted.
    pub(super) fn after_submit(error: SubmitError) -> Self {
        Self::Other(ApiError::from(error).into())
    }

    pub(super) fn into_refused(self) -> Refused {
        match self {
            Self::BeforeLog(error) => error.into(),
            Self::Other(refused) => refused,
        }
    }
}

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Self {
        Self::BeforeLog(error)
    }
}

impl From<QueryError> for Failure {
    fn from(error: QueryError) -> Self {
        Self::BeforeLog(error.into())
    }
}

impl From<Refused> for Failure {
    fn from(refused: Refused) -> Self {
        Self::Other(refused)
    }
}

impl From<RejectReason> for Failure {
    fn from(reason: RejectReason) -> Self {
        Self::Other(reason.into())
    }
}

impl Refused {
    pub(super) fn new(code: Code, reason: &str, message: impl Into<String>) -> Self {
        let (info, message) = (ErrorInfo::new(reason), message.into());
        Self { code, info, message, is_unknown: false }
    }

    /// The deadline of a call has passed before it was carried out.
    pub(super) fn expired() -> Self {
        let message = "The deadline has passed. Nothing was carried out.";
        Self::new(Code::DeadlineExceeded, "DEADLINE_EXCEEDED", message)
    }

    /// The deadline of a call has passed while it was carried out.
    pub(super) fn unknown() -> Self {
        let message = "The deadline has passed, and the outcome is not known: query the order by \
                       its client order id, or repeat the request with its retry key.";
        Self { is_unknown: true, ..Self::new(Code::DeadlineExceeded, OUTCOME_UNKNOWN, message) }
    }

    /// A stream's reader is too slow.
    pub(super) fn too_slow(last_event: Option<u64>) -> Self {
        let message = "The reader is too slow: call again from the event after the last one.";
        let mut refused = Self::new(Code::ResourceExhausted, "READER_TOO_SLOW", message);
        if let Some(last) = last_event {
            refused.info = refused.info.with(LAST_EVENT, last);
        }
        refused
    }

    pub(super) fn stopping() -> Self {
        Self::new(Code::Unavailable, "SHUTTING_DOWN", "The venue is stopping.")
    }

    pub(super) fn into_status(self) -> Status {
        self.info.into_status(self.code, self.message)
    }

    /// As a message of a stream of orders.
    pub(super) fn into_message(self) -> v1::Refusal {
        v1::Refusal {
            code: self.code as i32,
            reason: self.info.reason,
            message: self.message,
            outcome_unknown: self.is_unknown,
        }
    }
}

impl From<RejectReason> for Refused {
    fn from(reason: RejectReason) -> Self {
        let (word, number) = (screaming(&format!("{reason:?}")), reason.number());
        let message = format!("The venue refused it: {}.", spaced(&word));
        let info = ErrorInfo::new(word).with("number", number);
        Self { code: code_of(reason), info, message, is_unknown: false }
    }
}

impl From<ApiError> for Refused {
    fn from(error: ApiError) -> Self {
        if let Some(reason) = error.reason {
            return reason.into();
        }
        let (code, reason) = kind_of(&error);
        let is_unknown = reason == OUTCOME_UNKNOWN;
        let mut info = ErrorInfo::new(reason).with("number", error.code);
        if let Some(seconds) = error.retry_after_s {
            info = info.with("retry_after_s", seconds);
        }
        Self { code, info, message: error.msg.into_owned(), is_unknown }
    }
}

fn code_of(reason: RejectReason) -> Code {
    use RejectReason as R;
    match reason {
        R::UnknownAccount | R::UnknownKey | R::UnknownLogin | R::AccountKilled => {
            Code::PermissionDenied
        }
        R::UnknownInstrument | R::UnknownAsset | R::OrderNotFound | R::OrderListNotFound => {
            Code::NotFound
        }
        R::DuplicateClOrdId | R::DuplicateListClOrdId => Code::AlreadyExists,
        R::OrderRateAboveMax
        | R::TooManyOpenOrders
        | R::TooManyAccountOrders
        | R::TooManyStopOrders
        | R::TooManyIcebergOrders
        | R::TooManyOrderLists
        | R::TooManyAmends
        | R::TooManySessions => Code::ResourceExhausted,
        R::OrderTermsInvalid
        | R::PriceBelowMin
        | R::PriceAboveMax
        | R::StopPriceOutOfRange
        | R::TrailingDeltaOutOfRange
        | R::ExpireTimePast
        | R::OrderQtyBelowMin
        | R::OrderQtyAboveMax
        | R::MarketQtyBelowMin
        | R::MarketQtyAboveMax
        | R::DisplayQtyOutOfRange
        | R::TooManyIcebergParts
        | R::MinQtyAboveOrderQty
        | R::NotionalBelowMin
        | R::NotionalAboveMax
        | R::FieldInvalid => Code::InvalidArgument,
        _ => Code::FailedPrecondition,
    }
}

/// A refusal of the door, by the code that all dialects share.
fn kind_of(error: &ApiError) -> (Code, &'static str) {
    match (error.status, error.code) {
        (_, -2014 | -2015) => (Code::Unauthenticated, "KEY_REJECTED"),
        (_, -1022) => (Code::Unauthenticated, "SIGNATURE_INVALID"),
        (_, -1021) => (Code::Unauthenticated, "TIMESTAMP_OUT_OF_TIME"),
        (_, -1121) => (Code::NotFound, "UNKNOWN_INSTRUMENT"),
        (_, -1007) => (Code::DeadlineExceeded, OUTCOME_UNKNOWN),
        (409, _) => (Code::Aborted, "FIRST_ANSWER_GONE"),
        (418 | 429, _) => (Code::ResourceExhausted, "TOO_MANY_REQUESTS"),
        (400, -1020) => (Code::Unimplemented, "NOT_SERVED"),
        (403, _) => (Code::PermissionDenied, "NOT_ALLOWED"),
        (404, _) => (Code::NotFound, "NOT_FOUND"),
        (500, _) => (Code::Internal, "INTERNAL"),
        (503, _) => (Code::Unavailable, "UNAVAILABLE"),
        _ => (Code::InvalidArgument, "INVALID_ARGUMENT"),
    }
}

/// `InsufficientBalance` as `INSUFFICIENT_BALANCE`.
fn screaming(name: &str) -> String {
    let mut word = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !word.is_empty() {
            word.push('_');
        }
        word.push(letter.to_ascii_uppercase());
    }
    word
}

fn spaced(word: &str) -> String {
    let mut text = String::with_capacity(word.len());
    for (at, part) in word.split('_').enumerate() {
        let gap = if at > 0 { " " } else { "" };
        write!(text, "{gap}{}", part.to_ascii_lowercase()).expect("a string takes all");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_has_a_word_a_number_and_a_code() {
        let check = |reason: RejectReason, word: &str, code| {
            let refused = Refused::from(reason);
            assert_eq!((&*refused.info.reason, refused.code), (word, code));
            assert_eq!(refused.info.metadata["number"], reason.number().to_string());
        };
        check(RejectReason::InsufficientBalance, "INSUFFICIENT_BALANCE", Code::FailedPrecondition);
        check(RejectReason::DuplicateClOrdId, "DUPLICATE_CL_ORD_ID", Code::AlreadyExists);
        check(RejectReason::OrderNotFound, "ORDER_NOT_FOUND", Code::NotFound);
        check(RejectReason::PriceAboveMax, "PRICE_ABOVE_MAX", Code::InvalidArgument);
        let refused = Refused::from(RejectReason::NoLiquidity);
        assert_eq!(refused.message, "The venue refused it: no liquidity.");
    }

    #[test]
    fn only_a_lost_answer_leaves_the_outcome_unknown() {
        for (error, code, is_unknown) in [
            (ApiError::timeout(), Code::DeadlineExceeded, true),
            (ApiError::overloaded(), Code::Unavailable, false),
            (ApiError::invalid_signature(), Code::Unauthenticated, false),
            (ApiError::mandatory("price"), Code::InvalidArgument, false),
        ] {
            let refused = Refused::from(error);
            assert_eq!((refused.code, refused.is_unknown), (code, is_unknown), "{refused:?}");
        }
    }
}
