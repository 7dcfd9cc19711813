//! A batch of frames, with what the index needs of them.

use types::Event;

use crate::applied::AppliedRef;
use crate::frame::{Chain, EventHash};
use crate::index::{Key, Posting};

/// Frames that are to be written at once, and what the index is to know of them.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    pub(super) bytes: Vec<u8>,
    /// Where the frames begin.
    pub(super) frames: Vec<u32>,
    /// With offsets from the beginning of this batch.
    pub(super) postings: Vec<Posting>,
    pub(super) first: u64,
    pub(super) last: u64,
    pub(super) first_ns: u64,
    pub(super) last_ns: u64,
    pub(super) previous_hash: EventHash,
    pub(super) event_hash: EventHash,
}

impl Batch {
    pub(super) fn push<'a>(&mut self, applied: impl Into<AppliedRef<'a>>, chain: &mut Chain) {
        let applied = applied.into();
        if self.is_empty() {
            (self.first, self.first_ns) = (applied.sequence, applied.sequenced_ns);
            self.previous_hash = chain.hash();
        }
        let offset =
            u32::try_from(self.bytes.len()).expect("a batch is written before it is large");
        self.frames.push(offset);
        for event in applied.events {
            each_number(event, |key, number| self.postings.push(Posting { key, number, offset }));
        }
        chain.extend(applied, &mut self.bytes);
        (self.last, self.last_ns) = (applied.sequence, applied.sequenced_ns);
        self.event_hash = chain.hash();
    }

    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    pub fn clear(&mut self) {
        self.bytes.clear();
        self.frames.clear();
        self.postings.clear();
    }
}

/// Calls back with each number that an event has, in order.
pub(super) fn each_number(event: &Event, mut found: impl FnMut(Key, u64)) {
    for (account, number) in event.account_seqs() {
        found(Key::account(account), number);
    }
    if let Some((instrument, number)) = event.instrument_seq() {
        found(Key::instrument(instrument), number);
    }
}
