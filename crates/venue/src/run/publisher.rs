//! The publisher thread: spools what was applied, keeps the views, calls the listeners, writes
//! snapshots. It runs behind the engine by as much as its queue holds, and in its order.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use marketdata::{BookUpdate, Views};
use smallvec::SmallVec;
use spool::Applied;
use spool::Spool;
use types::{Event, Wire};

use crate::metrics::Metrics;
use crate::run::outbox;
use crate::snapshot::{Job, Taken, sync};
use crate::stages::Stage;

/// Messages that may wait for the publisher; a batch is one.
pub(crate) const OUTBOX_MAX: usize = 1_024;

/// How often the spool tries to store what waits, where nothing else comes.
const RETRY: Duration = Duration::from_millis(500);

/// A consumer of events. Called on the publisher's thread, so it must not wait.
pub trait Listener: Send {
    /// One command, before its events. It may have none.
    fn applied(&mut self, _applied: &Arc<Applied>) {}

    /// One event, in sequence, with what it changes in its instrument's book.
    fn event(&mut self, applied: &Applied, event: &Event, update: Option<&BookUpdate>);

    /// The views now stand where the last event left them. Returns this listener's deadline: when
    /// [`Listener::due`] is to be called if no batch comes before.
    fn batch_done(&mut self, views: &Views) -> Option<Instant>;

    /// Called when the deadline of some listener has come, and after each read of the views, which
    /// may have set this one another. Returns the deadline from here on.
    fn due(&mut self, _views: &Views, _now: Instant) -> Option<Instant> {
        None
    }
}

pub(crate) type Question = Box<dyn FnOnce(&Views, &Spool) + Send>;

pub(crate) enum Message {
    /// With the time at which all of them had been applied.
    Applied(SmallVec<[Arc<Applied>; 2]>, Instant),
    /// The engine's state after all that was sent before.
    Snapshot(Taken),
    Read(Question),
    Stop,
}

pub(crate) struct Publisher {
    pub(crate) spool: Spool,
    pub(crate) views: Views,
    pub(crate) listeners: Vec<Box<dyn Listener>>,
    pub(crate) metrics: Arc<Metrics>,
    /// `None` where nothing is kept.
    pub(crate) snapshot_dir: Option<PathBuf>,
    /// The log, if what was committed may be in the page cache only.
    pub(crate) unsynced_log: Option<PathBuf>,
    pub(crate) snapshot_thread: Option<JoinHandle<()>>,
    pub(crate) deadlines: Deadlines,
}

/// What the publisher does at a certain time though no message comes.
#[derive(Debug, Default)]
pub(crate) struct Deadlines {
    /// The spool tries to store what waits.
    spool: Option<Instant>,
    /// The earliest deadline of all listeners.
    listeners: Option<Instant>,
}

impl Deadlines {
    fn earliest(&self) -> Option<Instant> {
        self.spool.into_iter().chain(self.listeners).min()
    }
}

impl Publisher {
    pub(crate) fn run(mut self, messages: &Receiver<Message>) {
        loop {
            match outbox::next(messages, self.deadlines.earliest()) {
                Ok(Message::Applied(applied, since)) => {
                    self.publish(&applied);
                    let commands = applied.len() as u64;
                    let done = Instant::now();
                    self.metrics.passed(Stage::FanOut, done - since, commands);
                    self.metrics.fan_outs.record(since, done);
                }
                Ok(Message::Snapshot(taken)) => self.begin_snapshot(taken),
                Ok(Message::Read(read)) => {
                    read(&self.views, &self.spool);
                    self.call_listeners(Instant::now());
                }
                Err(RecvTimeoutError::Timeout) => {
                    let now = Instant::now();
                    if self.deadlines.listeners.is_some_and(|due| due <= now) {
                        self.call_listeners(now);
                    }
                }
                Ok(Message::Stop) | Err(RecvTimeoutError::Disconnected) => break,
            }
            self.retry_spool();
        }
        self.join_snapshot();
        if self.snapshot_dir.is_some() {
            sync(&self.spool.take_unsynced());
        }
    }

    fn publish(&mut self, batch: &[Arc<Applied>]) {
        self.spool.append(batch.iter().map(|applied| &**applied));
        self.spool.flush();
        for applied in batch {
            self.metrics.count_applied(applied);
            for listener in &mut self.listeners {
                listener.applied(applied);
            }
            self.views.begin_command(applied.sequence, applied.sequenced_ns, &applied.events);
            for event in &applied.events {
                self.metrics.count_event(event, applied.operated.is_some());
                let update = self.views.apply(event);
                for listener in &mut self.listeners {
                    listener.event(applied, event, update.as_ref());
                }
            }
        }
        let views = &self.views;
        let deadlines = self.listeners.iter_mut().filter_map(|listener| listener.batch_done(views));
        self.deadlines.listeners = deadlines.min();
        self.deadlines.spool = None; // It has just tried.
        self.metrics.sequencer.published();
        self.metrics.published(self.spool.last_sequence(), self.spool.first_sequence());
    }

    fn call_listeners(&mut self, now: Instant) {
        let views = &self.views;
        let deadlines = self.listeners.iter_mut().filter_map(|listener| listener.due(views, now));
        self.deadlines.listeners = deadlines.min();
    }

    /// Lets the spool store what waits when it is time to, and sets when that is next.
    fn retry_spool(&mut self) {
        if self.spool.is_waiting() && self.deadlines.spool.is_some_and(|due| due <= Instant::now())
        {
            self.spool.flush();
            self.deadlines.spool = None;
        }
        self.deadlines.spool = if self.spool.is_waiting() {
            self.deadlines.spool.or_else(|| Some(Instant::now() + RETRY))
        } else {
            None
        };
    }

    /// The views stand at the same sequence as the engine's state that came through the queue.
    fn begin_snapshot(&mut self, taken: Taken) {
        let mut views = Vec::new();
        self.views.write(&mut views);
        let job = Job {
            taken,
            views,
            event_hash: self.spool.event_hash(),
            unsynced: self.spool.take_unsynced(),
            unsynced_log: self.unsynced_log.clone(),
            dir: self.snapshot_dir.clone(),
            metrics: Arc::clone(&self.metrics),
        };
        // One at a time: a disk that is slower than the snapshots come shall not collect them.
        self.join_snapshot();
        self.snapshot_thread = Some(std::thread::spawn(move || job.run()));
    }

    fn join_snapshot(&mut self) {
        if let Some(thread) = self.snapshot_thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the snapshot thread panicked");
        }
    }
}

#[cfg(test)]
mod tests;
