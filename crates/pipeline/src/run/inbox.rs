//! The reading end of the queue. Behind a thread that pushes without a pause, it falls back: it
//! leaves the empty queue alone until some tens of updates are there. Else each would cost both
//! threads the way of a cache line from one core to the other.

use rtrb::Consumer;

use super::clock::Waiting;
use crate::message::Update;

/// Looks at an empty queue within which an update comes from a thread that pushes without a pause:
/// less than a tenth of a microsecond.
const LOOKS_OF_A_SHORT_WAIT: u32 = 4;
const SHORT_WAITS_MIN: u32 = 8;
const SHORT_WAITS_MAX: u32 = 1 << 16;
/// About a microsecond.
const TURNS_TO_FALL_BACK: u32 = 64;
/// Fewer come where messages have a rate of their own, and falling back would only delay them.
const TAKEN_IF_WORTH_IT: u64 = 32;

#[derive(Debug)]
pub(super) struct Inbox {
    queue: Consumer<Update>,
    /// Updates since this end last waited.
    taken: u64,
    /// Waits in a row that were short.
    short_waits: u32,
    /// As many make this end fall back; more after each time that was not worth it.
    short_waits_to_fall_back: u32,
    fell_back: bool,
}

impl Inbox {
    pub(super) fn new(queue: Consumer<Update>) -> Self {
        let short_waits_to_fall_back = SHORT_WAITS_MIN;
        Self { queue, taken: 0, short_waits: 0, short_waits_to_fall_back, fell_back: false }
    }

    /// The next update; `None` if the other thread has ended without it.
    #[inline]
    pub(super) fn next(&mut self) -> Option<Update> {
        self.taken += 1;
        match self.queue.pop() {
            Ok(update) => Some(update),
            Err(_) => self.wait(),
        }
    }

    fn wait(&mut self) -> Option<Update> {
        let mut waiting = Waiting::default();
        if self.fell_back && self.taken < TAKEN_IF_WORTH_IT {
            self.short_waits = 0;
            let twice = self.short_waits_to_fall_back * 2;
            self.short_waits_to_fall_back = twice.min(SHORT_WAITS_MAX);
        }
        self.fell_back = self.short_waits >= self.short_waits_to_fall_back;
        if self.fell_back {
            waiting.turns(TURNS_TO_FALL_BACK);
        }
        self.taken = 0;
        let mut looks = 0;
        loop {
            if let Ok(update) = self.queue.pop() {
                let is_short = looks < LOOKS_OF_A_SHORT_WAIT;
                self.short_waits = if is_short { self.short_waits + 1 } else { 0 };
                return Some(update);
            }
            if self.queue.is_abandoned() && self.queue.is_empty() {
                return None;
            }
            waiting.turn();
            looks += 1;
        }
    }
}
