//! Sessions of the venue that a connection opens for its orders.

use protocol::signed::ApiError;
use types::{Command, Event, OpenSession, RejectReason, SessionId};

use crate::binance::call::SignedCall;
use crate::binance::refusal::Refusal;
use crate::door::sessions::random_session;

/// Opens a session whose orders are canceled when it is closed.
pub(crate) async fn open_session(call: &mut SignedCall) -> Result<SessionId, Refusal> {
    let session = random_session();
    call.session = session;
    let open = OpenSession { cancel_on_disconnect: true };
    let outcome = call.submit(Command::OpenSession(open)).await?;
    match outcome.events.first() {
        Some(Event::SessionOpened(_)) => Ok(session),
        Some(Event::CommandRejected(rejected)) => Err(Refusal::ByEngine(match rejected.reason {
            RejectReason::TooManySessions => ApiError::overloaded(),
            _ => ApiError::api_key_rejected(),
        })),
        _ => Err(Refusal::ByEngine(ApiError::unknown())),
    }
}
