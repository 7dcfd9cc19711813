//! A venue for tests: a small market, its orders, and the link from a venue to its read model.
//!
//! Only integration tests depend on this crate: for unit tests of a crate that it sees, cargo would
//! build that crate twice.

mod market;

use std::path::Path;

use types::{AccountId, Command, Entry, Envelope, Origin};
use venue::{Durability, Handle, Reply, Settings};

pub use server::feed;

pub use crate::market::{
    ALICE, BOB, INSTRUMENT, Kept, account, asset, deposit, instrument, limit, set_up,
};

/// A log fills its next segment ahead, and many venues run at once.
const LOG_SEGMENT_SIZE: u64 = 1 << 20;

/// Settings of a venue that survives its process, and does not wait for the disk.
pub fn settings(dir: &Path) -> Settings {
    Settings {
        durability: Durability::Os,
        log_segment_size: LOG_SEGMENT_SIZE,
        ..Settings::new(dir)
    }
}

/// Submits a command, of an operator if it is for the venue, and blocks until its outcome is known.
pub fn send(handle: &Handle, account: AccountId, command: Command) -> Reply {
    let origin = if account == AccountId::VENUE { Origin::Admin } else { Origin::Rest };
    let envelope = Envelope { account, ..Envelope::venue(origin, 0) };
    let ticket = handle.submit(Entry { envelope, command }).expect("the inbox has room");
    ticket.blocking_recv().expect("the venue runs").expect("the venue takes the command")
}
