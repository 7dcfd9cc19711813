//! From a message to an order, on two threads: one parses messages and pushes their updates into a
//! queue; the other takes them out, keeps the book, and runs strategy, risk and execution.
//!
//! [`run`] measures it twice. The first run is at saturation and gives the throughput. The second
//! is at half that rate or at a stated one, open loop: message `n` is due at a time that does not
//! depend on how fast the messages before it were, and its latency counts from then.
//!
//! # Invariants
//! - Nothing is allocated between the first and the last measured message.
//! - A wrong message, an order that is unknown or one too many is counted, and changes nothing.
//!
//! # Known limits
//! - Executions are simulated: an order that can trade fills at the touch, and the book stays as
//!   the messages have it. How a strategy would have done is a back-test's question.
//! - Clock readings take part of the second run: one per message, and more in each
//!   [`SAMPLED_EVERY`]th.

mod allocations;
mod book;
mod execution;
mod flow;
mod message;
mod risk;
mod run;
mod strategy;
mod usage;

pub use crate::allocations::Counting;
pub use crate::book::Book;
pub use crate::flow::Flow;
pub use crate::message::{Kind, Update, Wire};
pub use crate::run::{
    MessageSource, Outcome, Plan, QUEUE_UPDATES, RunError, SAMPLED_EVERY, Stage, run,
};
pub use crate::strategy::StrategyKind;
