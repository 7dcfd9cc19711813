//! The venue's interface to every dialect: identity, limits, admission, commands, queries.
//!
//! # Invariants
//! - Nothing here names a dialect, and nothing else in this crate names the engine
//!   (`buttonwood/tests/cli/edges/walls.rs`).
//! - A refusal is a type of the door. Each dialect converts it to an error of its own.

pub(crate) mod access;
pub(crate) mod admission;
pub(crate) mod back_off;
pub(crate) mod browser_keys;
pub(crate) mod client_ids;
pub(crate) mod directory;
pub(crate) mod door_metrics;
pub(crate) mod faults;
pub(crate) mod generate;
pub(crate) mod history;
pub(crate) mod identity;
pub(crate) mod in_use;
pub(crate) mod limits;
pub(crate) mod numbered;
pub(crate) mod operator;
pub(crate) mod passwords;
pub(crate) mod query;
pub(crate) mod queue;
pub(crate) mod refusal;
pub(crate) mod retry_key;
pub(crate) mod scrape;
pub(crate) mod sessions;
pub(crate) mod settings;
pub(crate) mod shared;
pub(crate) mod shown;
pub(crate) mod single_use;
pub(crate) mod submit;
pub(crate) mod trace;
