//! State shared by the connections of this dialect, and with the publisher's thread.

use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use venue::Handle;

use crate::binance::hub::inbox::HubInbox;
use crate::binance::listen_keys::{ListenKey, ListenKeys};
use crate::binance::user_streams::UserStreams;
use crate::door::directory::{Directory, SharedDirectory};
use crate::door::shared::Door;
use crate::feed::queues::SharedQueues;
use crate::feed::reader_metrics::ReaderMetrics;
use crate::socket::answered::Answered;
use crate::socket::connection::ConnectionPermit;
use crate::socket::readers::ReaderThreads;
use crate::socket::settings::SocketSettings;
use crate::socket::websocket::SocketContext;

/// State that the publisher's thread and the connections share. The listener writes it.
#[derive(Debug)]
pub(crate) struct PublisherState {
    pub(crate) directory: Arc<SharedDirectory>,
    pub(crate) queues: Arc<SharedQueues>,
    pub(crate) hub_inbox: HubInbox,
    pub(crate) readers: Arc<ReaderMetrics>,
    /// Used nearly always by the publisher's thread only, so no thread waits for it.
    user_streams: Mutex<UserStreams>,
    /// Set once the sockets are open.
    pub(crate) engine_access: OnceLock<EngineAccess>,
}

impl PublisherState {
    pub(crate) fn new(directory: Arc<SharedDirectory>, user_streams: UserStreams) -> Self {
        let (hub_inbox, user_streams) = (HubInbox::default(), Mutex::new(user_streams));
        let (queues, readers) = (Arc::default(), Arc::default());
        let engine_access = OnceLock::new();
        Self { directory, queues, hub_inbox, readers, user_streams, engine_access }
    }

    /// The user streams alone. Do not read the directory while holding this guard:
    /// [`PublisherState::user_streams_and_directory`] locks both.
    pub(crate) fn user_streams(&self) -> MutexGuard<'_, UserStreams> {
        self.user_streams.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The user streams and the directory, locked in the only order that cannot deadlock.
    ///
    /// A thread that held the directory while waiting for the user streams would block the
    /// publisher's write to the directory. A waiting write blocks all other readers.
    pub(crate) fn user_streams_and_directory(
        &self,
    ) -> (MutexGuard<'_, UserStreams>, impl Deref<Target = Directory> + '_) {
        (self.user_streams(), self.directory.read())
    }
}

/// Access to the engine for the publisher's thread, which must not wait.
#[derive(Debug)]
pub(crate) struct EngineAccess {
    pub(crate) handle: Handle,
    pub(crate) runtime: tokio::runtime::Handle,
}

/// State shared by all connections.
#[derive(Debug)]
pub(crate) struct BinanceContext {
    pub(crate) door: Arc<Door>,
    pub(crate) settings: SocketSettings,
    pub(crate) listen_keys: ListenKeys,
    pub(crate) publisher: Arc<PublisherState>,
    pub(crate) readers: ReaderThreads,
    /// By the place of an operation in the table.
    pub(crate) answered: Arc<Answered>,
}

impl BinanceContext {
    /// What a WebSocket for requests is opened with.
    pub(crate) fn context(&self, permit: Arc<ConnectionPermit>) -> SocketContext {
        let stopping = self.door.stopping.clone();
        SocketContext { permit, settings: self.settings, stopping, readers: None }
    }

    /// What a WebSocket for streams is opened with.
    pub(crate) fn reader_context(&self, permit: Arc<ConnectionPermit>) -> SocketContext {
        SocketContext { readers: Some(self.readers.handle()), ..self.context(permit) }
    }

    /// The listen key of this name, if its API key is still usable.
    pub(crate) fn listen_key(&self, name: &str) -> Option<(Arc<str>, ListenKey)> {
        let found = self.listen_keys.find(name)?;
        self.door.directory().is_usable(found.1.key).then_some(found)
    }
}
