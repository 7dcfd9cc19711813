//! The readers of operators' events.
//!
//! The publisher's thread pushes events to them and never waits: a reader whose queue is full is
//! cut. A command costs one load while there is no reader.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use projection::Audited;
use spool::Applied;
use tokio::sync::{Notify, mpsc};
use types::{Event, KeyId};

use crate::door::operator::OperatorEvent;
use crate::feed::outlet::Outlet;
use crate::feed::reader_metrics::ReaderMetrics;

/// The stream in metrics.
pub(super) const STREAM: &str = "operatorEvents";

#[derive(Debug)]
pub(crate) struct OperatorHub {
    pub(super) metrics: Arc<ReaderMetrics>,
    has_readers: AtomicBool,
    readers: Mutex<Vec<Arc<EventReader>>>,
}

/// A reader, as the publisher sees it.
#[derive(Debug)]
pub(super) struct EventReader {
    pub(super) key: KeyId,
    pub(super) events: Outlet<OperatorEvent>,
    /// Signals that the key was revoked.
    pub(super) revoked: Notify,
}

impl EventReader {
    pub(super) fn new(
        key: KeyId,
        queue_max: usize,
        metrics: Arc<ReaderMetrics>,
    ) -> (Arc<Self>, mpsc::Receiver<OperatorEvent>) {
        let (events, queue) = Outlet::new(queue_max, metrics);
        (Arc::new(Self { key, events, revoked: Notify::new() }), queue)
    }
}

impl OperatorHub {
    pub(crate) fn new(metrics: Arc<ReaderMetrics>) -> Self {
        Self { metrics, has_readers: AtomicBool::default(), readers: Mutex::default() }
    }

    pub(super) fn add(&self, reader: Arc<EventReader>) {
        let mut readers = self.readers();
        readers.push(reader);
        self.has_readers.store(true, Ordering::Relaxed);
    }

    pub(super) fn remove(&self, reader: &Arc<EventReader>) {
        self.retain(|other| !Arc::ptr_eq(other, reader));
    }

    /// A command was applied.
    pub(crate) fn applied(&self, applied: &Applied) {
        if !self.has_readers.load(Ordering::Relaxed) {
            return;
        }
        // Nothing more goes to a key that the command revoked, nor the command itself.
        for event in &applied.events {
            if let Event::KeyRevoked(revoked) = event {
                self.retain(|reader| {
                    let is_revoked = reader.key == revoked.key;
                    if is_revoked {
                        reader.revoked.notify_one();
                    }
                    !is_revoked
                });
            }
        }
        for event in events_of(applied) {
            self.retain(|reader| reader.events.push(STREAM, event.clone()));
        }
    }

    fn retain(&self, stays: impl FnMut(&Arc<EventReader>) -> bool) {
        let mut readers = self.readers();
        readers.retain(stays);
        self.has_readers.store(!readers.is_empty(), Ordering::Relaxed);
    }

    fn readers(&self) -> MutexGuard<'_, Vec<Arc<EventReader>>> {
        self.readers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What operators see of an applied command: the command, if an operator sent it, and its events
/// that concern the venue or an account as a whole.
pub(super) fn events_of(applied: &Applied) -> impl Iterator<Item = OperatorEvent> {
    let Applied { sequence, sequenced_ns, .. } = *applied;
    let command = Audited::of(applied).map(|audited| OperatorEvent::Command(Box::new(audited)));
    let happened = applied.events.iter().filter(|event| is_watched(event)).map(move |event| {
        OperatorEvent::Happened { sequence, sequenced_ns, event: Box::new(*event) }
    });
    command.into_iter().chain(happened)
}

fn is_watched(event: &Event) -> bool {
    matches!(
        event,
        Event::PhaseChanged(_)
            | Event::InstrumentDelisted(_)
            | Event::VenueHalted(_)
            | Event::VenueResumed(())
            | Event::KillSwitchSet(_)
            | Event::WithdrawalRequested(_)
            | Event::WithdrawalApproved(_)
            | Event::WithdrawalCompleted(_)
            | Event::WithdrawalCanceled(_)
    )
}
