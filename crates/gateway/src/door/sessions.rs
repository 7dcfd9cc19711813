//! Sessions of the venue: the orders of a connection that are canceled when it ends.

use std::time::Duration;

use engine::Engine;
use tokio::time::sleep;
use types::{AccountId, CloseSession, Command, Entry, Envelope, Origin, Refused, SessionId};
use venue::Handle;

use crate::clock::now_ns;

/// How long to wait when the venue has no room for another command.
const CLOSE_RETRY: Duration = Duration::from_millis(10);

/// A random id for a new session.
pub(crate) fn random_session() -> SessionId {
    let mut random = [0; 8];
    getrandom::fill(&mut random).expect("the operating system gives random bytes");
    // Zero means no session.
    SessionId(u64::from_le_bytes(random).max(1))
}

/// Closes the session of a connection that has ended. If the venue stops first, the next start
/// closes it.
pub(crate) fn close(handle: Handle, session: SessionId) {
    tokio::spawn(async move {
        loop {
            let envelope = Envelope::venue(Origin::Venue, now_ns());
            let command = Command::CloseSession(CloseSession { session });
            match handle.submit(Entry { envelope, command }) {
                Err(Refused::Overloaded) => sleep(CLOSE_RETRY).await,
                Err(error) => {
                    break tracing::warn!(%error, %session, "a session could not be closed");
                }
                Ok(closed) => break drop(closed.await),
            }
        }
    });
}

/// Closes the sessions of an earlier run: when the venue opens, no client is connected. The venue's
/// own session, that of the intake, never closes.
pub(crate) async fn close_left_over(handle: &Handle) {
    let left_over = |engine: &Engine| {
        let of_clients = engine.sessions().filter(|(_, account)| *account != AccountId::VENUE);
        of_clients.map(|(id, _)| id).collect::<Vec<_>>()
    };
    let Ok(query) = handle.read(left_over) else { return };
    for session in query.await.unwrap_or_default() {
        close(handle.clone(), session);
    }
}
