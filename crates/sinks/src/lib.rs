//! The databases and brokers that a venue feeds besides its own file. Each is a feature, so that a
//! build for a trial needs none of them.
//!
//! `postgres` is the read model in PostgreSQL: a backend of the crate `projection`, with the same
//! feed, the same questions and the same answers as its SQLite file. `redis`, `nats`, `kafka` and
//! `webhooks` are brokers that `publish` brings events to.
//!
//! # Invariants
//! - Nothing here is on the path of an order. A database that fails delays its own readers alone.

#[cfg(feature = "kafka")]
pub mod kafka;
#[cfg(feature = "nats")]
pub mod nats;
#[cfg(feature = "postgres")]
pub mod postgres;
#[cfg(feature = "publish")]
pub mod publish;
#[cfg(feature = "publish")]
pub mod publishers;
#[cfg(feature = "redis")]
pub mod redis;
#[cfg(feature = "webhooks")]
pub mod webhooks;
