//! The binary as its users see it.

#![allow(clippy::unwrap_used, reason = "a test that fails there says where")]

mod admin_api;
mod answers;
mod backtest;
mod backup;
mod bench;
mod chance;
mod data;
mod demo;
mod edges;
#[cfg(feature = "grpc")]
mod grpc;
mod history;
mod itch;
mod kills;
mod logins;
mod lookup;
mod market;
mod operator;
mod order_lists;
mod ouch;
mod ouch_udp;
mod pages;
mod pipeline;
mod placement;
mod printing;
mod process;
mod projection;
mod recorded_market;
mod remote;
mod replay;
mod security;
mod serve;
mod spool;
mod tools;
mod traces;
mod trade;
mod ways;
mod words;
