//! A running venue, as a test drives it.

use std::path::Path;

use types::{AccountId, Command, Entry, Envelope, Origin};
use venue::{Durability, Handle, Reply, Settings};

/// Settings of a venue that survives its process, and does not wait for the disk.
pub fn settings(dir: &Path) -> Settings {
    Settings { durability: Durability::Os, ..Settings::new(dir) }
}

/// Has a command applied, and blocks until its outcome is known.
pub fn send(handle: &Handle, account: AccountId, command: Command) -> Reply {
    let envelope = Envelope { account, ..Envelope::venue(Origin::Rest, 0) };
    let ticket = handle.submit(Entry { envelope, command }).expect("the inbox has room");
    ticket.blocking_recv().expect("the venue runs").expect("the venue takes the command")
}
