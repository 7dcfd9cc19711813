//! The venue's sockets: REST and WebSocket of the Binance Spot API on one port.
//!
//! What a request or an answer looks like is the business of [`protocol::binance`]; here are the
//! sockets, the keys, and the way to the venue and back:
//!
//! ```text
//!  TCP ─► server.rs ─► rest.rs ─► operations.rs ─► trading.rs ─► submit.rs: events ─► answer
//!         limits       call.rs    what it weighs, account.rs ─► ask.rs: state     ─► answer
//!                   │  who asks   who answers     market.rs  ─► ask.rs: views     ─► answer
//!                   └► connection.rs ─► api_session.rs ─► operations.rs
//!                                    ─► streams.rs ◄─ hub.rs, users.rs ◄─ [publisher's thread]
//! ```
//!
//! # Invariants
//! - A request that is answered with an error of the 400s changed nothing.
//! - What was acknowledged is in every later answer of this gateway, whoever asks.
//! - Publishing never waits: a connection that does not read is cut, and the others go on.
//! - Every resource that a client can use up has a limit in [`Settings`].
//!
//! # Known limits
//! A revoked key may still sign what arrives before the listener hears of it, by as much as the
//! publisher is behind. The user data streams of a key that expires end within a second.

mod access;
mod account;
mod admission;
mod api_session;
mod arrival;
mod ask;
mod batch;
mod call;
mod changes;
mod connection;
mod cors;
mod directory;
#[cfg(feature = "echo")]
mod echo;
mod history;
mod hub;
mod limits;
mod listen_keys;
mod listener;
mod lists;
mod market;
mod openapi;
mod operations;
mod operator;
mod rest;
mod server;
mod sessions;
mod settings;
mod statistics;
mod streams;
mod submit;
mod times;
mod tls;
mod trading;
mod user_data;
mod users;
mod wallet;

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, RwLockReadGuard};
use std::time::{SystemTime, UNIX_EPOCH};

use projection::History;
use tokio::net::TcpListener;
use tokio::sync::watch;
use types::Market;
use venue::{Handle, Keyring, Listener, MasterKeyError, Opened};

pub use crate::access::AccessRecord;
use crate::admission::Admission;
pub use crate::cors::{Origin, OriginError};
use crate::directory::Directory;
use crate::hub::Hub;
use crate::limits::Limits;
use crate::listen_keys::{ListenKey, ListenKeys};
#[doc(hidden)]
pub use crate::operations::{Row, rows};
pub use crate::operator::{
    Answering, Method, OPERATOR_ROOT, OperatorAnswer, OperatorApi, OperatorRequest, Page, Place,
};
pub use crate::settings::Settings;
pub use crate::tls::{Tls, TlsError};
use crate::user_data::Reach;
use crate::users::{Lists, Users};

/// The gateway of one venue. It is made before the venue starts, so that it misses no event.
#[derive(Debug)]
pub struct Gateway {
    settings: Settings,
    known: Arc<Known>,
    history: Option<History>,
    operators: Option<Arc<dyn OperatorApi>>,
    access: Option<AccessRecord>,
    tls: Option<Arc<Tls>>,
    origins: Vec<Origin>,
}

impl Gateway {
    /// Fails with [`MasterKeyError::Wrong`] when a secret of the venue's keys cannot be opened.
    pub fn new(
        settings: Settings,
        opened: &Opened,
        master_key: impl Into<Keyring>,
    ) -> Result<Self, MasterKeyError> {
        let directory = Directory::new(opened.engine(), master_key.into())?;
        let hub = Mutex::new(Hub::new(directory.markets()));
        let users = Mutex::new(Users::new(Lists::of(opened.engine())));
        let (directory, reach) = (RwLock::new(directory), OnceLock::new());
        let known = Arc::new(Known { directory, hub, users, reach });
        Ok(Self {
            settings,
            known,
            history: None,
            operators: None,
            access: None,
            tls: None,
            origins: Vec::new(),
        })
    }

    /// Answers questions about the past from this read model. Without one there is no past but what
    /// the engine keeps.
    #[must_use]
    pub fn with_history(self, history: History) -> Self {
        Self { history: Some(history), ..self }
    }

    /// Speaks TLS, and nothing else.
    #[must_use]
    pub fn with_tls(self, tls: Option<Arc<Tls>>) -> Self {
        Self { tls, ..self }
    }

    /// Lets web pages of these origins read what is answered.
    #[must_use]
    pub fn with_origins(self, origins: Vec<Origin>) -> Self {
        Self { origins, ..self }
    }

    /// Lets operators in by `/admin/v1`.
    pub fn with_operators(self, operators: Arc<dyn OperatorApi>) -> Self {
        Self { operators: Some(operators), ..self }
    }

    /// Keeps a record of what is refused before it comes to the log.
    pub fn with_access_record(self, access: AccessRecord) -> Self {
        Self { access: Some(access), ..self }
    }

    /// For [`Opened::start`]: without it, new keys and streams stay unknown.
    pub fn listener(&self) -> Box<dyn Listener> {
        Box::new(listener::GatewayListener(Arc::clone(&self.known)))
    }

    /// Serves until `shutdown` is ready. Then requests under way are answered, WebSockets are told
    /// and closed, and what is not done after [`Settings::shutdown_grace`] is cut.
    pub async fn serve(
        self,
        tcp: TcpListener,
        handle: Handle,
        shutdown: impl Future<Output = ()>,
    ) -> io::Result<()> {
        server::serve(self, tcp, handle, shutdown).await
    }
}

/// What the gateway knows of the venue. The listener writes it, everybody reads it.
#[derive(Debug)]
pub(crate) struct Known {
    directory: RwLock<Directory>,
    /// Touched on the publisher's thread only, so nobody ever waits for it.
    hub: Mutex<Hub>,
    /// Nearly so.
    users: Mutex<Users>,
    /// There once the sockets are open.
    reach: OnceLock<Reach>,
}

impl Known {
    /// For a look-up: the guard must not be kept across an `await`.
    pub(crate) fn directory(&self) -> RwLockReadGuard<'_, Directory> {
        self.directory.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn hub(&self) -> MutexGuard<'_, Hub> {
        self.hub.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn users(&self) -> MutexGuard<'_, Users> {
        self.users.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn market(&self, symbol: &str) -> Option<Market> {
        self.directory().market(symbol)
    }
}

/// What all connections share.
#[derive(Debug)]
pub(crate) struct Shared {
    settings: Settings,
    limits: Limits,
    admission: Admission,
    listen_keys: ListenKeys,
    known: Arc<Known>,
    handle: Handle,
    history: Option<History>,
    operators: Option<Arc<dyn OperatorApi>>,
    access: Option<AccessRecord>,
    /// True once the gateway is on its way down.
    stopping: watch::Receiver<bool>,
}

impl Shared {
    /// What a listen key opens: nothing once the key that began it is of no use any more.
    fn listen_key(&self, name: &str) -> Option<(Arc<str>, ListenKey)> {
        let found = self.listen_keys.find(name)?;
        self.known.directory().is_usable(found.1.key).then_some(found)
    }
}

/// Ready once the gateway is on its way down.
pub(crate) async fn stopped(stopping: &mut watch::Receiver<bool>) {
    // Whoever could say that we go on is gone as well.
    let _sender_gone = stopping.wait_for(|stopping| *stopping).await;
}

pub(crate) fn now_ns() -> u64 {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since_1970.as_nanos()).unwrap_or(u64::MAX)
}
