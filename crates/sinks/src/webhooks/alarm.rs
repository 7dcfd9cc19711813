//! Alarms of the venue, on their way to a receiver.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

/// Alarms that wait. Beyond these the oldest is dropped: the receiver was away for long.
const WAITING_MAX: usize = 1_000;

/// An alarm was raised, or is over.
#[derive(Clone, Debug)]
pub struct Alarm {
    pub name: &'static str,
    pub is_raised: bool,
    pub noticed_ns: u64,
    pub sentence: String,
}

impl Alarm {
    pub(super) fn kind(&self) -> &'static str {
        if self.is_raised { "alarm.raised" } else { "alarm.over" }
    }

    /// Another notice is another call.
    pub(super) fn id(&self) -> String {
        format!("alarm-{}-{}", self.name, self.noticed_ns)
    }

    pub(super) fn data(&self) -> Value {
        json!({ "alarm": self.name, "raised": self.is_raised, "text": self.sentence })
    }
}

/// Where a venue puts its alarms. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Alarms(Arc<Mutex<VecDeque<Alarm>>>);

impl Alarms {
    pub fn put(&self, alarm: Alarm) {
        let mut waiting = self.waiting();
        if waiting.len() == WAITING_MAX {
            tracing::warn!("an alarm is dropped: the receiver of webhooks is away for too long");
            waiting.pop_front();
        }
        waiting.push_back(alarm);
    }

    pub(super) fn first(&self) -> Option<Alarm> {
        self.waiting().front().cloned()
    }

    /// If it still waits.
    pub(super) fn remove(&self, alarm: &Alarm) {
        let id = alarm.id();
        self.waiting().pop_front_if(|first| first.id() == id);
    }

    fn waiting(&self) -> MutexGuard<'_, VecDeque<Alarm>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
