//! Entries of the stream as commands, submitted in their order.

use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use protocol::intake::{Action, Fault, FaultCode, MESSAGE_MAX, Request, StreamId};
use tokio::time::sleep;
use types::{
    AccountId, ClOrdId, Command, Envelope, KeyId, Market, Origin, RefuseOrder, Refused, RetryKey,
    SessionId,
};

use crate::clock::now_ns;
use crate::door::generate::generate;
use crate::door::shared::Door;
use crate::door::submit::{CommandOutcome, SubmitError};

use super::account::Accounts;
use super::entry::StreamEntry;

/// The venue's session whose numbers are ids of stream entries. Sessions of connections have random
/// ids.
pub(super) const INTAKE_SESSION: SessionId = SessionId(u64::from_be_bytes(*b"bwintake"));
/// How long to wait while the venue's inbox is full.
const FULL_WAIT: Duration = Duration::from_millis(1);
/// Before the action and the id of a message. No other dialect's key may have such bytes.
const RETRY_KEY_OF: &[u8] = b"\0intake\0";

pub(super) type Outcome = Result<CommandOutcome, SubmitError>;

/// An entry that was taken, whose command is under way.
pub(super) struct Taken {
    pub(super) stream_id: StreamId,
    pub(super) id: Option<ClOrdId>,
    pub(super) account: Option<AccountId>,
    pub(super) action: Option<Action>,
    /// As it was read, for a dead letter.
    pub(super) message: Vec<u8>,
    pub(super) asked: Asked,
    /// `None` if the entry has no number, and so no command.
    pub(super) outcome: Option<Submitted>,
}

pub(super) enum Asked {
    Command {
        command: Command,
        market: Option<Market>,
    },
    /// The intake refuses it.
    Refused(Fault),
}

pub(super) enum Submitted {
    Done(Outcome),
    UnderWay(Pin<Box<dyn Future<Output = Outcome> + Send>>),
}

pub(super) struct Desk {
    door: Arc<Door>,
    accounts: Accounts,
}

impl Desk {
    pub(super) fn new(door: Arc<Door>, accounts: Accounts) -> Self {
        Self { door, accounts }
    }

    /// Submits the commands of entries as one batch.
    pub(super) async fn take(&mut self, entries: Vec<StreamEntry>) -> Vec<Taken> {
        let mut batch = Vec::with_capacity(entries.len());
        for entry in entries {
            let mut taken = self.read(entry);
            if let Some(number) = taken.stream_id.number() {
                let (envelope, command) = self.to_submit(&taken, number);
                taken.outcome = Some(self.submit(envelope, command).await);
            }
            batch.push(taken);
        }
        self.door.handle.run_inbox();
        batch
    }

    fn read(&mut self, entry: StreamEntry) -> Taken {
        let StreamEntry { id: stream_id, message } = entry;
        let (id, account, action) = (None, None, None);
        let asked = Asked::Refused(no_message());
        let mut message = message.unwrap_or_default();
        let mut taken =
            Taken { stream_id, id, account, action, message: Vec::new(), asked, outcome: None };
        taken.asked = match self.understand(&message, &mut taken) {
            Ok((command, market)) => Asked::Command { command, market },
            Err(fault) => Asked::Refused(fault),
        };
        // A dead letter has the beginning of what is too long.
        message.truncate(MESSAGE_MAX);
        Taken { message, ..taken }
    }

    fn understand(
        &mut self,
        message: &[u8],
        taken: &mut Taken,
    ) -> Result<(Command, Option<Market>), Fault> {
        if message.is_empty() {
            return Err(no_message());
        }
        let request = Request::parse(message)?;
        (taken.id, taken.action) = (request.id, Some(request.action));
        let directory = self.door.directory();
        taken.account = Some(self.accounts.find(&directory, request.account.as_ref())?);
        let market = request.symbol().map(|symbol| directory.market(symbol));
        drop(directory);
        if let Some(None) = market {
            return Err(Fault::new(FaultCode::UnknownSymbol, "there is no such symbol"));
        }
        let market = market.flatten();
        let command = request.command(market.as_ref(), generate)?;
        if taken.stream_id.number().is_none() {
            let sentence = "the id of the stream's entry is too large for a number";
            return Err(Fault::new(FaultCode::StreamIdTooLarge, sentence));
        }
        Ok((command, market))
    }

    /// What is refused uses its number, too.
    fn to_submit(&self, taken: &Taken, number: u64) -> (Envelope, Command) {
        let envelope = Envelope {
            account: AccountId::VENUE,
            key: KeyId(0),
            session: INTAKE_SESSION,
            client_seq: number,
            origin: Origin::Redis,
            received_ns: now_ns(),
            retry_key: None,
            address: None,
        };
        match &taken.asked {
            Asked::Command { command, .. } => {
                let account = taken.account.expect("a message becomes a command for an account");
                let retry_key =
                    taken.id.zip(taken.action).map(|(id, action)| retry_key(action, id));
                (Envelope { account, retry_key, ..envelope }, command.clone())
            }
            Asked::Refused(fault) => {
                let cl_ord_id = taken.id.unwrap_or_else(generate);
                (envelope, Command::RefuseOrder(RefuseOrder { cl_ord_id, code: fault.code as u16 }))
            }
        }
    }

    /// Submits a command after all before it. While the venue has no room, it waits.
    async fn submit(&self, envelope: Envelope, command: Command) -> Submitted {
        loop {
            let (door, command) = (Arc::clone(&self.door), command.clone());
            let mut outcome: Pin<Box<dyn Future<Output = Outcome> + Send>> =
                Box::pin(async move { door.submit(envelope, command, true).await });
            match self.door.poll_first(outcome.as_mut()).await {
                Poll::Pending => return Submitted::UnderWay(outcome),
                Poll::Ready(Err(SubmitError::Refused(Refused::Overloaded))) => {
                    self.door.handle.run_inbox();
                    sleep(FULL_WAIT).await;
                }
                Poll::Ready(outcome) => return Submitted::Done(outcome),
            }
        }
    }
}

fn no_message() -> Fault {
    Fault::new(FaultCode::MessageMissing, "the entry has no field `data` with a message")
}

/// A message that is pushed twice has two stream ids, and one id of its own.
fn retry_key(action: Action, id: ClOrdId) -> RetryKey {
    venue::retry_key(&[RETRY_KEY_OF, action.word().as_bytes(), b" ", id.as_bytes()].concat())
}
