//! One interface for orders over each way to the venue.
//!
//! A [`Venue`] enters, replaces and cancels orders over REST, the WebSocket API, OUCH or gRPC, and
//! does not let an answer get lost: a request whose connection breaks is found out, or repeated in
//! a way that the venue recognises, so that no order is entered twice. The way that carried an
//! order is in its [`Reply`], and the venue counts it under the same name (`way` of
//! `orders_received_total`).
//!
//! # Invariants
//! - An error other than [`Error::Transport`] means that nothing was changed.
//! - [`Error::Transport`] comes only after [`PATIENCE`]: until then the venue could not be asked.
//!   It comes sooner when a session of OUCH has ended, or lacks reports.
//! - An order never executes more than the quantity of its last replacement, counted from the
//!   order's beginning.
//!
//! # Known limits
//! Over REST there are no reports.

pub(crate) mod back_off;
#[cfg(feature = "grpc")]
mod grpc;
mod json;
mod ouch;
mod report;
mod rest;
mod statistics;
mod websocket;

use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use types::Origin;

#[cfg(feature = "grpc")]
use self::grpc::Grpc;
use self::ouch::Ouch;
use self::rest::Rest;
use self::statistics::Counters;
use self::websocket::WebSocket;
use crate::{Client, Error, NewOrder};

#[cfg(feature = "grpc")]
pub use self::grpc::{Access, Caller};
pub use self::ouch::{Login, UdpLogin};
pub use self::report::{Commission, Report, ReportKind, Reports};
pub use self::statistics::{Cause, Statistics};

/// How long a request may remain without an answer, while the way to the venue is broken.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// A venue over one way. Clones share its connection.
#[derive(Clone, Debug)]
pub struct Venue {
    path: Path,
    counters: Arc<Counters>,
}

#[derive(Clone, Debug)]
enum Path {
    Rest(Rest),
    WebSocket(WebSocket),
    Ouch(Ouch),
    #[cfg(feature = "grpc")]
    Grpc(Grpc),
}

/// What became of a request.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Reply {
    /// The way that carried it.
    pub way: Origin,
    pub symbol: String,
    pub client_order_id: String,
    /// The venue's number.
    pub order_id: u64,
    /// `NEW`, `FILLED`, `CANCELED` and so on, as the Binance API has them. Over OUCH a new order is
    /// `NEW` as soon as it is accepted, and its fills follow as reports.
    pub status: String,
    pub executed_qty: String,
}

/// An open order.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Open {
    pub symbol: String,
    pub client_order_id: String,
    pub order_id: u64,
    pub leaves_qty: String,
    pub price: String,
}

impl Venue {
    /// Over REST, on pooled connections.
    pub fn rest(client: Client) -> Self {
        let counters = Arc::<Counters>::default();
        Self { path: Path::Rest(Rest::new(client, Arc::clone(&counters))), counters }
    }

    /// Over the WebSocket API of the client's venue, on one connection; `from_seq` is the number of
    /// the first report that is wanted, `None` for new ones only. Runs in the present runtime.
    pub fn websocket(client: Client, from_seq: Option<u64>) -> Result<(Self, Reports), Error> {
        let counters = Arc::<Counters>::default();
        let (websocket, reports) = WebSocket::open(client, from_seq, Arc::clone(&counters))?;
        Ok((Self { path: Path::WebSocket(websocket), counters }, reports))
    }

    /// Over OUCH. `client` reads the ticks and lots of the instruments. Runs in the present
    /// runtime.
    pub async fn ouch(client: &Client, login: Login) -> Result<(Self, Reports), Error> {
        let counters = Arc::<Counters>::default();
        let (ouch, reports) = Ouch::open(client, login, Arc::clone(&counters)).await?;
        Ok((Self { path: Path::Ouch(ouch), counters }, reports))
    }

    /// Over OUCH by datagrams; where these do not pass, by the first fallback that connects, and
    /// back again when they do. Else as [`Venue::ouch`].
    pub async fn ouch_udp(client: &Client, login: UdpLogin) -> Result<(Self, Reports), Error> {
        let counters = Arc::<Counters>::default();
        let (ouch, reports) = Ouch::open_udp(client, login, Arc::clone(&counters)).await?;
        Ok((Self { path: Path::Ouch(ouch), counters }, reports))
    }

    /// Over gRPC; `from_event` is the number of the first report that is wanted, `None` for new
    /// ones only. Runs in the present runtime.
    #[cfg(feature = "grpc")]
    pub fn grpc(access: Access, from_event: Option<u64>) -> (Self, Reports) {
        let counters = Arc::<Counters>::default();
        let (grpc, reports) = Grpc::open(access, from_event, Arc::clone(&counters));
        (Self { path: Path::Grpc(grpc), counters }, reports)
    }

    /// The way of the venue's orders. Over UDP with fallbacks, each [`Reply`] has its own.
    pub fn way(&self) -> Origin {
        match &self.path {
            Path::Rest(_) => Origin::Rest,
            Path::WebSocket(_) => Origin::WebSocket,
            Path::Ouch(_) => Origin::Ouch,
            #[cfg(feature = "grpc")]
            Path::Grpc(_) => Origin::Grpc,
        }
    }

    /// Enters an order. One without a client order id gets one.
    pub async fn enter(&self, order: &NewOrder) -> Result<Reply, Error> {
        let mut order = order.clone();
        order.new_client_order_id.get_or_insert_with(fresh_name);
        let entered = async {
            match &self.path {
                Path::Rest(path) => json::enter(path, order, &self.counters).await,
                Path::WebSocket(path) => json::enter(path, order, &self.counters).await,
                Path::Ouch(path) => path.enter(&order).await,
                #[cfg(feature = "grpc")]
                Path::Grpc(path) => path.enter(&order).await,
            }
        };
        self.counters.count(entered).await
    }

    /// Gives an open order another quantity, price and name. The quantity is what it may execute in
    /// all, with what it has executed before. OUCH does this in one step; over the other ways the
    /// order is canceled first, and the rest of the quantity entered.
    pub async fn replace(&self, client_order_id: &str, order: &NewOrder) -> Result<Reply, Error> {
        let mut order = order.clone();
        order.new_client_order_id.get_or_insert_with(fresh_name);
        let replaced = async {
            match &self.path {
                Path::Rest(path) => {
                    json::replace(path, client_order_id, order, &self.counters).await
                }
                Path::WebSocket(path) => {
                    json::replace(path, client_order_id, order, &self.counters).await
                }
                Path::Ouch(path) => path.replace(client_order_id, &order).await,
                #[cfg(feature = "grpc")]
                Path::Grpc(path) => path.replace(client_order_id, &order).await,
            }
        };
        self.counters.count(replaced).await
    }

    pub async fn cancel(&self, symbol: &str, client_order_id: &str) -> Result<Reply, Error> {
        let canceled = async {
            match &self.path {
                Path::Rest(path) => {
                    json::cancel(path, symbol, client_order_id, &self.counters).await
                }
                Path::WebSocket(path) => {
                    json::cancel(path, symbol, client_order_id, &self.counters).await
                }
                Path::Ouch(path) => path.cancel(client_order_id).await,
                #[cfg(feature = "grpc")]
                Path::Grpc(path) => path.cancel(symbol, client_order_id).await,
            }
        };
        self.counters.count(canceled).await
    }

    /// The account's open orders; over OUCH those of the login.
    pub async fn open_orders(&self) -> Result<Vec<Open>, Error> {
        match &self.path {
            Path::Rest(path) => json::open_orders(path).await,
            Path::WebSocket(path) => json::open_orders(path).await,
            Path::Ouch(path) => path.open_orders().await,
            #[cfg(feature = "grpc")]
            Path::Grpc(path) => path.open_orders().await,
        }
    }

    pub fn statistics(&self) -> Statistics {
        self.counters.read()
    }
}

/// A name that no other order of this machine has: 14 characters, as OUCH has room for.
pub(crate) fn fresh_name() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    static RUN: std::sync::OnceLock<u32> = std::sync::OnceLock::new();
    let run = RUN.get_or_init(|| back_off::random() as u32);
    let mut name = String::with_capacity(14);
    let next = NEXT.fetch_add(1, Ordering::Relaxed) & 0xFF_FFFF;
    write!(name, "{run:08x}{next:06x}").expect("a string takes all");
    name
}

/// Until when a request that began now may ask again.
fn patience() -> Instant {
    Instant::now() + PATIENCE
}

/// Whether the outcome of a request is not known.
fn is_unknown(error: &Error) -> bool {
    const TIMEOUT: i32 = -1007;
    matches!(error, Error::Transport(_)) || error.code() == Some(TIMEOUT)
}

/// Whether the venue refuses a request before it looks at it: of a repeat, whose first sending may
/// have been carried out, this says nothing.
fn is_unheard(error: &Error) -> bool {
    /// Internal error, too many requests, overloaded, shutting down, out of the receive window.
    const CODES: [i32; 5] = [-1001, -1003, -1008, -1016, -1021];
    error.code().is_some_and(|code| CODES.contains(&code))
}

/// The error of a request that was not answered in time, whatever its last repeat met.
fn not_known(error: Error) -> Error {
    match error {
        Error::Transport(_) => error,
        error => Error::transport(error),
    }
}
