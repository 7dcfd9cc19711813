//! Redis: a stream of all events, channels of market data, and keys with the present state.
//!
//! # Invariants
//! - The stream has each event once and in order: an entry's id is the event's, and Redis takes no
//!   id that is not above the last.
//! - Channels are at most once: what is published while a reader or Redis is away is lost to it.
//!   Update ids of `l2` show it.

mod link;
mod live;
mod settings;
mod streams;

pub use self::live::{LiveBackend, Market};
pub use self::settings::Redis;
pub use self::streams::Streams;
