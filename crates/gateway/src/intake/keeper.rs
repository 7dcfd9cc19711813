//! The stream's upkeep: entries with a reply are trimmed, and a stream that is gone is noticed.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use protocol::intake::{MESSAGE_FIELD, StreamId};
use redis::{Value, cmd, pipe};
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval};

use crate::clock::now_ns;

use super::connection::Connection;
use super::failure::Failure;
use super::key;
use super::metrics::IntakeMetrics;

const EVERY: Duration = Duration::from_secs(1);
const NS_PER_MS: u64 = 1_000_000;

/// How a stream is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum StreamState {
    Missing,
    /// The last id that it has given.
    EndsAt(StreamId),
}

pub(super) struct Keeper {
    pub(super) redis: Connection,
    pub(super) replied: watch::Receiver<StreamId>,
    /// How long an entry stays after its reply.
    pub(super) keep: Duration,
    pub(super) metrics: Arc<IntakeMetrics>,
}

impl Keeper {
    /// Keeps the stream until Redis fails, or the stream is not the one that was read.
    pub(super) async fn run(mut self) -> Result<(), Failure> {
        let mut every = interval(EVERY);
        every.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            every.tick().await;
            let replied = *self.replied.borrow();
            if is_lost(self.stream_state().await?, replied) {
                return Err(lost());
            }
            self.trim(replied).await?;
            self.count().await?;
        }
    }

    async fn stream_state(&mut self) -> Result<StreamState, Failure> {
        stream_state(&mut self.redis).await
    }

    async fn trim(&mut self, replied: StreamId) -> Result<(), Failure> {
        let keep_ms = self.keep.as_millis() as u64;
        let oldest = if keep_ms == 0 {
            replied
        } else {
            let ms = (now_ns() / NS_PER_MS).saturating_sub(keep_ms);
            replied.min(StreamId { ms, seq: 0 })
        };
        let mut trim = cmd("XTRIM");
        trim.arg(key::ORDERS).arg("MINID").arg("~").arg(oldest.to_string());
        let _trimmed: Value = self.redis.ask(&trim).await?;
        Ok(())
    }

    async fn count(&mut self) -> Result<(), Failure> {
        let entries: u64 = self.redis.ask(cmd("XLEN").arg(key::ORDERS)).await?;
        let messages: u64 = self.redis.ask(cmd("LLEN").arg(key::QUEUE)).await?;
        self.metrics.stream_entries.store(entries, Ordering::Relaxed);
        self.metrics.queue_messages.store(messages, Ordering::Relaxed);
        Ok(())
    }
}

pub(super) async fn stream_state(redis: &mut Connection) -> Result<StreamState, Failure> {
    let exists: bool = redis.ask(cmd("EXISTS").arg(key::ORDERS)).await?;
    if !exists {
        return Ok(StreamState::Missing);
    }
    let info: std::collections::HashMap<String, Value> =
        redis.ask(cmd("XINFO").arg("STREAM").arg(key::ORDERS)).await?;
    match info.get("last-generated-id") {
        Some(Value::BulkString(id)) => str::from_utf8(id).ok().and_then(StreamId::parse),
        _ => None,
    }
    .map(StreamState::EndsAt)
    .ok_or_else(|| Failure::new("Redis does not say where the stream orders ends"))
}

/// Whether a stream is not the one of which this entry was taken.
pub(super) fn is_lost(state: StreamState, taken: StreamId) -> bool {
    match state {
        StreamState::Missing => taken != StreamId::default(),
        StreamState::EndsAt(last) => last < taken,
    }
}

pub(super) fn lost() -> Failure {
    Failure::new(
        "the stream orders was deleted, or Redis has lost data: entries that were not taken are \
         gone, and the intake begins anew",
    )
}

/// Makes a stream give ids from here on: Redis would give lower ones again if its clock is behind.
pub(super) async fn resume_at(
    redis: &mut Connection,
    state: StreamState,
    taken: StreamId,
) -> Result<(), Failure> {
    match state {
        StreamState::Missing => {
            let id = taken.to_string();
            let mut commands = pipe();
            commands.atomic();
            commands.cmd("XADD").arg(key::ORDERS).arg(&id).arg(MESSAGE_FIELD).arg("").ignore();
            commands.cmd("XDEL").arg(key::ORDERS).arg(&id).ignore();
            redis.send(&commands).await
        }
        StreamState::EndsAt(_) => {
            let _ok: Value =
                redis.ask(cmd("XSETID").arg(key::ORDERS).arg(taken.to_string())).await?;
            Ok(())
        }
    }
}
