//! The engine from outside: rules as scripts, random commands against a plain model, the bytes of
//! the state.

#![allow(clippy::unwrap_used)] // A test that panics is a test that fails.

mod absurd;
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
mod golden_log;
mod halt;
mod hidden;
mod history;
mod house;
mod iceberg;
mod list;
mod list_auction;
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
mod rules;
mod schedule;
mod script;
mod script_account;
mod script_trading;
mod self_trade;
mod state;
mod stop;
mod sweep;
mod trailing;
mod transfer;
mod trigger;
mod withdrawal;
