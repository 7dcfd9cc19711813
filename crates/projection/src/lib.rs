//! The read model: what happened, in a database, for questions about the past.
//!
//! ```text
//! event spool ─► [projection thread: feed/, changes.rs] ─► Store: sqlite/store.rs ─► file
//! reader: question.rs ─► History: sqlite/history.rs, sqlite/query/ ◄───────────────────┘
//! ```
//!
//! The feed, the changes and the questions are the same for every database. `sqlite/` is the
//! backend of this crate, behind the traits [`Backend`], [`Store`] and [`History`]; the crate
//! `sinks` has others, and brokers that the same feed ([`Feed`]) brings events to. The crate sees
//! the event spool, and not the venue: the caller hands in what wakes the feed ([`Wake`]), what
//! measures it ([`Gauges`]) and what replays the log ([`OlderEvents`]).
//!
//! It is fed from the event spool by a thread of its own, many commands in one transaction, with
//! the number of the last command in the same transaction. Events that the spool has dropped come
//! from the log ([`OlderEvents`]). It is derived, as the spool is: it can be made anew from the log
//! ([`sqlite::rebuild`]), and whatever fails here stops neither orders nor publishing.
//!
//! # Invariants
//! - Each event counts exactly once, whatever happens between reading it and the next start.
//! - A candle is to the unit what the trades of its period come to.
//! - Only the read model's own readers wait for it, with a deadline of their own
//!   ([`History::wait_until`]).
//! - Where history begins, and where it has holes, is in it too ([`sqlite::status`]).
//!
//! # Known limits
//! Without a retention nothing is deleted: the file grows with every order and every trade.

pub mod audit;
pub mod changes;
pub mod compose;
mod error;
mod feed;
mod give_way;
mod history;
mod page;
mod progress;
mod question;
mod rebuild;
mod replica;
mod retention;
mod settled;
pub mod sqlite;

pub use audit::{Audited, Effect};
pub use changes::{Amendment, Transfer};
pub use error::{ProjectionError, Standstill};
pub use feed::backend::{Backend, Interrupter, ReadModel, Store, Wanted, Words};
pub use feed::followed::Followed;
pub use feed::gauges::Gauges;
pub use feed::older::{OlderError, OlderEvents};
pub use feed::projection::Projection;
pub use feed::thread::{Feed, Wake};
pub use give_way::give_way;
pub use history::{Behind, BoxFuture, History, answer_settled, ask, ask_settled};
pub use page::Page;
pub use progress::Progress;
pub use question::{
    AggFilter, AggTrades, AllOrderLists, AllOrders, Amendments, Answer, AnyOrder, Ask, AuditTrail,
    ExpireCauses, HistoricalTrades, Klines, ListFilter, MyTrades, OneOrder, OneOrderList, OneTrade,
    OrderFilter, OrdersInAll, PreventedFilter, PreventedMatches, Question, Times, TradeFilter,
    TradeSide, TradesInAll, TransferFilter, Transfers, WindowSince,
};
pub use rebuild::{RebuildError, Rebuilt, fill};
pub use replica::{answered_by_replica, with_lag};
pub use retention::HistoryRetention;
