//! The read model in PostgreSQL.
//!
//! One connection writes: each page of events is one transaction, with the position in it, and rows
//! go in by binary `COPY`. A few others read, each question in one snapshot.
//!
//! History may lie in several databases, each with the rows of some accounts (`map.rs`). A page is
//! then one transaction in each of them (`store.rs`), and a question goes to those that have its
//! answer (`spread.rs`). Accounts move while all goes on (`moving.rs`).
//!
//! # Invariants
//! - A transaction begins with the position, which it moves on from the one that this writer knows.
//!   Another writer, a restored database and a commit whose answer was lost all show there.
//! - A database that is behind others after a failure has its pages first.
//! - An order's row is written once, at its end. Until then it is in `open_orders`.
//! - A password is in no message: the address is displayed without it.
//!
//! # Known limits
//! Retention deletes whole partitions.

mod address;
mod all;
mod backend;
mod candle;
mod column;
mod connections;
mod copied;
mod copy;
mod failure;
mod forget;
mod history;
mod interrupt;
mod job;
mod map;
mod moving;
mod number;
mod order;
mod page;
mod partition;
mod query;
mod reader;
mod rebuild;
mod replica;
mod rest;
mod routes;
mod schema;
mod session;
mod set;
mod shard;
mod spread;
mod status;
mod store;
mod tls;
mod trade;

pub use self::address::Address;
pub use self::backend::Postgres;
pub use self::copied::{Copied, copy_again, drop_schema};
pub use self::map::SHARDS_MAX;
pub use self::reader::Reader;
pub use self::rebuild::rebuild;
pub use self::schema::SCHEMA_VERSION;
pub use self::status::{Status, status};
pub use self::store::PostgresStore;
