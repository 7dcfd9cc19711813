//! The backend of a running venue: its handle.

use std::sync::Arc;
use std::time::Duration;

use cli::Failure;
use engine::Engine;
use gateway::Faults;
use projection::{Answer, Behind, History, Question};
use serde_json::Value;
use server::now_ns;
use tokio::time::Instant;
use types::{AccountId, Address, Command, Entry, Envelope, Event, KeyId, Origin, Refused};
use venue::{Handle, Keyring};

use super::backend::{Backend, Request, Trial, Venue};

/// How long a request waits for a read model that is behind.
const BEHIND_MAX: Duration = Duration::from_secs(3);

/// Waits until all listeners have the events applied so far.
async fn settle(handle: &Handle) {
    if let Ok(passed) = handle.read_views(|_, _| ()) {
        // A stopped venue publishes no more events.
        let _gone = passed.await;
    }
}

/// A running venue for one request.
pub(super) struct Online {
    pub(super) handle: Handle,
    pub(super) history: Arc<dyn History>,
    pub(super) faults: Option<Arc<Faults>>,
    pub(super) sender: Sender,
    /// Whether a command was sent.
    pub(super) is_sent: bool,
}

/// The operator that sent a request, as the log records it with each command.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sender {
    pub(super) origin: Origin,
    /// Zero through the admin socket.
    pub(super) key: KeyId,
    pub(super) address: Option<Address>,
}

impl Sender {
    /// An operator on this machine.
    pub(super) const SOCKET: Self = Self { origin: Origin::Admin, key: KeyId(0), address: None };
}

impl Online {
    /// Returns also whether a command was sent, because the log then records the request.
    pub(super) async fn execute(
        mut self,
        request: Request,
        keyring: Keyring,
    ) -> (Result<Value, Failure>, bool) {
        let handle = self.handle.clone();
        let execute = move || {
            let mut venue = Venue { backend: &mut self, keyring: Some(&keyring) };
            let executed = request(&mut venue);
            (executed, self.is_sent)
        };
        let executed = tokio::task::spawn_blocking(execute).await;
        // All readers see the operator's change before the operator has the reply.
        settle(&handle).await;
        executed.unwrap_or_else(|_| (Err(Failure::fault("the request panicked")), true))
    }
}

/// Must be called on a thread that may block.
impl Backend for Online {
    fn apply(&mut self, account: AccountId, command: Command) -> Result<Vec<Event>, Failure> {
        let Sender { origin, key, address } = self.sender;
        let envelope = Envelope { account, key, address, ..Envelope::venue(origin, now_ns()) };
        self.is_sent = true;
        let reply = self.handle.submit(Entry { envelope, command }).map_err(refused)?;
        let reply = reply.blocking_recv().map_err(|_| gone())?.map_err(refused)?;
        Ok(reply.events().copied().collect())
    }

    fn ask_history(&mut self, question: Question) -> Result<Answer, Failure> {
        let last = self.handle.read_views(|_, spool| spool.last_sequence()).map_err(refused)?;
        let last = last.blocking_recv().map_err(|_| gone())?;
        let (history, deadline) = (&*self.history, Instant::now() + BEHIND_MAX);
        tokio::runtime::Handle::current().block_on(async {
            if let Err(behind) = history.wait_until(last, deadline).await {
                let settled = projection::answer_settled(history, question, behind).await;
                return settled.ok().flatten().ok_or_else(|| is_behind(behind));
            }
            history
                .ask(question, last)
                .await
                .map_err(|error| Failure::unavailable(error.to_string()))
        })
    }

    fn ask(&mut self, question: Box<dyn FnOnce(&Engine) + Send>) -> Result<(), Failure> {
        let answer = self.handle.read(question).map_err(refused)?;
        answer.blocking_recv().map_err(|_| gone())
    }

    fn set_log_level(&mut self, level: &str) -> Result<(), Failure> {
        cli::set_log_level(level)?;
        tracing::warn!(level, "an operator has changed the log level");
        Ok(())
    }

    fn trial(&mut self) -> Option<Trial> {
        let faults = self.faults.clone()?;
        Some(Trial { handle: self.handle.clone(), faults })
    }
}

fn is_behind(behind: Behind) -> Failure {
    let age = behind.age_s(now_ns()).map_or(String::new(), |age_s| format!(" by {age_s} s"));
    Failure::unavailable(format!("the read model is behind{age}: {}", behind.cause()))
}

fn refused(refused: Refused) -> Failure {
    Failure::unavailable(refused.to_string())
}

fn gone() -> Failure {
    Failure::unavailable(
        "the venue stopped before it answered: after a restart, check whether it carried out the command",
    )
}
