//! The venue over gRPC: orders, accounts, market data and operators' requests, by the messages of
//! `api/buttonwood.proto`.
//!
//! ```text
//!  HTTP/2 ─► connection ─► routes ─┬─► trading ─► desk ─► door ─► venue
//!                          call    ├─► order_stream ─┘               │
//!                          caller  ├─► market, events ◄─── hub ◄─────┘ publisher's thread
//!                                  └─► sessions, administration, tunnel
//! ```
//!
//! tonic encodes messages and statuses; sockets, TLS and HTTP/2 are those of `socket` and of hyper.
//!
//! # Invariants
//! - A status of a call that changes something says whether it may have been carried out.
//! - A call's deadline ends the wait for an answer, and never a command that reached the log.
//! - A stream holds [`QUEUE_MAX`](hub::QUEUE_MAX) events. One of a book or of candles holds the
//!   latest state.

pub(crate) mod connection;

mod administration;
mod call;
mod caller;
mod calls;
mod desk;
mod events;
mod holder;
pub(crate) mod hub;
mod live;
mod market;
mod order;
mod order_stream;
mod refusal;
mod report;
mod routes;
mod sessions;
pub(crate) mod settings;
mod shared;
mod tokens;
mod trading;
mod tunnel;
mod words;

pub use self::order::command;
pub(crate) use self::shared::{Backends, GrpcShared, Tunnel};
