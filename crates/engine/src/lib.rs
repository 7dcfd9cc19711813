//! The deterministic core.
//!
//! [`Engine::apply`] is a pure function of the state and one command: it reads no clock, does no
//! I/O, draws no random number and never fails. A command that cannot be carried out is a
//! [`types::CommandRejected`]. Same log, same events, on every machine.
//!
//! The way of an order: `engine.rs` picks the command apart, `matching/check.rs` is the ladder of
//! refusals, `matching.rs` trades it, `book.rs` queues it, `orders.rs` keeps the rest of it,
//! `matching/settle.rs` moves the money, `orders/ending.rs` ends it, `orders/finished.rs` keeps it
//! where it can be asked for. Nearly all orders go the short way of `matching/plain.rs` through
//! these, and `ahead.rs` has brought near what they touch. What few orders need lies beside them:
//! `matching/special.rs` for orders that are not shown whole, `orders/trigger.rs` for those that
//! wait for a price.
//!
//! Of the whole: `query.rs` answers questions, `state.rs` writes and reads it, `invariant.rs` says
//! what must hold between commands.

mod account;
mod ahead;
mod book;
mod engine;
mod follow_up;
mod invariant;
mod market;
mod matching;
mod operator;
mod orders;
mod probe;
mod query;
mod state;
mod taken;

pub use account::risk::OrderRate;
pub use account::withdrawal::{WITHDRAWALS_KEPT, WITHDRAWALS_OPEN_MAX};
pub use book::index::OrderIndex;
pub use book::{Book, Front, Node, NodeId, Nodes};
pub use engine::{Engine, RULES_VERSION, WORK_PER_COMMAND};
