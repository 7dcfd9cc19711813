//! Signed requests over HTTP, whatever they ask for: parameters in the query or the body, a
//! signature over both, a time window, and errors of a code and a text. The dialects that clients
//! sign in this way share it, and it names none of them.

pub mod covered;
mod error;
mod pairs;
mod parameter;
pub mod params;
mod private_key;
pub mod sign;
mod time;

pub use error::ApiError;
pub(crate) use error::{bad, errors};
pub use parameter::{Generate, Kind, Parameter, parameters};
pub use params::Params;
pub use private_key::PrivateKey;
pub use time::TimeUnit;
pub(crate) use time::{NS_PER_MS, NS_PER_US, span_ns};
