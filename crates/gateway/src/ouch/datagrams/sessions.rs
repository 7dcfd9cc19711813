//! The sessions by the numbers in their datagrams, and the openings of the last seconds.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use protocol::udp::Nonce;
use tokio::sync::{Notify, mpsc};

use crate::ouch::datagrams::metrics::Dropped;

/// Datagrams that wait for the task of their session: as many as a client has on their way, and
/// again as many.
const WAITING_MAX: usize = 256;
/// How long an opening is remembered: its cookie is good for a shorter time.
const REMEMBERED_US: u64 = 20_000_000;
const OPENINGS_MAX: usize = 10_000;

/// A datagram and the address that it came from.
pub(super) type Received = (Vec<u8>, SocketAddr);

#[derive(Debug)]
pub(super) struct Sessions {
    state: Mutex<State>,
    sessions_max: usize,
    /// The last session has ended.
    ended: Notify,
}

#[derive(Debug, Default)]
struct State {
    sessions: HashMap<u64, mpsc::Sender<Received>>,
    openings: HashMap<Nonce, Opening>,
}

#[derive(Debug)]
struct Opening {
    at_us: u64,
    /// `None` while it is under way.
    answer: Option<Vec<u8>>,
}

/// What is known of an opening.
#[derive(Debug)]
pub(super) enum Nonced {
    New,
    UnderWay,
    Answered(Vec<u8>),
    /// There are too many sessions, or openings.
    Full,
}

impl Sessions {
    pub(super) fn new(sessions_max: usize) -> Self {
        Self { state: Mutex::default(), sessions_max, ended: Notify::new() }
    }

    /// Hands a datagram to its session.
    pub(super) fn hand_on(
        &self,
        connection: Option<u64>,
        bytes: &[u8],
        from: SocketAddr,
    ) -> Result<(), Dropped> {
        let connection = connection.ok_or(Dropped::Malformed)?;
        let state = self.lock();
        let session = state.sessions.get(&connection).ok_or(Dropped::NoSession)?;
        session.try_send((bytes.to_vec(), from)).map_err(|_| Dropped::Behind)
    }

    /// Looks an opening up, and remembers it if it is new.
    pub(super) fn nonced(&self, nonce: &Nonce, now_us: u64) -> Nonced {
        let mut state = self.lock();
        state.openings.retain(|_, opening| now_us < opening.at_us + REMEMBERED_US);
        if let Some(opening) = state.openings.get(nonce) {
            return opening.answer.clone().map_or(Nonced::UnderWay, Nonced::Answered);
        }
        if state.openings.len() == OPENINGS_MAX || state.sessions.len() >= self.sessions_max {
            return Nonced::Full;
        }
        state.openings.insert(*nonce, Opening { at_us: now_us, answer: None });
        Nonced::New
    }

    /// The answer to an opening, for the case that it gets lost.
    pub(super) fn answered(&self, nonce: &Nonce, answer: Vec<u8>) {
        if let Some(opening) = self.lock().openings.get_mut(nonce) {
            opening.answer = Some(answer);
        }
    }

    pub(super) fn add(&self, connection: u64) -> mpsc::Receiver<Received> {
        let (sender, received) = mpsc::channel(WAITING_MAX);
        self.lock().sessions.insert(connection, sender);
        received
    }

    pub(super) fn remove(&self, connection: u64) {
        let mut state = self.lock();
        state.sessions.remove(&connection);
        if state.sessions.is_empty() {
            self.ended.notify_waiters();
        }
    }

    /// Ready once there is no session.
    pub(super) async fn all_ended(&self) {
        loop {
            let ended = self.ended.notified();
            if self.lock().sessions.is_empty() {
                return;
            }
            ended.await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
