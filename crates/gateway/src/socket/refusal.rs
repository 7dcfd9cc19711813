//! Refusals of the door as [`ApiError`]s.

use protocol::signed::ApiError;
use types::Refused;

use crate::door::admission::TooBusy;
use crate::door::limits::OverLimit;
use crate::door::query::QueryError;
use crate::door::submit::SubmitError;

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

impl From<QueryError> for ApiError {
    fn from(unanswered: QueryError) -> Self {
        match unanswered {
            QueryError::Refused(refused) => of_refused(refused),
            QueryError::Gone => Self::disconnected(),
            QueryError::TimedOut => Self::overloaded(),
            QueryError::NoHistory => Self::unsupported_operation(),
            QueryError::HistoryFailed => Self::unknown(),
        }
    }
}

impl From<SubmitError> for ApiError {
    fn from(unsubmitted: SubmitError) -> Self {
        match unsubmitted {
            SubmitError::Refused(refused) => of_refused(refused),
            SubmitError::Unknown => Self::timeout(),
            SubmitError::RepeatGone => Self::new(
                409,
                -1000,
                "This Idempotency-Key was used before; its request was carried out once, and its \
                 result is no longer kept.",
            ),
            SubmitError::RepeatQuery(unanswered) => unanswered.into(),
            SubmitError::RepeatUnreadable => Self::unknown(),
        }
    }
}

/// A command or query that the venue did not take.
fn of_refused(refused: Refused) -> ApiError {
    match refused {
        Refused::Overloaded => ApiError::overloaded(),
        Refused::DiskFull => ApiError::disk_full(),
        Refused::NotPrimary => ApiError::disconnected(),
    }
}
