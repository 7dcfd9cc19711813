//! The thread that parses messages.

use hdrhistogram::Histogram;
use rtrb::{Producer, PushError};

use super::clock::{Clock, Waiting};
use super::{RunError, SAMPLED_EVERY, WARM_UP};
use crate::message::{Update, Wire};

/// How long a full queue is left alone. Each look at the reader's place takes its cache line from
/// the other thread, so a look for each free place would slow both; meanwhile some hundred updates
/// are taken, of the thousands that wait.
const TURNS_WHEN_FULL: u32 = 256;

/// Where messages come from.
pub(super) trait Source {
    /// Waits for a message, and returns bytes that begin with it. `taken` is the size of the one
    /// before.
    fn next(&mut self, number: u64, taken: usize) -> Result<&[u8], RunError>;
}

/// Parses and queues all messages.
pub(super) fn run<const PACED: bool>(
    mut source: impl Source,
    wire: Wire,
    total: u64,
    clock: Clock,
    mut queue: Producer<Update>,
    parse: &mut Histogram<u64>,
) -> Result<(), RunError> {
    let mut taken = 0;
    for number in 0..total {
        let bytes = source.next(number, taken)?;
        let is_sampled = PACED && number >= WARM_UP && number.is_multiple_of(SAMPLED_EVERY);
        let begun_ns = if is_sampled { clock.ns() } else { 0 };
        let (mut update, size) = wire.read(bytes).ok_or(RunError::Message { number })?;
        taken = size;
        update.number = number;
        if is_sampled {
            update.queued_ns = clock.ns();
            parse.saturating_record(update.queued_ns - begun_ns);
        }
        if !push(&mut queue, update) {
            return Ok(()); // The other thread has its own reason.
        }
    }
    Ok(())
}

/// Waits for a place in the queue; `false` if the other thread has ended.
#[inline]
pub(super) fn push(queue: &mut Producer<Update>, mut update: Update) -> bool {
    let mut waiting = Waiting::default();
    while let Err(PushError::Full(back)) = queue.push(update) {
        if queue.is_abandoned() {
            return false;
        }
        update = back;
        waiting.turns(TURNS_WHEN_FULL);
    }
    true
}
