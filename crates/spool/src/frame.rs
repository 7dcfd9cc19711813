//! How a command's events lie in a segment: a frame.
//!
//! A frame is `size: u32` of what follows, then `sequence, sequenced_ns: u64`, `account: u32`,
//! `continues: u8`, an operator's command (`operated.rs`) behind a byte for whether it is one, the
//! events, and the running hash of all events up to here: 16 bytes, each XXH3
//! of the one before and this frame. It distinguishes a whole frame from a torn one, and one
//! history from another. The hash before a frame lies right before it, at the end of the frame
//! before or of the segment's header: so each frame can be checked by itself.
//!
//! XXH3 finds accidents, not forgeries by a user that may write to the folder: such a user
//! could give a whole spool any hash, whichever it is. What must stand up to him is the log, and
//! that is chained by BLAKE3, which takes twenty times as long for as little as a frame.

use twox_hash::XxHash3_128;
use types::{AccountId, Event, Reader, Wire};

use crate::applied::{Applied, AppliedRef};
use crate::operated::Operated;

pub(super) type EventHash = [u8; HASH_SIZE];

pub(super) const HASH_SIZE: usize = 16;
/// Of the field that says how long the rest is.
pub(super) const SIZE_SIZE: usize = 4;
/// A frame without events.
pub(super) const FRAME_SIZE_MIN: usize = SIZE_SIZE + 8 + 8 + 4 + 1 + 1 + HASH_SIZE;

/// Writes frames, each with the running hash.
#[derive(Clone, Debug)]
pub struct Chain {
    /// The running hash, and behind it what is being hashed.
    scratch: Vec<u8>,
}

impl Chain {
    pub fn new(event_hash: EventHash) -> Self {
        Self { scratch: event_hash.to_vec() }
    }

    pub fn hash(&self) -> EventHash {
        *self.scratch.first_chunk().expect("the hash is always there")
    }

    /// Adds a frame to `out`, and goes on behind it.
    pub fn extend<'a>(&mut self, applied: impl Into<AppliedRef<'a>>, out: &mut Vec<u8>) {
        let applied = applied.into();
        let frame = &mut self.scratch;
        frame.truncate(HASH_SIZE);
        frame.extend_from_slice(&[0; SIZE_SIZE]);
        applied.sequence.write(frame);
        applied.sequenced_ns.write(frame);
        applied.account.write(frame);
        applied.continues.write(frame);
        applied.operated.is_some().write(frame);
        if let Some(operated) = applied.operated {
            operated.write(frame);
        }
        for event in applied.events {
            event.write(frame);
        }
        // The hash that comes behind is as long as the one that stands before.
        let size = u32::try_from(frame.len() - SIZE_SIZE);
        let size = size.expect("the work of one command is bounded");
        frame[HASH_SIZE..HASH_SIZE + SIZE_SIZE].copy_from_slice(&size.to_le_bytes());
        let event_hash = event_hash(frame);
        out.extend_from_slice(&frame[HASH_SIZE..]);
        out.extend_from_slice(&event_hash);
        frame[..HASH_SIZE].copy_from_slice(&event_hash);
    }
}

impl Default for Chain {
    fn default() -> Self {
        Self::new(EventHash::default())
    }
}

/// A frame that was found to be whole.
#[derive(Clone, Debug)]
pub(super) struct Frame<'a> {
    pub(super) sequence: u64,
    pub(super) sequenced_ns: u64,
    pub(super) account: AccountId,
    pub(super) continues: bool,
    pub(super) operated: Option<Box<Operated>>,
    pub(super) events: &'a [u8],
    pub(super) event_hash: EventHash,
    /// Of all of it.
    pub(super) size: usize,
}

impl<'a> Frame<'a> {
    /// The first frame of `bytes`, which begin with the hash before it.
    pub(super) fn read(bytes: &'a [u8]) -> Option<Self> {
        let (frame, hash) = bytes.get(..Self::needed(bytes)?)?.split_last_chunk::<HASH_SIZE>()?;
        if event_hash(frame) != *hash {
            return None;
        }
        let mut r = Reader(frame.get(HASH_SIZE + SIZE_SIZE..)?);
        Some(Self {
            sequence: r.read()?,
            sequenced_ns: r.read()?,
            account: r.read()?,
            continues: r.read()?,
            operated: r.read()?,
            events: r.0,
            event_hash: *hash,
            size: frame.len(),
        })
    }

    /// How many bytes there are up to its end, the hash before it included, if `bytes` show it.
    pub(super) fn needed(bytes: &[u8]) -> Option<usize> {
        let size: u32 = Reader(bytes.get(HASH_SIZE..)?).read()?;
        Some(HASH_SIZE + SIZE_SIZE + size as usize)
    }

    /// `None` when its events cannot be read.
    pub(super) fn read_applied(self, applied: &mut Applied) -> Option<()> {
        let mut r = Reader(self.events);
        applied.sequence = self.sequence;
        applied.sequenced_ns = self.sequenced_ns;
        applied.account = self.account;
        applied.continues = self.continues;
        applied.operated = self.operated;
        applied.events.clear();
        while !r.is_empty() {
            applied.events.push(r.read::<Event>()?);
        }
        Some(())
    }
}

/// `bytes` begin with the hash before.
fn event_hash(bytes: &[u8]) -> EventHash {
    XxHash3_128::oneshot(bytes).to_le_bytes()
}
