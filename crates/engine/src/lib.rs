//! The deterministic core.
//!
//! [`Engine::apply`] is a pure function of the state and one command: it reads no clock, does no
//! I/O, draws no random number and never fails. A command that cannot be carried out is a
//! [`types::CommandRejected`]. Same log, same events, on every machine.
//!
//! The way of an order: `engine.rs` picks the command apart, `check.rs` is the ladder of refusals,
//! `matching.rs` trades it, `special.rs` does so for orders that are not shown whole, `book.rs` queues it, `orders.rs` keeps the rest of it, `account.rs`
//! moves the money, `trigger.rs` lets an order wait for a price, `ending.rs` ends it, `finished.rs` keeps it where it can be asked for, `query.rs`
//! answers questions, `state.rs` writes and reads the whole, `invariant.rs` says what must hold
//! between commands.

mod account;
mod ahead;
mod auction;
mod average;
mod book;
mod bust;
mod calendar;
mod check;
mod ending;
mod engine;
mod fee;
mod finished;
mod follow_up;
mod halt;
mod index;
mod invariant;
mod kept;
mod ladder;
mod list;
mod market;
mod matching;
mod modify;
mod names;
mod operator;
mod orders;
mod page;
mod peg;
mod phase;
mod prefetch;
mod query;
mod reach;
mod risk;
mod settle;
mod slab;
mod special;
mod state;
mod stp;
mod sweep;
mod trading;
mod trigger;

pub use book::{Book, Front, Node, NodeId, Nodes};
pub use engine::{Engine, RULES_VERSION, WORK_PER_COMMAND};
pub use index::OrderIndex;
pub use risk::OrderRate;
