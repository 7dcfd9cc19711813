//! The market order by order: ITCH 5.0 over MoldUDP64, retransmission by datagrams, and snapshots
//! over SoupBinTCP (Glimpse).
//!
//! ```text
//!  publisher ─► hand_over ─► feed (a thread): encoder ─► encode ─► datagrams to all receivers
//!      │            commands          └─► displayed orders ─► snapshot ─► glimpse ─► clients
//!      └─► spool ─► again ─► recovery ─► datagrams to the receiver that asked
//! ```
//!
//! The messages of a numbering day are a session of the feed. They are a pure function of committed
//! events (`marketdata::OrderStream`), so a restart continues at the number where it stopped, and
//! old numbers have the same bytes.
//!
//! # Invariants
//! - Nothing waits for a receiver. A feed that falls behind drops the commands that wait, and reads
//!   them from the spool.
//! - A retransmission is never more than [`again::ANSWER_MAX`] messages, and a network's requests
//!   have a rate.

pub(crate) mod again;
mod encode;
pub(crate) mod encoder;
pub(crate) mod feed;
pub(crate) mod glimpse;
mod hand_over;
pub(crate) mod listener;
pub(crate) mod metrics;
mod names;
pub(crate) mod receivers;
pub(crate) mod recovery;
pub(crate) mod settings;
mod snapshot;
