//! Faults of a test ([`crate::door::faults`]), as this dialect's clients meet them.

use std::time::Duration;

use protocol::binance::reject::{Request, api_error};
use protocol::signed::ApiError;
use tokio::time::sleep;
use types::{Command, RejectReason};

use crate::binance::call::{KeyedCall, Refusal};
use crate::door::faults::Fault;

/// A client that is refused for its weight may come again after this time.
const RETRY_AFTER_S: u64 = 1;

impl KeyedCall {
    /// The fault that meets this request; a session's own commands meet none.
    pub(super) fn fault(&self, command: &Command) -> Option<Fault> {
        let is_of_session = matches!(command, Command::OpenSession(_));
        let faults = self.shared.door.faults.as_ref().filter(|_| !is_of_session)?;
        faults.take(self.signer.account)
    }

    /// What a fault does in place of the command.
    pub(super) async fn meet_before(&self, fault: Fault, command: &Command) -> Result<(), Refusal> {
        let error = match fault {
            Fault::DropAck | Fault::Delay(_) | Fault::Unknown => return Ok(()),
            Fault::Disconnect => {
                if let Some(connection) = &self.connection {
                    connection.cut();
                }
                return self.stay_unanswered().await;
            }
            Fault::InternalError => ApiError::new(500, -1000, "A test asked for this error."),
            Fault::RateLimit => {
                let limit = self.shared.door.limits.weight_per_minute;
                ApiError::too_much_weight(limit, "1 MINUTE", RETRY_AFTER_S)
            }
            Fault::Overload => ApiError::overloaded(),
            Fault::Reject => rejected(RejectReason::InsufficientBalance, command),
            Fault::Halt => rejected(RejectReason::VenueHalted, command),
        };
        Err(error.into())
    }

    /// What a fault does with the answer of a command that was carried out.
    pub(super) async fn meet_after(&self, fault: Fault) -> Result<(), Refusal> {
        match fault {
            Fault::DropAck => self.stay_unanswered().await,
            Fault::Delay(time) => {
                self.wait(time).await;
                Ok(())
            }
            Fault::Unknown => Err(Refusal::by_engine(ApiError::timeout())),
            _ => Ok(()),
        }
    }

    /// The answer does not come while the venue runs.
    async fn stay_unanswered(&self) -> Result<(), Refusal> {
        self.wait(Duration::MAX).await;
        Err(Refusal::by_engine(ApiError::disconnected()))
    }

    /// Waits, but not longer than the venue runs.
    async fn wait(&self, time: Duration) {
        let mut stopping = self.shared.door.stopping.clone();
        tokio::select! {
            () = sleep(time) => {}
            // An error means that the gateway has gone.
            _ = stopping.wait_for(|stopping| *stopping) => {}
        }
    }
}

fn rejected(reason: RejectReason, command: &Command) -> ApiError {
    let request = match command {
        Command::CancelOrder(_) | Command::CancelOrderList(_) | Command::CancelAll(_) => {
            Request::Cancel
        }
        Command::AmendOrder(_) => Request::Amend,
        _ => Request::NewOrder,
    };
    api_error(reason, request)
}
