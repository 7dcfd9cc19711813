//! The read model as its readers see it: questions, answers, and how far it has come.

use std::fmt;
use std::pin::Pin;

use tokio::time::Instant;

use crate::error::{ProjectionError, Standstill};
use crate::question::{Answer, Ask, Question};
use crate::settled::is_settled;

/// Any future that can be sent to another thread.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Answers questions about the past. A trait without SQL, of futures, so that a database beyond the
/// network can stand behind it too.
pub trait History: fmt::Debug + Send + Sync {
    /// Answers from one moment of the read model, at which it has the events of the command
    /// `sequence`; else it fails. [`ask`] gives the answer its own type.
    fn ask(
        &self,
        question: Question,
        sequence: u64,
    ) -> BoxFuture<'_, Result<Answer, ProjectionError>>;

    /// The last command whose events it has.
    fn sequence(&self) -> u64 {
        self.reached().sequence
    }

    /// How far it has come, without the time of what it lacks.
    fn reached(&self) -> Behind;

    /// How far it has come, for a caller that found it behind.
    fn behind(&self) -> Behind;

    /// Whether some answers may come from a replica, with a lag ([`with_lag`](crate::with_lag)).
    fn has_replica(&self) -> bool {
        false
    }

    /// Waits until it has the events of a command. A caller that has the reply of that command then
    /// finds what the command did in every answer.
    fn wait_until(&self, sequence: u64, deadline: Instant) -> BoxFuture<'_, Result<(), Behind>>;
}

/// How far a read model has come that may be behind.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Behind {
    /// The last command whose events it had.
    pub sequence: u64,
    /// The time of that command; 0 if it is not known.
    pub sequenced_ns: u64,
    /// The time of the first command that it lacks; `None` if it lacks none, or that is not known.
    pub lacking_ns: Option<u64>,
    /// What keeps it, if it does not merely catch up.
    pub standstill: Option<Standstill>,
}

impl Behind {
    /// Why it is behind, for a sentence.
    pub fn cause(&self) -> String {
        self.standstill.map_or("it is catching up".to_owned(), |cause| cause.to_string())
    }

    /// Seconds since the first event that it lacks: on a quiet venue the last one that it has may
    /// be of yesterday. `None` if it lacks none, or if its end or that event is not known.
    pub fn age_s(&self, now_ns: u64) -> Option<u64> {
        let lacking_ns = self.lacking_ns.filter(|_| self.sequenced_ns > 0)?;
        Some(now_ns.saturating_sub(lacking_ns) / 1_000_000_000)
    }

    /// Seconds since the last event that it has, for one that lacks events which no reader of the
    /// spool sees, as on a full disk. `None` if its end is not known.
    pub fn age_at_most_s(&self, now_ns: u64) -> Option<u64> {
        let is_known = self.sequenced_ns > 0;
        is_known.then(|| now_ns.saturating_sub(self.sequenced_ns) / 1_000_000_000)
    }
}

/// Asks a read model that is behind: `None` unless no event that it lacks can change the answer.
pub async fn answer_settled(
    history: &dyn History,
    question: Question,
    behind: Behind,
) -> Result<Option<Answer>, ProjectionError> {
    // While it is opened, it may still be found to be of another log.
    if behind.sequence == 0 || behind.sequenced_ns == 0 {
        return Ok(None);
    }
    let answer = history.ask(question.clone(), behind.sequence).await?;
    Ok(is_settled(&question, &answer, behind.sequenced_ns).then_some(answer))
}

/// [`answer_settled`] in the question's own type.
pub async fn ask_settled<Q: Ask>(
    history: &dyn History,
    question: Q,
    behind: Behind,
) -> Result<Option<Q::Answer>, ProjectionError> {
    let answer = answer_settled(history, question.into(), behind).await?;
    Ok(answer.map(|answer| Q::own(answer).expect("a question is answered by its own answer")))
}

/// Asks a question, and returns the answer in the question's own type. It has the events of the
/// command `sequence`.
pub async fn ask<Q: Ask>(
    history: &dyn History,
    question: Q,
    sequence: u64,
) -> Result<Q::Answer, ProjectionError> {
    let answer = history.ask(question.into(), sequence).await?;
    Ok(Q::own(answer).expect("a question is answered by the answer of its name"))
}
