//! The task that feeds one reader: first the backlog, from the spool; then events as they happen,
//! and alarms.
//!
//! # Invariants
//! - A reader gets all events from the sequence that it asked for, once and in order, or its
//!   connection is closed.
//! - The backlog waits for a slow reader. Live events never do: the reader is cut.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::Utf8Bytes;
use spool::{Applied, SpoolError};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{MissedTickBehavior, interval};

use crate::door::operator::{OperatorApi, OperatorEvent};
use crate::door::shared::Door;
use crate::feed::outlet::Outlet;
use crate::operator::alarms::Alarms;
use crate::operator::hub::{EventReader, STREAM, events_of};
use crate::operator::subscription::Subscription;
use crate::socket::websocket::CloseReason;

/// Interval of the checks of alarms and of the key's expiry.
const CHECK_EVERY: Duration = Duration::from_secs(1);

/// Commands read from the spool at once.
const PAGE: usize = 1_000;

/// Events shown at once: the engine prints their names.
const BATCH: usize = 64;

pub(super) struct EventFeed {
    pub(super) api: Arc<dyn OperatorApi>,
    pub(super) door: Arc<Door>,
    pub(super) reader: Arc<EventReader>,
    pub(super) events: mpsc::Receiver<OperatorEvent>,
    pub(super) outlet: Arc<Outlet<Utf8Bytes>>,
}

impl EventFeed {
    /// Runs until the connection is gone, or sends why the session ends.
    pub(super) async fn run(
        mut self,
        subscription: Subscription,
        first: u64,
        end: oneshot::Sender<CloseReason>,
    ) {
        let reader = Arc::clone(&self.reader);
        let Err(reason) = tokio::select! {
            biased; // Nothing more is sent to a key that was revoked.
            () = reader.revoked.notified() => Err(CloseReason::KeyEnded),
            () = reader.events.cut.notified() => Err(CloseReason::TooSlow),
            fed = self.feed(subscription, first) => fed,
        };
        tracing::info!(key = %self.reader.key, ?reason, "an operator's stream of events ends");
        if !matches!(reason, CloseReason::Gone) {
            let _gone = end.send(reason);
            self.outlet.end();
        }
    }

    async fn feed(&mut self, from: Subscription, first: u64) -> Result<Infallible, CloseReason> {
        self.send_backlog(from, first).await?;
        self.send_live().await
    }

    /// Sends the commands from `first` on that the venue had applied at the subscription.
    async fn send_backlog(&self, from: Subscription, first: u64) -> Result<(), CloseReason> {
        let Subscription { spool, last, .. } = from;
        // The key may have ended while the reader subscribed.
        self.check()?;
        let begun = OperatorEvent::Subscribed { sequence: first - 1 };
        self.send_waiting(vec![begun]).await?;
        let mut next = first;
        while next <= last {
            self.check()?;
            let reader = spool.clone();
            let read = tokio::task::spawn_blocking(move || reader.read_from(next, PAGE));
            let page = read.await.expect("reading the spool does not panic");
            let page = page.map_err(unreadable)?;
            let Some(end) = page.last() else { return Err(CloseReason::EventsGone) };
            next = end.sequence + 1;
            let is_old = |applied: &&Applied| applied.sequence <= last;
            let events: Vec<_> = page.iter().take_while(is_old).flat_map(events_of).collect();
            for batch in events.chunks(BATCH) {
                self.send_waiting(batch.to_vec()).await?;
            }
        }
        Ok(())
    }

    async fn send_waiting(&self, events: Vec<OperatorEvent>) -> Result<(), CloseReason> {
        let queue = self.outlet.queue().ok_or(CloseReason::Gone)?;
        for message in self.show(events).await? {
            queue.send(message).await.map_err(|_| CloseReason::Gone)?;
        }
        Ok(())
    }

    async fn send_live(&mut self) -> Result<Infallible, CloseReason> {
        let mut alarms = Alarms::default();
        let mut check = interval(CHECK_EVERY);
        check.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut batch = Vec::new();
        loop {
            tokio::select! {
                _ = check.tick() => {
                    self.check()?;
                    batch = alarms.changes(self.door.handle.metrics());
                }
                _ = self.events.recv_many(&mut batch, BATCH) => {}
            }
            if batch.is_empty() {
                continue;
            }
            for message in self.show(std::mem::take(&mut batch)).await? {
                if !self.outlet.push(STREAM, message) {
                    return Err(CloseReason::TooSlow);
                }
            }
        }
    }

    /// Whether there is a reader, and it may read.
    fn check(&self) -> Result<(), CloseReason> {
        if self.outlet.is_closed() {
            return Err(CloseReason::Gone);
        }
        let is_usable = self.door.directory().is_usable(self.reader.key);
        if is_usable { Ok(()) } else { Err(CloseReason::KeyEnded) }
    }

    async fn show(&self, events: Vec<OperatorEvent>) -> Result<Vec<Utf8Bytes>, CloseReason> {
        let shown = self.api.show(events).await.ok_or(CloseReason::VenueGone)?;
        Ok(shown.into_iter().map(Utf8Bytes::from).collect())
    }
}

fn unreadable(error: SpoolError) -> CloseReason {
    if !matches!(error, SpoolError::Gone { .. }) {
        tracing::error!(%error, "the backlog of an operator's events cannot be read");
    }
    CloseReason::EventsGone
}
