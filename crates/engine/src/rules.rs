//! The effects of commands: `impl Engine` by topic.
//!
//! A rule reads and changes the state, and appends events. Rules call each other as methods of
//! [`Engine`](crate::Engine); they import types from the state and from the book.

mod account;
mod ahead;
mod deferred;
mod due;
mod event;
mod follow_up;
mod market;
mod matching;
mod operator;
mod orders;
mod probe;
mod retry;
