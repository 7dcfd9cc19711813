//! Writing replies and dead letters, in the order of the stream.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use protocol::intake::{MESSAGE_FIELD, StreamId};
use redis::{Pipeline, pipe};
use tokio::sync::{Semaphore, mpsc, watch};

use crate::clock::now_ns;

use super::answer::{Answered, answer};
use super::connection::Connection;
use super::desk::Taken;
use super::failure::Failure;
use super::key;
use super::metrics::{IntakeMetrics, add};

const NS_PER_MS: u64 = 1_000_000;

pub(super) struct Replier {
    pub(super) redis: Connection,
    pub(super) replies_max: usize,
    pub(super) room: Arc<Semaphore>,
    /// The last entry whose reply is written.
    pub(super) replied: watch::Sender<StreamId>,
    pub(super) metrics: Arc<IntakeMetrics>,
}

impl Replier {
    /// Writes replies until Redis fails, or no more batches come.
    pub(super) async fn run(
        mut self,
        mut batches: mpsc::Receiver<Vec<Taken>>,
    ) -> Result<(), Failure> {
        let mut ready = Vec::new();
        // What has come while Redis synced its disk is one write.
        while batches.recv_many(&mut ready, usize::MAX).await > 0 {
            let count = ready.iter().map(Vec::len).sum();
            let mut answered = Vec::with_capacity(count);
            for taken in ready.drain(..).flatten() {
                answered.push(answer(taken).await?);
            }
            self.write(&answered).await?;
            self.metrics.in_flight.fetch_sub(count as u64, Ordering::Relaxed);
            self.room.add_permits(count);
        }
        Ok(())
    }

    /// Writes all in one transaction: after its reply, an entry is done. It also costs Redis one
    /// fdatasync, where `appendfsync always` takes one for each 16 KiB of single commands.
    async fn write(&mut self, answered: &[Answered]) -> Result<(), Failure> {
        let Some(last) = answered.last() else { return Ok(()) };
        let mut commands = pipe();
        commands.atomic();
        let mut rejects = 0;
        for Answered { stream_id, dead_letter, message, .. } in answered {
            if let Some(reason) = dead_letter {
                rejects += 1;
                self.add_to(&mut commands, key::REJECTS)
                    .arg("id")
                    .arg(stream_id.to_string())
                    .arg("reason")
                    .arg(reason)
                    .arg(MESSAGE_FIELD)
                    .arg(message);
            }
        }
        for Answered { reply, .. } in answered {
            self.add_to(&mut commands, key::REPLIES).arg(MESSAGE_FIELD).arg(reply.to_json());
        }
        self.redis.send(&commands).await?;
        let repeats = answered.iter().filter(|answered| answered.reply.repeated).count();
        add(&self.metrics.replies, answered.len());
        add(&self.metrics.rejects, rejects);
        add(&self.metrics.repeats, repeats);
        let delay_ms = (now_ns() / NS_PER_MS).saturating_sub(last.stream_id.ms);
        self.metrics.delay_ms.store(delay_ms, Ordering::Relaxed);
        self.replied.send_replace(last.stream_id);
        Ok(())
    }

    /// Begins an `XADD` to a stream of bounded length.
    fn add_to<'a>(&self, commands: &'a mut Pipeline, key: &str) -> &'a mut Pipeline {
        let command = commands.cmd("XADD").ignore();
        command.arg(key).arg("MAXLEN").arg("~").arg(self.replies_max).arg("*")
    }
}
