//! The event spool: what was applied, in files, for later readers.
//!
//! It is derived from the log, so it is not synced as it grows, and what a crash takes from its end
//! is written again by the replay. Whatever else is missing or damaged is found when the spool is
//! opened, and rebuilt from the log (`rebuild.rs`). A disk that is full or fails does not stop the
//! venue: what cannot be stored waits in memory; beyond a limit it is a hole, which readers get an
//! error for. Until the next start has filled that, the log is not trimmed.
//!
//! ```text
//! NNN.spool  a segment, named by its first command: frames (`segment.rs`, `frame.rs`)
//! NNN.index  where in a full segment they lie: by command, account and instrument (`index.rs`)
//! NNN.doubt  a sync of these has failed: the next start writes them once more (`open.rs`)
//! oldest     from where on there should be segments (`retention.rs`)
//! ```
//!
//! # Invariants
//! - What a reader gets has no hole and nothing twice: numbers follow each other, or it gets an
//!   error where they go on ([`SpoolError::Gone`]).
//! - Readers see what is written, and nothing that was not applied.
//! - Every byte of it is covered by a hash: of frames when they are read, of all when it is opened.
//!
//! # Known limits
//! Opening reads all of it, beside the replay. A hole that comes while the venue runs stays until
//! the next start.

mod applied;
mod batch;
mod bookmark;
mod checked;
mod complete;
mod error;
mod frame;
mod framer;
mod index;
mod open;
mod operated;
mod reader;
mod rebuild;
mod retention;
mod segment;
mod segment_file;
mod unsynced;
mod waiting;
mod writer;

#[cfg(test)]
mod fault;
#[cfg(test)]
mod tests;

pub use applied::{Applied, AppliedRef};
pub use batch::Batch;
pub use bookmark::Bookmark;
pub use error::SpoolError;
pub use frame::Chain;
pub use framer::Framer;
pub use operated::Operated;
pub use reader::{NumberedEvent, PAGE_MAX, SpoolReader, Taken};
pub use rebuild::{History, HistoryListener};
pub use retention::Retention;
pub use unsynced::Unsynced;
pub use writer::Spool;
