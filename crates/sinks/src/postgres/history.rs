//! Answers from the database, each from one snapshot on a connection that no other question uses.

use std::sync::Arc;

use projection::{
    Answer, Behind, BoxFuture, Followed, History, ProjectionError, Question, Standstill,
};
use tokio::time::Instant;

use crate::postgres::address::Address;
use crate::postgres::connections::{Asked, Connections};
use crate::postgres::failure::Failed;
use crate::postgres::map::Map;
use crate::postgres::query;
use crate::postgres::replica::Replica;
use crate::postgres::routes::Routes;
use crate::postgres::session::Session;
use crate::postgres::shard::read_progress;
use crate::postgres::spread::spread;

/// Each question has an index: a plan made while a table was small would read all of it.
pub(crate) const SETTINGS: &str = "SET default_transaction_read_only TO on; SET jit TO off; \
    SET enable_seqscan TO off; SET enable_hashjoin TO off; SET enable_mergejoin TO off; \
    SET statement_timeout TO '5s'; SET idle_in_transaction_session_timeout TO '30s'";

pub(crate) const BEGIN: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// Answers from the databases of a history.
#[derive(Debug)]
pub(crate) struct PostgresHistory {
    databases: Vec<Database>,
    routes: Arc<Routes>,
    followed: Followed,
}

/// One of them, and its replica.
#[derive(Debug)]
struct Database {
    primary: Connections,
    replica: Option<Replica>,
}

impl PostgresHistory {
    /// There is a replica for each database, or none.
    pub(crate) fn new(
        (addresses, replicas): (&[Address], &[Address]),
        routes: Arc<Routes>,
        followed: Followed,
    ) -> Self {
        let database = |(shard, address): (usize, &Address)| Database {
            primary: Connections::to(address.clone()),
            replica: replicas.get(shard).map(|it| Replica::new(shard, it.clone())),
        };
        let databases = addresses.iter().enumerate().map(database).collect();
        Self { databases, routes, followed }
    }

    /// The replica answers if it has the events of the command `sequence`.
    async fn ask_one(
        &self,
        shard: usize,
        question: &Question,
        (sequence, map): (u64, &Map),
    ) -> Result<Answer, ProjectionError> {
        let Database { primary, replica } = &self.databases[shard];
        if let Some(replica) = replica
            && let Some(answer) = replica.answer(question, (sequence, map), &self.followed).await
        {
            return Ok(answer);
        }
        self.check_is_reachable(shard)?;
        // What the feed has written is there, unless an older state has taken its place.
        let at_least = self.followed.sequence().max(sequence);
        let answer = primary.answer(&Latest { question, at_least }).await;
        answer.map_err(|failed| failed.at(&primary.address))
    }

    /// The feed knows, and no question then waits for another connection that is refused.
    fn check_is_reachable(&self, shard: usize) -> Result<(), ProjectionError> {
        match self.followed.reached().standstill {
            Some(standstill @ (Standstill::Unreachable | Standstill::Refused))
                if self.routes.is_away(shard) =>
            {
                let sentence = "is not there for the feed".into();
                Err(Failed::Other(standstill, sentence).at(&self.databases[shard].primary.address))
            }
            _ => Ok(()),
        }
    }

    fn map(&self) -> Result<Arc<Map>, ProjectionError> {
        self.routes.map().ok_or_else(|| {
            let sentence = "is not open yet, and it is not known which database has what".into();
            Failed::Other(Standstill::Opening, sentence).at(&self.databases[0].primary.address)
        })
    }
}

impl History for PostgresHistory {
    fn ask(
        &self,
        question: Question,
        sequence: u64,
    ) -> BoxFuture<'_, Result<Answer, ProjectionError>> {
        Box::pin(async move {
            let map = self.map()?;
            let one = |shard| self.ask_one(shard, &question, (sequence, &map));
            spread(&question, &map, self.databases.len(), one).await
        })
    }

    fn has_replica(&self) -> bool {
        self.databases.iter().any(|database| database.replica.is_some())
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

/// A question to the database that the feed writes to.
struct Latest<'a> {
    question: &'a Question,
    at_least: u64,
}

impl Asked for Latest<'_> {
    type Answer = Answer;

    async fn ask(&self, session: &Session) -> Result<Answer, Failed> {
        ask(session, self.question, self.at_least).await
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
