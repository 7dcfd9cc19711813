//! Refusals of the door as [`ApiError`]s.

use projection::Behind;
use protocol::signed::ApiError;
use types::Refused;

use crate::clock::now_ns;
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
            QueryError::HistoryBehind(behind) => history_behind(behind, now_ns()),
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
fn history_behind(behind: Behind, now_ns: u64) -> ApiError {
    let cause = behind.cause();
    match behind.age_s(now_ns).or_else(|| behind.age_at_most_s(now_ns)) {
        None => ApiError::history_unavailable(&cause),
        Some(age_s) => ApiError::history_behind(age_s, behind.sequenced_ns / 1_000_000, &cause),
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
    use projection::Standstill;

    use super::*;

    #[test]
    fn a_read_model_that_is_behind_says_how_old_it_is_and_why() {
        let sentence = |sequenced_ns, standstill| {
            let lacking_ns = Some(1_700_000_000_123_456_789);
            let behind = Behind { sequence: 7, sequenced_ns, lacking_ns, standstill };
            let error = history_behind(behind, 1_700_000_042_987_654_321);
            assert_eq!((error.status, error.code), (503, -1008));
            error.msg.into_owned()
        };
        let age = "History is 42 s behind, with events up to 1700000000123";
        let rest = "Orders are not affected; please try again.";
        let up_to_ns = 1_700_000_000_123_456_789;
        let full = sentence(up_to_ns, Some(Standstill::DiskFull));
        assert_eq!(full, format!("{age}: its disk is full. {rest}"));
        assert_eq!(sentence(up_to_ns, None), format!("{age}: it is catching up. {rest}"));
        let behind =
            Behind { sequence: 7, sequenced_ns: up_to_ns, lacking_ns: None, standstill: None };
        let unseen = history_behind(behind, 1_700_000_042_987_654_321).msg.into_owned();
        assert!(unseen.starts_with(age), "{unseen}");
        let opening = sentence(0, Some(Standstill::Opening));
        let now = "History is not available now: it is being opened or upgraded.";
        assert_eq!(opening, format!("{now} {rest}"));
    }
}
