//! The venue's network gateway: REST and WebSocket of the Binance Spot API on one port.
//!
//! Three modules serve every dialect; each dialect has one module of its own:
//!
//! ```text
//!  TCP ─► socket/ ─► binance/ ─► door/ ─► venue ─► [publisher's thread: listener.rs]
//!         accept      rest         limits                       │
//!         timed       api_session  submit     feed/ ◄───────────┤
//!         http        trading …    query        └─► binance/ ◄──┘
//!         websocket ─► operator ─► …                  hub, user_streams ─► streams
//! ```
//!
//! A dialect sees `door`, `socket`, `feed` and its own codec, and no other dialect. Only `door`
//! names the engine. `server.rs` puts the dialects on one port.
//!
//! # Invariants
//! - A request that gets an error of the 400s has changed nothing.
//! - Every answer of this gateway includes all events acknowledged before it, to any client.
//! - The publisher never waits for a client: a connection whose queue is full is cut.
//! - [`Settings`] limits every resource that a client can use up.
//!
//! # Known limits
//! A revoked key can sign requests until the publisher's thread has applied the revocation. User
//! data streams of a key end within a second after it expires.

mod binance;
mod clock;
mod door;
#[cfg(feature = "echo")]
mod echo;
mod feed;
#[cfg(feature = "grpc")]
mod grpc;
#[cfg(feature = "redis")]
mod intake;
mod itch;
mod listener;
mod monitoring;
mod operator;
mod ouch;
mod server;
mod socket;
mod web;

use std::io;
use std::net::UdpSocket;
use std::sync::Arc;

use projection::History;
use tokio::net::TcpListener;
use venue::{Handle, Keyring, Listener, MasterKeyError, Opened, Reporter};

#[doc(hidden)]
pub use crate::binance::operations::{OPERATIONS, Operation};
use crate::binance::shared::PublisherState;
use crate::binance::user_streams::UserStreams;
pub use crate::door::access::AccessRecord;
use crate::door::directory::{Directory, SharedDirectory};
pub use crate::door::faults::{ArmedFault, Fault, Faults};
use crate::door::numbered;
pub use crate::door::operator::{
    Alarm, Method, OPERATOR_ROOT, OperatorAnswer, OperatorApi, OperatorEvent, OperatorFuture,
    OperatorMessages, OperatorRequest, OperatorRoute, StaticPage,
};
use crate::door::query::open_lists;
pub use crate::door::settings::DoorSettings;
use crate::door::shown::shown_orders;
pub use crate::door::trace::{OrderTrace, StageTime, TraceParent, Traces};
use crate::feed::open_lists::OpenLists;
#[cfg(feature = "grpc")]
#[doc(hidden)]
pub use crate::grpc::command as grpc_command;
#[cfg(feature = "grpc")]
pub use crate::grpc::settings::GrpcSettings;
#[cfg(feature = "redis")]
pub use crate::intake::settings::{IntakeAccounts, IntakeAddress, IntakeSettings};
pub use crate::itch::encoder::ItchEncoder;
use crate::itch::feed::Beginning;
use crate::itch::listener::ItchListener;
use crate::itch::receivers::Receivers;
pub use crate::itch::settings::{ItchDoors, ItchSettings};
pub use crate::operator::alarms::Alarms;
use crate::operator::hub::OperatorHub;
use crate::ouch::hub::Hub;
use crate::ouch::reporter::OuchReporter;
pub use crate::ouch::settings::OuchSettings;
use crate::server::Beside;
pub use crate::socket::cors::{Origin, OriginError};
pub use crate::socket::listeners::Listeners;
pub use crate::socket::page::{AllowedHost, AllowedHostError};
pub use crate::socket::proxy::{TrustedProxy, TrustedProxyError};
pub use crate::socket::settings::SocketSettings;
pub use crate::socket::tls::{Tls, TlsError};
pub use crate::web::{DemoSignIn, WebSettings};

/// The limits of the gateway.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Settings {
    pub door: DoorSettings,
    pub socket: SocketSettings,
    pub web: WebSettings,
    pub ouch: OuchSettings,
    #[cfg(feature = "grpc")]
    pub grpc: GrpcSettings,
    pub itch: ItchSettings,
}

impl From<DoorSettings> for Settings {
    fn from(door: DoorSettings) -> Self {
        Self { door, ..Self::default() }
    }
}

impl From<WebSettings> for Settings {
    fn from(web: WebSettings) -> Self {
        Self { web, ..Self::default() }
    }
}

impl From<SocketSettings> for Settings {
    fn from(socket: SocketSettings) -> Self {
        Self { socket, ..Self::default() }
    }
}

/// Where OUCH is spoken, and what its sessions share with the reporter.
#[derive(Debug)]
struct OuchPort {
    doors: Option<Listeners>,
    udp: Option<UdpSocket>,
    hub: Arc<Hub>,
}

/// Where clients of the feed ask.
#[derive(Debug)]
struct ItchPort {
    recovery: Option<UdpSocket>,
    glimpse: Option<TcpListener>,
    hub: Arc<itch::feed::Hub>,
}

/// Where gRPC is spoken, and what its streams share with the publisher's thread.
#[cfg(feature = "grpc")]
#[derive(Debug)]
struct GrpcPort {
    listeners: Option<Listeners>,
    hub: Arc<grpc::hub::Hub>,
}

/// The gateway of one venue. Create it before the venue starts, so that its listener misses no
/// event.
#[derive(Debug)]
pub struct Gateway {
    settings: Settings,
    publisher: Arc<PublisherState>,
    history: Option<Arc<dyn History>>,
    operators: Option<Arc<dyn OperatorApi>>,
    operator_hub: Arc<OperatorHub>,
    access: Option<AccessRecord>,
    faults: Option<Arc<Faults>>,
    traces: Option<Arc<Traces>>,
    tls: Option<Arc<Tls>>,
    origins: Vec<Origin>,
    allowed_hosts: Vec<AllowedHost>,
    trusted_proxies: Vec<TrustedProxy>,
    demo_sign_in: Option<DemoSignIn>,
    beside: Beside,
    /// Before any client can connect: requests of an earlier run are signed before.
    created_us: u64,
}

impl Gateway {
    /// Fails with [`MasterKeyError::Wrong`] when a secret of the venue's keys cannot be decrypted.
    pub fn new(
        settings: Settings,
        opened: &Opened,
        master_key: impl Into<Keyring>,
    ) -> Result<Self, MasterKeyError> {
        let directory = Directory::new(opened.engine(), master_key.into())?;
        let users = UserStreams::new(OpenLists::of(open_lists(opened.engine())));
        let directory = Arc::new(SharedDirectory::new(directory));
        let publisher = Arc::new(PublisherState::new(directory, users));
        let operator_hub = Arc::new(OperatorHub::new(Arc::clone(&publisher.readers)));
        let beside = Beside {
            ouch: None,
            itch: None,
            #[cfg(feature = "grpc")]
            grpc: GrpcPort {
                listeners: None,
                hub: grpc::hub::Hub::new(Arc::clone(&publisher.readers)),
            },
            #[cfg(feature = "redis")]
            intake: None,
        };
        Ok(Self {
            settings,
            publisher,
            history: None,
            operators: None,
            operator_hub,
            access: None,
            faults: None,
            traces: None,
            tls: None,
            origins: Vec::new(),
            allowed_hosts: Vec::new(),
            trusted_proxies: Vec::new(),
            demo_sign_in: None,
            beside,
            created_us: clock::now_us(),
        })
    }

    /// Queries about the past go to this read model. Without one, only what the engine keeps is
    /// found.
    #[must_use]
    pub fn with_history(self, history: Arc<dyn History>) -> Self {
        Self { history: Some(history), ..self }
    }

    /// Serves TLS only.
    #[must_use]
    pub fn with_tls(self, tls: Option<Arc<Tls>>) -> Self {
        Self { tls, ..self }
    }

    /// Allows web pages of these origins to read answers, and to change something.
    #[must_use]
    pub fn with_origins(self, origins: Vec<Origin>) -> Self {
        Self { origins, ..self }
    }

    /// Refuses requests under other names, except `localhost` and IP addresses. Without names, a
    /// listener that other machines reach allows all.
    #[must_use]
    pub fn with_allowed_hosts(self, allowed_hosts: Vec<AllowedHost>) -> Self {
        Self { allowed_hosts, ..self }
    }

    /// Believes these proxies the addresses of their clients.
    #[must_use]
    pub fn with_trusted_proxies(self, trusted_proxies: Vec<TrustedProxy>) -> Self {
        Self { trusted_proxies, ..self }
    }

    /// Lets a one-time code sign in to the accounts of a demo.
    #[must_use]
    pub fn with_demo_sign_in(self, demo_sign_in: Option<DemoSignIn>) -> Self {
        Self { demo_sign_in, ..self }
    }

    /// Serves the operators' API at `/admin/v1`.
    pub fn with_operators(self, operators: Arc<dyn OperatorApi>) -> Self {
        Self { operators: Some(operators), ..self }
    }

    /// Records requests that are refused before the log.
    pub fn with_access_record(self, access: AccessRecord) -> Self {
        Self { access: Some(access), ..self }
    }

    /// Lets a test ask for faults.
    #[must_use]
    pub fn with_faults(self, faults: Option<Arc<Faults>>) -> Self {
        Self { faults, ..self }
    }

    /// Traces sampled orders.
    #[must_use]
    pub fn with_traces(self, traces: Option<Arc<Traces>>) -> Self {
        Self { traces, ..self }
    }

    /// Serves OUCH on these, too. Returns the reporter for [`Opened::start_with`]: without it
    /// the sessions get no reports.
    pub fn serve_ouch(
        &mut self,
        doors: Option<Listeners>,
        udp: Option<UdpSocket>,
        opened: &Opened,
    ) -> Box<dyn Reporter> {
        let logins = numbered::logins(opened.engine());
        let markets = self.publisher.directory.read().markets().to_vec();
        let hub = Arc::new(Hub::new(&markets, &logins, opened.views().reports()));
        numbered::each_numbered_order(opened.engine(), |name, order| hub.restore(name, order));
        self.beside.ouch = Some(OuchPort { doors, udp, hub: Arc::clone(&hub) });
        Box::new(OuchReporter::new(hub))
    }

    /// Sends the market order by order, too. Returns a listener for [`Opened::start`]: without it
    /// the feed stands still.
    pub fn serve_itch(
        &mut self,
        doors: ItchDoors,
        opened: &Opened,
    ) -> io::Result<Box<dyn Listener>> {
        let ItchDoors { receivers, interface, ttl, recovery, glimpse } = doors;
        let markets = self.publisher.directory.read().markets().to_vec();
        let listed = markets.iter().map(|market| &market.instrument);
        let hub = Arc::new(itch::feed::Hub::new(listed));
        let stream = opened.views().orders().stream().clone();
        let orders = glimpse.is_some().then(|| shown_orders(opened.engine(), &stream));
        let (sequence, spool) = (opened.engine().sequence(), opened.spool().reader());
        let beginning = Beginning { stream, sequence, orders, spool };
        let receivers = Receivers::open(receivers, interface, ttl)?;
        let feed = itch::feed::start(Arc::clone(&hub), beginning, receivers)?;
        self.beside.itch = Some(ItchPort { recovery, glimpse, hub: Arc::clone(&hub) });
        Ok(Box::new(ItchListener::new(hub, feed)))
    }

    /// Serves gRPC on these, too.
    #[cfg(feature = "grpc")]
    pub fn serve_grpc(&mut self, listeners: Listeners) {
        self.beside.grpc.listeners = Some(listeners);
    }

    /// Takes orders from Redis, too.
    #[cfg(feature = "redis")]
    pub fn take_orders_from(&mut self, intake: IntakeSettings) {
        self.beside.intake = Some(intake);
    }

    /// The listener for [`Opened::start`], to be passed once. Without it the gateway learns no new
    /// keys and publishes no streams.
    pub fn listener(&self) -> Box<dyn Listener> {
        let operators = Arc::clone(&self.operator_hub);
        let publisher = Arc::clone(&self.publisher);
        #[cfg(feature = "grpc")]
        let grpc = Arc::clone(&self.beside.grpc.hub);
        Box::new(listener::GatewayListener::new(
            publisher,
            operators,
            #[cfg(feature = "grpc")]
            grpc,
        ))
    }

    /// Serves until `shutdown` is ready. Then it answers requests in flight, sends each WebSocket a
    /// last message, and closes it. Connections still open after [`SocketSettings::shutdown_grace`]
    /// are cut.
    pub async fn serve(
        self,
        tcp: TcpListener,
        handle: Handle,
        shutdown: impl Future<Output = ()>,
    ) -> io::Result<()> {
        server::serve(self, tcp, handle, shutdown).await
    }
}
