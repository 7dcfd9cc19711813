//! The read model in PostgreSQL against the one in SQLite: the same events, the same questions.
//!
//! The tests need a server, which BUTTONWOOD_POSTGRES names: `make databases` starts one.

mod chance;
mod commands;
mod faults;
mod questions;
mod same;
mod support;
