//! What the connections of this dialect share with each other and with the publisher's thread.

use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use venue::Handle;

use crate::binance::hub::inbox::Inbox;
use crate::binance::listen_keys::{ListenKey, ListenKeys};
use crate::binance::users::Users;
use crate::door::directory::{Directory, SharedDirectory};
use crate::door::shared::Door;
use crate::socket::connection::Place;
use crate::socket::settings::SocketSettings;
use crate::socket::websocket::Ground;

/// What the publisher's thread and the connections share. The listener writes it.
#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) directory: Arc<SharedDirectory>,
    pub(crate) hub_inbox: Inbox,
    /// Nearly always used on the publisher's thread only, so no thread waits for it.
    users: Mutex<Users>,
    /// There once the sockets are open.
    pub(crate) reach: OnceLock<Reach>,
}

impl Known {
    pub(crate) fn new(directory: Arc<SharedDirectory>, users: Users) -> Self {
        let (hub_inbox, users) = (Inbox::default(), Mutex::new(users));
        Self { directory, hub_inbox, users, reach: OnceLock::new() }
    }

    /// The directory must not be read while this guard is held: [`Known::users_and_directory`] takes
    /// both.
    pub(crate) fn users(&self) -> MutexGuard<'_, Users> {
        self.users.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The user streams and the directory, locked in the one order that is free of deadlock. A
    /// thread that read the directory while it waited for the user streams would block the
    /// publisher's write to the directory, and that write blocks all other readers.
    pub(crate) fn users_and_directory(
        &self,
    ) -> (MutexGuard<'_, Users>, impl Deref<Target = Directory> + '_) {
        (self.users(), self.directory.read())
    }
}

/// What the publisher's thread, which must not wait, needs to query the engine.
#[derive(Debug)]
pub(crate) struct Reach {
    pub(crate) handle: Handle,
    pub(crate) runtime: tokio::runtime::Handle,
}

/// What all connections share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) door: Arc<Door>,
    pub(crate) settings: SocketSettings,
    pub(crate) listen_keys: ListenKeys,
    pub(crate) known: Arc<Known>,
}

impl Shared {
    /// What a WebSocket of this place is opened on.
    pub(crate) fn ground(&self, place: Place) -> Ground {
        Ground { place, settings: self.settings, stopping: self.door.stopping.clone() }
    }

    /// What a listen key opens: nothing once the key that began it is of no use any more.
    pub(crate) fn listen_key(&self, name: &str) -> Option<(Arc<str>, ListenKey)> {
        let found = self.listen_keys.find(name)?;
        self.door.directory().is_usable(found.1.key).then_some(found)
    }
}
