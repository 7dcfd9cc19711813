//! The read model as its readers see it: questions, answers, and how far it has come.

use std::fmt;
use std::pin::Pin;

use tokio::time::Instant;

use crate::error::{ProjectionError, Standstill};
use crate::question::{Answer, Ask, Question};

/// Any future that can be sent to another thread.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Answers questions about the past. A trait without SQL, of futures, so that a database beyond the
/// network can stand behind it too.
pub trait History: fmt::Debug + Send + Sync {
    /// Answers from one moment of the read model. [`ask`] gives the answer its own type.
    fn ask(&self, question: Question) -> BoxFuture<'_, Result<Answer, ProjectionError>>;

    /// The last command whose events it has.
    fn sequence(&self) -> u64;

    /// Waits until it has the events of a command. A caller that has the reply of that command then
    /// finds what the command did in every answer.
    fn wait_until(&self, sequence: u64, deadline: Instant) -> BoxFuture<'_, Result<(), Behind>>;
}

/// The read model had not come so far in time.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Behind {
    /// The last command whose events it had.
    pub sequence: u64,
    /// The time of that command; 0 if it is not known.
    pub sequenced_ns: u64,
    /// What keeps it, if it does not merely catch up.
    pub standstill: Option<Standstill>,
}

/// Asks a question, and returns the answer in the question's own type.
pub async fn ask<Q: Ask>(history: &dyn History, question: Q) -> Result<Q::Answer, ProjectionError> {
    let answer = history.ask(question.into()).await?;
    Ok(Q::own(answer).expect("a question is answered by the answer of its name"))
}
