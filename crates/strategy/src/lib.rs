//! Strategies, and back-tests of them over recorded markets.
//!
//! A [`Strategy`] gets call-backs with a [`Context`], in which it reads its books, orders and
//! positions and sends requests. [`backtest`] runs it over recorded events. A library without a
//! command line: the tools' arguments are in the crate `research`.
//!
//! # Invariants
//! - Prices, quantities, cash and positions are integers. Floats are in strategies' own arithmetic,
//!   in the estimates of queue models, and in statistics.
//! - A run reads no clock and no randomness but its seed, so it is repeated exactly.

mod account;
pub mod backtest;
mod bar_events;
mod book;
pub mod builtin;
mod context;
mod desk;
mod funding;
mod instrument;
pub mod job;
mod journal;
pub mod live;
mod order;
mod panicked;
pub mod param;
mod risk;
pub mod sheet;
pub mod statistics;
mod strategy;
pub mod sweep;
mod trades;

pub use self::account::{Account, FEE_UNITS, Fees, RATE_DECIMALS};
pub use self::bar_events::BarEvents;
pub use self::book::Book;
pub use self::context::Context;
pub use self::funding::{Funding, FundingError};
pub use self::instrument::Instrument;
pub use self::journal::{Journal, SAMPLES_MAX, Sample, TableFormat, Totals};
pub use self::order::{
    ACCOUNTS_MAX, Action, Answer, Execution, Expired, Fill, FillCause, NewOrder, Order, Outcome,
    Pending, Rejected, Request, Terms,
};
pub use self::risk::{Refusal, RiskLimits};
pub use self::strategy::{Bar, Strategy, Trade};
pub use self::trades::{Gains, RoundTrip, Trades};
