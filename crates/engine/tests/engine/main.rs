//! The engine from outside: rules as scripts, random commands against a plain model, the state's
//! bytes, and a golden log.

#![allow(clippy::unwrap_used)] // A test that panics is a test that fails.

mod amend;
mod auction;
mod band;
mod book;
mod bust;
mod bytes;
mod cancel;
mod dated;
mod deferred;
mod delist;
mod fee;
mod filter;
mod golden;
mod halt;
mod hidden;
mod history;
mod house;
mod iceberg;
mod list;
mod market_order;
mod market_to_limit;
mod min_qty;
mod model;
mod model_test;
mod modify;
mod number;
mod operator;
mod order;
mod peg;
mod phase;
mod priority;
mod random;
mod reject;
mod replace;
mod retry;
mod risk;
mod schedule;
mod script;
mod script_account;
mod script_trading;
mod self_trade;
mod state;
mod sweep;
mod transfer;
mod trigger;
