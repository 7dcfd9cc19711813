//! Refusals of the door as [`ApiError`]s.

use projection::Standstill;
use protocol::signed::ApiError;
use types::Refused;

use crate::door::admission::TooBusy;
use crate::door::limits::OverLimit;
use crate::door::query::QueryError;
use crate::door::submit::SubmitError;

impl From<OverLimit> for ApiError {
    fn from(over: OverLimit) -> Self {
        match over {
            OverLimit::TooMuchWeight { limit, retry_after_s, .. } => {
                Self::too_much_weight(limit, "1 MINUTE", retry_after_s)
            }
            OverLimit::Banned { until_ms, retry_after_s, .. } => {
                Self::banned(until_ms, retry_after_s)
            }
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
            QueryError::HistoryBehind { up_to_ns, standstill } => behind(up_to_ns, standstill),
            QueryError::HistoryFailed(standstill) => {
                Self::history_unavailable(&standstill.to_string())
            }
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

/// A read model that has only older events, with their age.
fn behind(up_to_ns: u64, standstill: Option<Standstill>) -> ApiError {
    let cause = standstill.map_or("it is catching up".to_owned(), |cause| cause.to_string());
    match up_to_ns {
        0 => ApiError::history_unavailable(&cause),
        _ => ApiError::history_behind(up_to_ns / 1_000_000, &cause),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_read_model_that_is_behind_says_how_old_it_is_and_why() {
        let sentence = |up_to_ns, standstill| {
            let error = ApiError::from(QueryError::HistoryBehind { up_to_ns, standstill });
            assert_eq!((error.status, error.code), (503, -1008));
            error.msg.into_owned()
        };
        let age = "History has events up to 1700000000123 only";
        let rest = "Orders are not affected; please try again.";
        let up_to_ns = 1_700_000_000_123_456_789;
        let full = sentence(up_to_ns, Some(Standstill::DiskFull));
        assert_eq!(full, format!("{age}: its disk is full. {rest}"));
        assert_eq!(sentence(up_to_ns, None), format!("{age}: it is catching up. {rest}"));
        let opening = sentence(0, Some(Standstill::Opening));
        let now = "History is not available now: it is being opened or upgraded.";
        assert_eq!(opening, format!("{now} {rest}"));
    }
}
