//! The Rust client of a venue that speaks the Binance Spot API.
//!
//! A [`Client`] asks over pooled HTTP connections and signs what has to be signed; a [`Stream`]
//! listens to market data over a WebSocket. Answers are structs whose decimals are the strings that
//! were sent: how many places a price has is the instrument's affair, and nothing here rounds.
//!
//! A request is sent once. Whether one that failed on its way was carried out is not known; to
//! repeat a new order safely, give it an [idempotency key](NewOrder::idempotency_key).
//!
//! A [`Venue`] trades over REST, the WebSocket API, OUCH or gRPC by one interface, and does not
//! lose an answer. A [`Feed`] keeps books and trades of some instruments up to date, in ticks and
//! lots.

mod answer;
mod authorities;
mod error;
mod feed;
#[cfg(feature = "grpc")]
pub mod grpc;
mod http;
mod list;
mod moment;
mod order;
mod socket;
mod stream;
mod tls;
mod venue;

pub use answer::{PlacedList, PlacedOrder, ReplacedOrder};
pub use authorities::authorities;
pub use error::Error;
pub use feed::{BookLevel, Change, Feed, FeedInstrument, FeedMessage, MarketChange};
pub use http::{Client, Credentials, REQUEST_TIMEOUT, RESPONSE_LEN_MAX};
pub use list::{Leg, NewOco, NewOto, Pending};
pub use moment::{now_ns, since_1970_ns};
pub use order::{NewOrder, OrderKey};
pub use protocol::binance::response::{
    AccountInfo, BalanceInfo, BookTicker, CanceledOrder, Depth, ExchangeInfo, FillInfo, Filter,
    ListStatus, MyTrade, OrderInfo, OrderReport, SymbolInfo,
};
pub use stream::{Stream, StreamMessage};
pub use tls::{RootCertStore, Tls};
pub use types::{OrderType, Origin, Side, TimeInForce};
#[cfg(feature = "grpc")]
pub use venue::{Access, Caller};
pub use venue::{
    Cause, Commission, Login, Open, PATIENCE, Reply, Report, ReportKind, Reports, Statistics,
    UdpLogin, Venue,
};
