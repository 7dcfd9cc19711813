//! What happened to an account before a reader came, from the event spool.

use spool::{NumberedEvent, SpoolError, SpoolReader};
use tokio::sync::mpsc;
use types::AccountId;

/// Events that are read from the spool at once.
const PAGE: usize = 500;

/// The events of an account, a page after the other.
#[derive(Clone, Debug)]
pub(crate) struct AccountBacklog {
    pub(crate) spool: SpoolReader,
    pub(crate) account: AccountId,
}

/// Why a backlog was not sent to its end.
#[derive(Debug)]
pub(crate) enum BacklogError {
    /// The client has gone away.
    Gone,
    Unreadable(SpoolError),
}

impl AccountBacklog {
    pub(crate) async fn page(&self, from_seq: u64) -> Result<Vec<NumberedEvent>, SpoolError> {
        let Self { spool, account } = self.clone();
        let read = tokio::task::spawn_blocking(move || spool.read_account(account, from_seq, PAGE));
        read.await.expect("reading the spool does not panic")
    }

    /// Sends all that there is, as `encode` words it, from this page on. Gives the number of the
    /// event that comes next.
    pub(crate) async fn send<M>(
        &self,
        mut page: Vec<NumberedEvent>,
        mut next_seq: u64,
        queue: &mpsc::Sender<M>,
        encode: impl Fn(&[NumberedEvent]) -> Vec<M>,
    ) -> Result<u64, BacklogError> {
        while let Some(last) = page.last() {
            next_seq = last.number + 1;
            for message in encode(&page) {
                // Here the past waits for its reader, and not the other way round.
                queue.send(message).await.map_err(|_| BacklogError::Gone)?;
            }
            page = self.page(next_seq).await.map_err(BacklogError::Unreadable)?;
        }
        Ok(next_seq)
    }
}
