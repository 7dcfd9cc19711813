//! The read model in PostgreSQL against the one in SQLite: the same events, the same questions.
//!
//! The tests need a server, which BUTTONWOOD_POSTGRES names: `make databases` starts one.

#![allow(clippy::unwrap_used, reason = "a test that fails there says where")]

mod chance;
mod commands;
mod faults;
mod questions;
mod same;
mod shards;
mod support;
