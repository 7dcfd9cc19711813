//! Orders from Redis: a stream is read, each entry becomes a command, and each gets a reply.
//!
//! ```text
//!  LPUSH order_queue ─► mover (a script of Redis) ─┐
//!  XADD orders ────────────────────────────────────┴─► reader ─► desk ─► door ─► venue
//!                                                                 │
//!        order_rejects, order_replies ◄─ replier ◄─ commands ─────┘
//!                       XTRIM orders  ◄─ keeper
//! ```
//!
//! The id of an entry is the number of its command in a session of the venue that never closes: the
//! engine remembers the last 4,096. Whatever fails, on either side, the intake begins again behind
//! the last reply: an entry that was taken before is recognised, and is answered again.
//!
//! # Invariants
//! - Commands are submitted in the order of the stream, so a number is never passed over.
//! - Fewer entries are without a reply than the engine remembers numbers.
//! - An entry leaves the stream after its reply is written.
//! - No sentence has a password.

mod account;
mod address;
mod answer;
mod beginning;
mod connection;
mod desk;
mod entry;
mod failure;
mod keeper;
mod metrics;
mod mover;
mod reader;
mod replier;
mod run;
pub(crate) mod settings;
mod storage;

pub(crate) use self::run::run;

/// Keys in Redis.
mod key {
    pub(super) const ORDERS: &str = "orders";
    pub(super) const QUEUE: &str = "order_queue";
    pub(super) const REPLIES: &str = "order_replies";
    pub(super) const REJECTS: &str = "order_rejects";
}
