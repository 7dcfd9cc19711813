//! The gateway as its clients see it: a real venue in a temporary folder, real sockets.

#![allow(clippy::unwrap_used)] // Helpers of tests fail like tests.

mod attacks;
mod browser;
#[cfg(feature = "echo")]
mod conformance;
mod extensions;
mod faults;
#[cfg(feature = "grpc")]
mod grpc;
mod held_log;
mod history;
mod limits;
mod lists;
mod market;
mod market_orders;
mod monitoring;
mod openapi;
mod operator_events;
mod order_counts;
mod orders;
mod overload;
mod page;
mod pages;
mod proxies;
mod queue;
mod readme;
mod replace;
mod retries;
mod security;
mod self_trade;
mod sessions;
mod sign_in;
mod socket;
mod special_orders;
mod statistics;
mod streams;
mod support;
mod tls;
mod trade_changes;
mod transfers;
mod user_data;
mod ws_api;
