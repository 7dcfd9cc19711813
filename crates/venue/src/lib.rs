//! The running venue.
//!
//! [`Machine`] is the venue without threads, sockets or clock: commands are submitted, batches go
//! to the log, what the log has committed is applied. [`Opened`] is a venue read back from its data
//! folder; [`Opened::start`] puts two threads around it, beside the log's own. One thread at a time has
//! the machine: one that polls a [`Ticket`], the log's writer, or the engine's own:
//!
//! ```text
//!  gateways ─► inbox ─► [Combiner: Machine] ─► outbox ─► [publisher thread: spool, views] ─► listeners
//!                ▲          │    ▲
//!                └─ replies ┘    └──── the log's writer thread
//! ```
//!
//! The engine may run on the log's writer thread. After each commit the log calls back
//! ([`log::Options::on_commit`]), and in that call the combiner applies the batch that is now on disk,
//! sends the replies and appends the next batch: the replies wait for no other thread. So nothing that
//! the engine does may wait for the log. Where the engine has a core of its own, the call only wakes
//! its thread.
//!
//! # Invariants
//! - State changes only by committed entries, in their order (`follower.rs`).
//! - Every queue is bounded; who finds one full is told so at once ([`Refused`]).
//! - What a reply tells of has been handed to the publisher before: a later read of the views
//!   includes it.

mod archive;
mod backlog;
mod credential;
mod data_dir;
mod follower;
mod fork;
mod history;
#[cfg(target_os = "linux")]
mod huge_pages;
mod keyring;
mod machine;
mod metrics;
mod pin;
mod replay;
mod replica;
mod reply;
mod run;
mod secret;
pub mod sim;
mod snapshot;
mod stages;

pub use archive::{
    Archive, ArchiveError, Place, Replay, ReplayedBatch, ReplayedCommand, SnapshotFile,
};
pub use credential::{Credential, PublicKeyError, Verifier};
pub use data_dir::{AnyLog, LogRetention, OpenError, Opened, Settings};
pub use follower::{FollowError, Follower, Position, Step};
pub use history::{RebuiltSpool, rebuild_spool};
pub use keyring::{Keyring, Sealing, reseal};
pub use log::Durability;
pub use machine::{Machine, MachineError, Output, Progress, Role};
pub use metrics::{Figures, Metrics, RefusalCause, ReplicaStatus};
pub use pin::Core;
pub use replay::Replayed;
pub use reply::Reply;
pub use run::handle::Handle;
pub use run::publisher::Listener;
pub use run::running::{Running, Stopped};
pub use run::ticket::{Gone, Ticket};
pub use secret::{MasterKey, MasterKeyError, Secret, api_key_hash, random_text, retry_key};
pub use stages::Stage;
