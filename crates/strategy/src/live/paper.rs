//! A venue's feed as the source of a back-test that runs while it arrives.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use client::{Feed, FeedMessage, now_ns};
use recorded::Event;
use tokio::runtime::Handle;
use tokio::time::timeout;

use super::access::LiveError;
use super::feed::{append, append_loss, instruments};
use super::record::Recorder;
use crate::backtest::Source;
use crate::instrument::Instrument;

/// How far the run is behind the clock. An event that arrives later counts as this late.
const BEHIND_NS: i64 = 500_000_000;
/// How long a quiet market lets the run wait.
const QUIET: Duration = Duration::from_millis(20);
/// Messages that are read together, at most.
const TOGETHER_MAX: usize = 256;

/// The feed of a paper run, until it is stopped.
#[derive(Debug)]
pub struct Paper<'a> {
    feed: Feed,
    runtime: Handle,
    recorder: Option<Recorder>,
    stop: &'a AtomicBool,
    until: Option<Instant>,
    complete_ns: i64,
    has_begun: bool,
    has_ended: bool,
    lost: u64,
    last_loss: Option<String>,
}

impl<'a> Paper<'a> {
    /// `runtime` runs the feed, and is not that of the calling thread.
    pub fn new(
        feed: Feed,
        runtime: Handle,
        recorder: Option<Recorder>,
        stop: &'a AtomicBool,
        until: Option<Instant>,
    ) -> Self {
        Self {
            feed,
            runtime,
            recorder,
            stop,
            until,
            complete_ns: i64::MIN,
            has_begun: false,
            has_ended: false,
            lost: 0,
            last_loss: None,
        }
    }

    pub fn instruments(&self) -> Vec<Instrument> {
        instruments(&self.feed)
    }

    /// How often the connection was lost, and why the last time.
    pub fn lost(&self) -> (u64, Option<&str>) {
        (self.lost, self.last_loss.as_deref())
    }

    /// The recorder, and the time up to which the run has gone.
    pub fn ended(self) -> (Option<Recorder>, i64) {
        (self.recorder, self.complete_ns)
    }

    fn is_stopped(&self) -> bool {
        let is_late = self.until.is_some_and(|until| Instant::now() >= until);
        is_late || self.stop.load(Ordering::Relaxed)
    }

    fn receive(&mut self, into: &mut Vec<Event>) {
        let Self { runtime, feed, .. } = self;
        let first = runtime.block_on(async { timeout(QUIET, feed.next()).await });
        let Ok(first) = first else { return };
        self.take(first, into);
        for _ in 1..TOGETHER_MAX {
            let Some(message) = self.feed.try_next() else { break };
            self.take(message, into);
        }
    }

    fn take(&mut self, message: FeedMessage, into: &mut Vec<Event>) {
        match message {
            FeedMessage::Market(market) => append(&market, into),
            FeedMessage::Lost { reason } => {
                self.lost += 1;
                self.last_loss = Some(reason);
                append_loss(self.feed.instruments().len(), now_ns(), into);
            }
        }
    }

    /// Gives events that are too late the time that is not over yet, and records them so.
    fn settle(&mut self, events: &mut [Event]) -> io::Result<()> {
        if let (false, Some(first)) = (self.has_begun, events.first()) {
            self.complete_ns = first.exchange_ns;
            self.has_begun = true;
        }
        for event in &mut *events {
            event.exchange_ns = event.exchange_ns.max(self.complete_ns);
            event.local_ns = event.local_ns.max(event.exchange_ns);
        }
        match &mut self.recorder {
            Some(recorder) => recorder.append(events),
            None => Ok(()),
        }
    }
}

impl Source for Paper<'_> {
    type Error = LiveError;

    fn read(&mut self, into: &mut Vec<Event>) -> Result<bool, LiveError> {
        if self.has_ended {
            return Ok(false);
        }
        let from = into.len();
        loop {
            self.has_ended = self.is_stopped();
            if !self.has_ended {
                self.receive(into);
            }
            self.settle(&mut into[from..])?;
            if self.has_begun {
                self.complete_ns = self.complete_ns.max(now_ns() - BEHIND_NS);
                return Ok(true);
            }
            if self.has_ended {
                return Ok(false);
            }
        }
    }

    fn complete_ns(&self) -> i64 {
        self.complete_ns
    }
}
