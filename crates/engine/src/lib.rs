//! The deterministic core.
//!
//! [`Engine::apply`] is a pure function of the state and one command: it reads no clock, does no
//! I/O, draws no random number and never fails. A command that cannot be carried out is a
//! [`types::CommandRejected`]. Same log, same events, on every machine.
//!
//! # The map
//! Each floor sees only the floors below it.
//! - `engine.rs`: `apply`, which hands each command to the rules of its kind.
//! - `rules/`: the effects of commands, as `impl Engine` by topic. `operator/` has listings,
//!   accounts, keys, logins and transfers, `account/` fees, limits, holds and withdrawals,
//!   `market/` phases, auctions and halts, `matching/` the path of an order through the book,
//!   `orders/` changes, waits and ends of open orders. `due.rs`, `deferred.rs` and `follow_up.rs`
//!   run the work that no command requests directly: work that is due at a time, work that an
//!   earlier command deferred, consequences of events.
//! - `state/`: plain data with its codec. `state.rs` has the struct [`Engine`] and its accessors,
//!   and each file below has one part of the state. `snapshot/` writes and reads the state,
//!   `invariant/` checks what must hold between commands, `query/` answers queries. No file here
//!   needs a rule.
//! - `book/`: price levels and queues of one instrument; it knows no accounts.
//!
//! # The path of an order
//! `matching/check.rs` is the ladder of refusals. `matching/enter.rs` accepts the order and
//! `matching/trade.rs` trades it, `matching/settle.rs` moves the money, `book.rs` queues the rest,
//! `orders/ending.rs` ends it. Nearly all orders are plain and take the fast path through
//! `matching/plain.rs` and `matching/fill.rs`, after `ahead.rs` has prefetched the memory that they
//! touch. The rare terms have files of their own: `matching/special.rs` for icebergs and hidden
//! orders, `matching/peg.rs`, `matching/stp.rs`, `orders/trigger.rs`, `orders/list.rs`.

mod book;
mod engine;
mod rules;
mod state;

pub use book::index::OrderIndex;
pub use book::node::{Node, NodeId, Nodes};
pub use book::{Book, Front};
pub use state::account::rate::OrderRate;
pub use state::login::KEYS_OF_LOGIN_MAX;
pub use state::query::account::KnownTransfer;
pub use state::query::market::QueuePart;
pub use state::withdrawals::{WITHDRAWALS_KEPT, WITHDRAWALS_OPEN_MAX};
pub use state::{Engine, RULES_VERSION, WORK_PER_COMMAND};
