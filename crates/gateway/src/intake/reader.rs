//! Reading the stream: entries become commands as long as there is room for more.

use std::sync::Arc;

use protocol::intake::StreamId;
use redis::{Value, cmd};
use tokio::sync::{Semaphore, mpsc};

use super::connection::{BLOCK, Connection};
use super::desk::{Desk, Taken};
use super::entry::read_entries;
use super::failure::Failure;
use super::key;
use super::metrics::{IntakeMetrics, add};

/// Entries without a reply. The engine remembers 4,096 numbers: after a failure each of these is
/// still recognised.
pub(super) const IN_FLIGHT_MAX: usize = 4_000;
/// Entries of one read.
const READ_MAX: usize = 1_000;

pub(super) struct Reader {
    pub(super) redis: Connection,
    pub(super) desk: Desk,
    pub(super) after: StreamId,
    /// One permit for each entry that may be taken.
    pub(super) room: Arc<Semaphore>,
    pub(super) metrics: Arc<IntakeMetrics>,
}

impl Reader {
    /// Takes entries until Redis fails, or `batches` is closed.
    pub(super) async fn run(mut self, batches: mpsc::Sender<Vec<Taken>>) -> Result<(), Failure> {
        loop {
            let first = self.room.acquire().await.expect("it is never closed");
            first.forget();
            let more = self.room.available_permits().min(READ_MAX - 1);
            let entries = self.read(more + 1).await?;
            let Some(last) = entries.last() else {
                self.room.add_permits(1);
                continue;
            };
            self.after = last.id;
            add(&self.metrics.taken, entries.len());
            add(&self.metrics.in_flight, entries.len());
            // There are as many: only this task takes some away.
            let rest = u32::try_from(entries.len() - 1).expect("a read is small");
            self.room.acquire_many(rest).await.expect("it is never closed").forget();
            let batch = self.desk.take(entries).await;
            if batches.send(batch).await.is_err() {
                return Ok(());
            }
        }
    }

    async fn read(&mut self, count: usize) -> Result<Vec<super::entry::StreamEntry>, Failure> {
        let mut read = cmd("XREAD");
        read.arg("COUNT").arg(count).arg("BLOCK").arg(BLOCK.as_millis() as u64);
        read.arg("STREAMS").arg(key::ORDERS).arg(self.after.to_string());
        let answer: Value = self.redis.ask(&read).await?;
        read_entries(answer)
            .ok_or_else(|| Failure::new("Redis answers XREAD with something else than entries"))
    }
}
