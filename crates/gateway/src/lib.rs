//! The venue's sockets: REST and WebSocket of the Binance Spot API on one port.
//!
//! One room for what every way in shares, one for each dialect:
//!
//! ```text
//!  TCP ─► socket/ ─► binance/ ─► door/ ─► venue ─► [publisher's thread: listener.rs]
//!         accept      rest         limits                       │
//!         timed       api_session  submit     feed/ ◄───────────┤
//!         http        trading …    query        └─► binance/ ◄──┘
//!         websocket ─► operator/ ─► …                 hub, users ─► streams
//! ```
//!
//! A dialect sees `door`, `socket`, `feed` and its own codec, and no other dialect; only `door`
//! names the engine. `server.rs` puts the dialects on one port.
//!
//! # Invariants
//! - A request that is answered with an error of the 400s changed nothing.
//! - What was acknowledged is in every later answer of this gateway, to every client.
//! - Publishing never waits: a connection that does not read is cut, and the others go on.
//! - Every resource that a client can use up has a limit in [`Settings`].
//!
//! # PublisherState limits
//! A revoked key may still sign what arrives before the listener hears of it, by as much as the
//! publisher is behind. The user data streams of a key that expires end within a second.

mod binance;
mod clock;
mod door;
#[cfg(feature = "echo")]
mod echo;
mod feed;
mod listener;
mod monitoring;
mod operator;
mod server;
mod socket;

use std::io;
use std::sync::Arc;

use projection::History;
use tokio::net::TcpListener;
use venue::{Handle, Keyring, Listener, MasterKeyError, Opened};

#[doc(hidden)]
pub use crate::binance::operations::{OperationInfo, rows};
use crate::binance::shared::PublisherState;
use crate::binance::user_streams::UserStreams;
pub use crate::door::access::AccessRecord;
use crate::door::directory::{Directory, SharedDirectory};
pub use crate::door::operator::{
    Method, OPERATOR_ROOT, OperatorAnswer, OperatorApi, OperatorFuture, OperatorRequest,
    OperatorRoute, StaticPage,
};
use crate::door::query::open_lists;
pub use crate::door::settings::DoorSettings;
use crate::feed::open_lists::OpenLists;
pub use crate::socket::cors::{Origin, OriginError};
pub use crate::socket::settings::SocketSettings;
pub use crate::socket::tls::{Tls, TlsError};

/// The limits of each room.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Settings {
    pub door: DoorSettings,
    pub socket: SocketSettings,
}

impl From<DoorSettings> for Settings {
    fn from(door: DoorSettings) -> Self {
        Self { door, ..Self::default() }
    }
}

impl From<SocketSettings> for Settings {
    fn from(socket: SocketSettings) -> Self {
        Self { socket, ..Self::default() }
    }
}

/// The gateway of one venue. It is made before the venue starts, so that it misses no event.
#[derive(Debug)]
pub struct Gateway {
    settings: Settings,
    publisher: Arc<PublisherState>,
    history: Option<Arc<dyn History>>,
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
        let users = UserStreams::new(OpenLists::of(open_lists(opened.engine())));
        let directory = Arc::new(SharedDirectory::new(directory));
        let publisher = Arc::new(PublisherState::new(directory, users));
        Ok(Self {
            settings,
            publisher,
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
    pub fn with_history(self, history: Arc<dyn History>) -> Self {
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

    /// Records what is refused before the log.
    pub fn with_access_record(self, access: AccessRecord) -> Self {
        Self { access: Some(access), ..self }
    }

    /// For [`Opened::start`], once: without it, new keys and streams stay unknown.
    pub fn listener(&self) -> Box<dyn Listener> {
        Box::new(listener::GatewayListener::new(Arc::clone(&self.publisher)))
    }

    /// Serves until `shutdown` is ready. Then requests in flight are answered, WebSockets get a
    /// last message and are closed, and what is not done after [`SocketSettings::shutdown_grace`]
    /// is cut.
    pub async fn serve(
        self,
        tcp: TcpListener,
        handle: Handle,
        shutdown: impl Future<Output = ()>,
    ) -> io::Result<()> {
        server::serve(self, tcp, handle, shutdown).await
    }
}
