//! The answer to a request, as its client keeps it for the checker.

use types::{Event, Wire};
use venue::Reply;

/// The reply that a client got.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Answer {
    /// Where the request was carried out: at the first time, if it was a repeated one.
    pub(super) sequence: u64,
    /// `None` where the reply says only that this was applied before.
    pub(super) events_hash: Option<[u8; 32]>,
}

impl Answer {
    pub(super) fn of(reply: &Reply) -> Self {
        match reply.applied.events.first() {
            Some(Event::CommandRepeated(repeated)) => {
                Self { sequence: repeated.first_sequence, events_hash: None }
            }
            _ => {
                let events_hash = Some(hash_of(reply.events()));
                Self { sequence: reply.applied.sequence, events_hash }
            }
        }
    }
}

fn hash_of<'a>(events: impl Iterator<Item = &'a Event>) -> [u8; 32] {
    let mut bytes = Vec::new();
    events.for_each(|event| event.write(&mut bytes));
    *blake3::hash(&bytes).as_bytes()
}
