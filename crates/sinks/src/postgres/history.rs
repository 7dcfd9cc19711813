//! Answers from the database, each from one snapshot on a connection that no other question uses.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use projection::{
    Answer, Behind, BoxFuture, Followed, History, ProjectionError, Question, Standstill,
};
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout};

use crate::postgres::address::Address;
use crate::postgres::failure::Failed;
use crate::postgres::map::Map;
use crate::postgres::query;
use crate::postgres::routes::Routes;
use crate::postgres::schema;
use crate::postgres::session::Session;
use crate::postgres::shard::read_progress;
use crate::postgres::spread::spread;

/// Questions under way at once, each on a connection. Others wait for their turn, in the order in
/// which they came.
const ASKED_MAX: usize = 8;

/// Of one question.
const ANSWER_MAX: Duration = Duration::from_secs(5);

/// Each question has an index: a plan made while a table was small would read all of it.
pub(crate) const SETTINGS: &str = "SET default_transaction_read_only TO on; SET jit TO off; \
    SET enable_seqscan TO off; SET enable_hashjoin TO off; SET enable_mergejoin TO off; \
    SET statement_timeout TO '5s'; SET idle_in_transaction_session_timeout TO '30s'";

const BEGIN: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// Answers from the databases of a history.
#[derive(Debug)]
pub(crate) struct PostgresHistory {
    databases: Vec<Database>,
    routes: Arc<Routes>,
    followed: Followed,
}

/// Connections to one of them.
#[derive(Debug)]
struct Database {
    address: Address,
    turns: Semaphore,
    idle: Mutex<Vec<Session>>,
}

impl PostgresHistory {
    pub(crate) fn new(addresses: &[Address], routes: Arc<Routes>, followed: Followed) -> Self {
        let databases = addresses.iter().cloned().map(Database::new).collect();
        Self { databases, routes, followed }
    }

    async fn ask_one(
        &self,
        shard: usize,
        question: &Question,
        at_least: u64,
    ) -> Result<Answer, ProjectionError> {
        let database = &self.databases[shard];
        self.check_is_reachable(shard)?;
        let _turn = database.turns.acquire().await.expect("it is never closed");
        let answer = timeout(ANSWER_MAX, database.answer(question, at_least)).await;
        let answer = answer.unwrap_or(Err(Failed::Silent(ANSWER_MAX.as_secs())));
        answer.map_err(|failed| failed.at(&database.address))
    }

    /// The feed knows, and no question then waits for another connection that is refused.
    fn check_is_reachable(&self, shard: usize) -> Result<(), ProjectionError> {
        match self.followed.reached().standstill {
            Some(standstill @ (Standstill::Unreachable | Standstill::Refused))
                if self.routes.is_away(shard) =>
            {
                let sentence = "is not there for the feed".into();
                Err(Failed::Other(standstill, sentence).at(&self.databases[shard].address))
            }
            _ => Ok(()),
        }
    }

    fn map(&self) -> Result<Arc<Map>, ProjectionError> {
        self.routes.map().ok_or_else(|| {
            let sentence = "is not open yet, and it is not known which database has what".into();
            Failed::Other(Standstill::Opening, sentence).at(&self.databases[0].address)
        })
    }
}

impl Database {
    fn new(address: Address) -> Self {
        Self { address, turns: Semaphore::new(ASKED_MAX), idle: Mutex::default() }
    }

    async fn answer(&self, question: &Question, at_least: u64) -> Result<Answer, Failed> {
        let mut idle = self.idle().pop();
        loop {
            let is_fresh = idle.is_none();
            let session = match idle.take() {
                Some(session) => session,
                None => self.connect().await?,
            };
            match ask(&session, question, at_least).await {
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

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Session>> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.retain(|session| !session.is_closed());
        idle
    }
}

impl History for PostgresHistory {
    fn ask(
        &self,
        question: Question,
        sequence: u64,
    ) -> BoxFuture<'_, Result<Answer, ProjectionError>> {
        Box::pin(async move {
            // What the feed has written is there, unless an older state has taken its place.
            let at_least = self.followed.sequence().max(sequence);
            let map = self.map()?;
            let one = |shard| self.ask_one(shard, &question, at_least);
            spread(&question, &map, self.databases.len(), one).await
        })
    }

    fn reached(&self) -> Behind {
        self.followed.reached()
    }

    fn behind(&self) -> Behind {
        self.followed.behind()
    }

    fn wait_until(&self, sequence: u64, deadline: Instant) -> BoxFuture<'_, Result<(), Behind>> {
        Box::pin(self.followed.wait_until(sequence, deadline))
    }
}

/// All that is read is of one moment. A session that has failed is not used again.
pub(crate) async fn ask(
    session: &Session,
    question: &Question,
    at_least: u64,
) -> Result<Answer, Failed> {
    session.run(BEGIN).await?;
    let sequence = read_progress(session).await?.sequence;
    if sequence < at_least {
        let sentence = format!(
            "is at command {sequence}, and was at {at_least}: it was restored, and is catching up"
        );
        return Err(Failed::Other(Standstill::Missing, sentence));
    }
    let answer = query::answer(session, question).await?;
    session.run("COMMIT").await?;
    Ok(answer)
}
