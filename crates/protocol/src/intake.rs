//! Orders as JSON messages of a stream: what a program pushes into Redis, and what it gets back.
//!
//! A message names an account, an action and an order, with the field names of the Binance Spot
//! API. A message that cannot be read is a [`Fault`] with a number and a sentence.
//!
//! # Invariants
//! - Decimals are exact, as texts or as JSON numbers; what does not fit tick or lot is refused.
//! - A field that an order has no use for is refused, and never ignored.

mod fault;
mod order;
mod reply;
mod request;
mod stream_id;
mod word;

pub use self::fault::{Fault, FaultCode};
pub use self::reply::{Fill, Reply};
pub use self::request::{Action, MESSAGE_MAX, NamedAccount, Request};
pub use self::stream_id::StreamId;

/// The field of an entry that has the message.
pub const MESSAGE_FIELD: &str = "data";
