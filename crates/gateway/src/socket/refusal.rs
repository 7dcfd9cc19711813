//! What the door refuses, as errors with a code and a text.

use protocol::signed::ApiError;
use types::Refused;

use crate::door::admission::TooBusy;
use crate::door::limits::OverLimit;
use crate::door::query::Unanswered;
use crate::door::submit::Unsubmitted;

impl From<OverLimit> for ApiError {
    fn from(over: OverLimit) -> Self {
        match over {
            OverLimit::TooMuchWeight { limit, retry_after_s } => {
                Self::too_much_weight(limit, "1 MINUTE", retry_after_s)
            }
            OverLimit::Banned { until_ms, retry_after_s } => Self::banned(until_ms, retry_after_s),
        }
    }
}

impl From<TooBusy> for ApiError {
    fn from(_: TooBusy) -> Self {
        Self::too_busy_for_orders()
    }
}

impl From<Unanswered> for ApiError {
    fn from(unanswered: Unanswered) -> Self {
        match unanswered {
            Unanswered::Refused(refused) => of_refused(refused),
            Unanswered::Gone => Self::disconnected(),
            Unanswered::TimedOut => Self::overloaded(),
            Unanswered::NoHistory => Self::unsupported_operation(),
            Unanswered::HistoryFailed => Self::unknown(),
        }
    }
}

impl From<Unsubmitted> for ApiError {
    fn from(unsubmitted: Unsubmitted) -> Self {
        match unsubmitted {
            Unsubmitted::Refused(refused) => of_refused(refused),
            Unsubmitted::Unknown => Self::timeout(),
            Unsubmitted::RepeatGone => Self::new(
                409,
                -1000,
                "This Idempotency-Key was used before; its request was carried out once, and its \
                 result is no longer kept.",
            ),
            Unsubmitted::RepeatUnanswered(unanswered) => unanswered.into(),
            Unsubmitted::RepeatUnreadable => Self::unknown(),
        }
    }
}

/// What the venue did not take, and did not carry out.
fn of_refused(refused: Refused) -> ApiError {
    match refused {
        Refused::Overloaded => ApiError::overloaded(),
        Refused::DiskFull => ApiError::disk_full(),
        Refused::NotPrimary => ApiError::disconnected(),
    }
}
