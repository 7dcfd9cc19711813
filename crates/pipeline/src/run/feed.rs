//! The thread that parses messages.

use std::sync::atomic::{AtomicU64, Ordering};

use hdrhistogram::Histogram;
use rtrb::{Producer, PushError};

use super::clock::{Clock, Pace, Waiting};
use super::{SAMPLED_EVERY, WARM_UP};
use crate::flow::Flow;
use crate::message::{Update, Wire};

pub(super) struct Feed<'a> {
    pub(super) flow: &'a Flow,
    pub(super) wire: Wire,
    pub(super) clock: Clock,
    pub(super) pace: Pace,
    /// When the first measured message is due, for the other thread.
    pub(super) origin_ns: &'a AtomicU64,
    pub(super) total: u64,
}

impl Feed<'_> {
    /// Parses and queues all messages; the error is the number of one that cannot be read.
    pub(super) fn run<const PACED: bool>(
        self,
        mut queue: Producer<Update>,
        parse: &mut Histogram<u64>,
    ) -> Result<(), u64> {
        let bytes = self.flow.bytes();
        let (mut at, mut origin_ns) = (0, 0);
        for number in 0..self.total {
            let mut begun_ns = 0;
            if PACED && number >= WARM_UP {
                if number == WARM_UP {
                    origin_ns = self.clock.ns();
                    self.origin_ns.store(origin_ns, Ordering::Release);
                }
                begun_ns = self.wait_for(origin_ns + self.pace.due_ns(number - WARM_UP));
            }
            let (mut update, size) = self.wire.read(&bytes[at..]).ok_or(number)?;
            at += size;
            at = if at == bytes.len() { 0 } else { at };
            update.number = number;
            if PACED && number >= WARM_UP && number.is_multiple_of(SAMPLED_EVERY) {
                update.queued_ns = self.clock.ns();
                parse.saturating_record(update.queued_ns - begun_ns);
            }
            let mut waiting = Waiting::default();
            while let Err(PushError::Full(back)) = queue.push(update) {
                update = back;
                waiting.turn();
            }
        }
        Ok(())
    }

    /// Returns the time.
    #[inline]
    fn wait_for(&self, due_ns: u64) -> u64 {
        let mut waiting = Waiting::default();
        loop {
            let now_ns = self.clock.ns();
            if now_ns >= due_ns {
                return now_ns;
            }
            waiting.turn();
        }
    }
}
