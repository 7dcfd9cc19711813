//! Connections that read, each for one question at a time.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use projection::Standstill;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::postgres::address::Address;
use crate::postgres::failure::Failed;
use crate::postgres::history::SETTINGS;
use crate::postgres::schema;
use crate::postgres::session::Session;

/// Questions under way at once, each on a connection. Others wait for their turn, in the order in
/// which they came.
const ASKED_MAX: usize = 8;

/// Of one question.
const ANSWER_MAX: Duration = Duration::from_secs(5);

/// What is asked on a connection.
pub(crate) trait Asked: Sync {
    type Answer: Send;

    fn ask(&self, session: &Session) -> impl Future<Output = Result<Self::Answer, Failed>> + Send;
}

#[derive(Debug)]
pub(crate) struct Connections {
    pub(crate) address: Address,
    turns: Semaphore,
    idle: Mutex<Vec<Session>>,
}

impl Connections {
    pub(crate) fn to(address: Address) -> Self {
        Self { address, turns: Semaphore::new(ASKED_MAX), idle: Mutex::default() }
    }

    /// Asks on a connection of its own, for a bounded time, and waits as long for its turn.
    pub(crate) async fn answer<A: Asked>(&self, asked: &A) -> Result<A::Answer, Failed> {
        let Ok(turn) = timeout(ANSWER_MAX, self.turns.acquire()).await else {
            let sentence = format!(
                "has {ASKED_MAX} questions under way, and none has ended in {} s",
                ANSWER_MAX.as_secs()
            );
            return Err(Failed::Other(Standstill::Unreachable, sentence));
        };
        let _turn = turn.expect("it is never closed");
        let answer = timeout(ANSWER_MAX, self.answer_now(asked)).await;
        answer.unwrap_or(Err(Failed::Silent(ANSWER_MAX.as_secs())))
    }

    async fn answer_now<A: Asked>(&self, asked: &A) -> Result<A::Answer, Failed> {
        let mut idle = self.idle().pop();
        loop {
            let is_fresh = idle.is_none();
            let session = match idle.take() {
                Some(session) => session,
                None => self.connect().await?,
            };
            match asked.ask(&session).await {
                Ok(answer) => {
                    self.idle().push(session);
                    return Ok(answer);
                }
                // The server has closed it since the last question.
                Err(_) if !is_fresh && session.is_closed() => idle = None,
                Err(failed) => return Err(failed),
            }
        }
    }

    async fn connect(&self) -> Result<Session, Failed> {
        let session = Session::connect(&self.address, SETTINGS).await?;
        schema::check_is_current(&session, &self.address).await?;
        Ok(session)
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Session>> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.retain(|session| !session.is_closed());
        idle
    }
}
