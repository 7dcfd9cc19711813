//! The Binance Spot API: what its requests and answers look like, how requests are signed, which
//! code and text each failure has. Clients match on the codes, and some on the texts.
//!
//! A request's way: [`Params::parse`] gathers its parameters, [`sign`] proves who sent it and when,
//! [`request`] makes it typed, and [`response`] builds the answer from the events of the command,
//! with [`reject`] for those that were refused. [`stream`] is the WebSocket market data.
//!
//! # Known limits
//! Keys sign with HMAC; RSA and Ed25519 are to come. Of the order types, limit, market and
//! limit-maker exist; the others are refused with the error of a symbol that does not support them.

mod error;
mod market;
pub mod params;
pub mod reject;
pub mod request;
pub mod response;
pub mod sign;
pub mod stream;
#[cfg(test)]
mod testing;
mod time;
pub mod ws_api;

pub use error::ApiError;
pub use market::{Market, Markets, SymbolStatus, generated_cl_ord_id};
pub use params::Params;
pub use time::TimeUnit;
