//! The deterministic core.
//!
//! [`Engine::apply`] is a pure function of the state and one command: it reads no clock, does no
//! I/O, draws no random number and never fails. A command that cannot be carried out is a
//! [`types::CommandRejected`]. Same log, same events, on every machine.
//!
//! # The map
//! Each floor sees only the floors below it.
//! - `engine.rs`: `apply`, which hands each command to the rules of its kind.
//! - `rules/`: what commands do, as `impl Engine` by topic. `operator/` has listings, accounts, keys
//!   and transfers, `account/` fees, limits, holds and withdrawals, `market/` phases, auctions and
//!   halts, `matching/` the way of an order through the book, `orders/` how open orders change, wait
//!   and end. `due.rs`, `deferred.rs` and `follow_up.rs` run what no command asks for by itself:
//!   what is due at a time, what an earlier command left over, what follows from events.
//! - `state/`: plain data with its codec. `state.rs` has the struct [`Engine`] and its accessors,
//!   each file below one part of the state. `snapshot/` writes and reads all of it, `invariant/`
//!   checks what must hold between commands, `query/` answers queries. No file here needs a rule.
//! - `book/`: price levels and queues of one instrument; it knows no accounts.
//!
//! # The way of an order
//! `matching/check.rs` is the ladder of refusals. `matching/enter.rs` accepts the order and
//! `matching/trade.rs` trades it, `matching/settle.rs` moves the money, `book.rs` queues the rest,
//! `orders/ending.rs` ends it. Nearly all orders are plain and take the short way through
//! `matching/plain.rs` and `matching/fill.rs`, after `ahead.rs` has prefetched what they touch. The
//! rare terms have files of their own: `matching/special.rs` for orders that the book does not show
//! whole, `matching/peg.rs`, `matching/stp.rs`, `orders/trigger.rs`, `orders/list.rs`.

mod book;
mod engine;
mod rules;
mod state;

pub use book::index::OrderIndex;
pub use book::node::{Node, NodeId, Nodes};
pub use book::{Book, Front};
pub use state::account::rate::OrderRate;
pub use state::withdrawals::{WITHDRAWALS_KEPT, WITHDRAWALS_OPEN_MAX};
pub use state::{Engine, RULES_VERSION, WORK_PER_COMMAND};
