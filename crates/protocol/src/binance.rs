//! The Binance Spot API: what its requests and answers look like, how requests are signed, which
//! code and text each failure has. Clients match on the codes, and some on the texts.
//!
//! A request's way: [`Params::parse`](crate::signed::Params::parse) gathers its parameters,
//! [`sign`](crate::signed::sign) proves its sender and its time, [`request`] makes it typed, and
//! [`response`] builds the answer from the events of the command, with [`reject`] for those that
//! were refused. [`stream`] is the WebSocket market data.
//!
//! # Known limits
//! Pegs have no offset, and neither stops nor orders of lists are pegged: they are refused as by a
//! symbol that does not support them.

mod decimal;
mod error;
mod list_id;
mod object;
pub mod reject;
pub mod request;
pub mod response;
pub mod stream;
mod symbol_status;
#[cfg(test)]
mod testing;
pub mod user_stream;
pub mod words;
pub mod ws_api;

pub use decimal::Decimal;
pub use list_id::{list_id, parse_list_id};
pub use symbol_status::SymbolStatus;
