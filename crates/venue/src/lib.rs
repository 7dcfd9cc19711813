//! The running venue.
//!
//! [`Machine`] is the venue without threads, sockets or clock: commands are submitted, batches go
//! to the log, what the log has committed is applied. [`Opened`] is a venue read back from its data
//! folder; [`Opened::start`] puts two threads around it, beside the log's own. One thread at a time
//! has the machine: one that polls a [`Ticket`], the log's writer, or the engine's own:
//!
//! ```text
//!  gateways ─► inbox ─► [Combiner: Machine] ─► outbox ─► [publisher thread: spool, views] ─► listeners
//!                ▲          │    ▲
//!                └─ replies ┘    └──── the log's writer thread
//! ```
//!
//! The engine may run on the log's writer thread. After each commit the log calls back
//! ([`log::Options::on_commit`]), and in that call the combiner applies the batch that is now on
//! disk, sends the replies and appends the next batch: the replies wait for no other thread. So
//! nothing that the engine does may wait for the log. Where the engine has a core of its own, the
//! call only wakes its thread.
//!
//! # Invariants
//! - State changes only by committed entries, in their order (`follower.rs`).
//! - Every queue is bounded; a full one refuses at once ([`types::Refused`]).
//! - The publisher has what a reply reports before the reply is sent: a later read of the views
//!   includes it.

mod backlog;
pub mod clock;
mod fan_outs;
mod follower;
mod key;
mod login;
mod machine;
mod metrics;
mod pin;
mod recovery;
mod replica;
mod reply;
mod run;
mod settings;
mod snapshot;
mod stages;
mod sync;

pub use follower::{FollowError, Follower, Position, Step};
pub use key::credential::{Credential, PublicKeyError, Verifier, parse_network};
pub use key::keyring::{Keyring, Sealing, reseal};
pub use key::master::{MasterKey, MasterKeyError};
pub use key::secret::{Secret, api_key_hash, random_text, request_hash, retry_key};
pub use log::Durability;
pub use login::datagram_key::DatagramKey;
pub use login::password::{
    PASSWORD_LEN_MAX, PASSWORD_LEN_MIN, Password, PasswordError, PasswordHash, password_matches,
};
pub use login::secret::LoginSecret;
pub use login::totp::TotpSecret;
pub use machine::{Machine, MachineError, Output, Progress, Role};
pub use metrics::{
    BookFigures, Buckets, Exposition, Figures, MetricSource, Metrics, RefusalCause, ReplicaStatus,
};
pub use pin::{Core, FollowerCores};
pub use recovery::archive::{
    Archive, ArchiveError, Place, Replay, ReplayedBatch, ReplayedCommand, SnapshotFile,
};
pub use recovery::data_dir::{AnyLog, Opened};
pub use recovery::error::OpenError;
pub use recovery::rebuild::{RebuiltSpool, rebuild_spool};
pub use recovery::replay::Replayed;
pub use reply::{Reply, ReplyTimes};
pub use run::handle::Handle;
pub use run::publisher::Listener;
pub use run::reporter::Reporter;
pub use run::running::{Running, Stopped};
pub use run::ticket::{Gone, Ticket};
pub use settings::{LogRetention, Settings};
pub use spool::Retention;
pub use stages::Stage;
