//! Answers from the SQLite file, each on a thread that may block.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::time::Instant;

use crate::error::ProjectionError;
use crate::feed::followed::Followed;
use crate::history::{Behind, BoxFuture, History};
use crate::question::{Answer, Question};
use crate::sqlite::files;
use crate::sqlite::query;
use crate::sqlite::reader::{IDLE_MAX, Reader};
use crate::sqlite::store::read_progress;

/// Questions under way at once: each holds a thread and a connection. Others wait for their turn,
/// in the order in which they came.
const ASKED_MAX: usize = IDLE_MAX;

#[derive(Debug)]
pub(crate) struct SqliteHistory {
    reader: Reader,
    turns: Arc<Semaphore>,
    followed: Followed,
}

impl SqliteHistory {
    pub(crate) fn new(path: PathBuf, followed: Followed) -> Self {
        let turns = Arc::new(Semaphore::new(ASKED_MAX));
        Self { reader: Reader::new(path), turns, followed }
    }
}

impl History for SqliteHistory {
    fn ask(
        &self,
        question: Question,
        sequence: u64,
    ) -> BoxFuture<'_, Result<Answer, ProjectionError>> {
        Box::pin(async move {
            let turn = Arc::clone(&self.turns).acquire_owned().await;
            let turn = turn.expect("it is never closed");
            let reader = self.reader.clone();
            // What the feed has written is in the file, unless another one has taken its place.
            let at_least = self.followed.sequence().max(sequence);
            let answer = tokio::task::spawn_blocking(move || {
                // The turn lasts as long as the thread is held, even if the caller has gone.
                let _turn = turn;
                let found = reader.ask(|connection| {
                    let sequence = read_progress(connection)?.sequence;
                    let is_whole = sequence >= at_least;
                    is_whole.then(|| query::answer(connection, &question)).transpose()
                });
                found?.ok_or_else(|| reader.missing())
            });
            answer.await.expect("a question does not panic")
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

/// Asks the read model of the venue in this folder, on the thread of the caller.
pub fn ask(data_dir: &Path, question: &Question) -> Result<Answer, ProjectionError> {
    let reader = Reader::new(files::path(data_dir));
    reader.ask(|connection| query::answer(connection, question))
}
