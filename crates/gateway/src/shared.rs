use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, RwLockReadGuard};

use projection::History;
use tokio::sync::watch;
use types::Market;
use venue::Handle;

use crate::access::AccessRecord;
use crate::admission::Admission;
use crate::directory::Directory;
use crate::hub::Hub;
use crate::limits::Limits;
use crate::listen_keys::{ListenKey, ListenKeys};
use crate::operator::OperatorApi;
use crate::settings::Settings;
use crate::socket::connection::Place;
use crate::socket::websocket::Ground;
use crate::user_data::Reach;
use crate::users::Users;

/// What the gateway knows of the venue. The listener writes it, everybody reads it.
#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) directory: RwLock<Directory>,
    /// Touched on the publisher's thread only, so nobody ever waits for it.
    pub(crate) hub: Mutex<Hub>,
    /// Nearly so.
    pub(crate) users: Mutex<Users>,
    /// There once the sockets are open.
    pub(crate) reach: OnceLock<Reach>,
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
    pub(crate) settings: Settings,
    pub(crate) limits: Limits,
    pub(crate) admission: Admission,
    pub(crate) listen_keys: ListenKeys,
    pub(crate) known: Arc<Known>,
    pub(crate) handle: Handle,
    pub(crate) history: Option<History>,
    pub(crate) operators: Option<Arc<dyn OperatorApi>>,
    pub(crate) access: Option<AccessRecord>,
    /// True once the gateway is on its way down.
    pub(crate) stopping: watch::Receiver<bool>,
}

impl Shared {
    /// What a WebSocket of this place is opened on.
    pub(crate) fn ground(&self, place: Place) -> Ground {
        Ground { place, settings: self.settings, stopping: self.stopping.clone() }
    }

    /// What a listen key opens: nothing once the key that began it is of no use any more.
    pub(crate) fn listen_key(&self, name: &str) -> Option<(Arc<str>, ListenKey)> {
        let found = self.listen_keys.find(name)?;
        self.known.directory().is_usable(found.1.key).then_some(found)
    }
}
