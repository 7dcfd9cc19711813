//! The backlog of an account or an instrument, from the event spool: events from before a
//! subscription.

use spool::{NumberedEvent, SpoolError, SpoolReader};
use tokio::sync::mpsc;
use types::AccountId;

/// Events read from the spool at once.
pub(crate) const PAGE: usize = 500;

/// Reads numbered events, page by page.
#[derive(Clone, Debug)]
pub(crate) struct Backlog {
    pub(crate) spool: SpoolReader,
    pub(crate) of: EventsOf,
}

/// The owner of the numbers.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum EventsOf {
    Account(AccountId),
    #[cfg(feature = "grpc")]
    Instrument(types::InstrumentId),
}

/// Why a backlog was not sent completely.
#[derive(Debug)]
pub(crate) enum BacklogError {
    /// The client has disconnected.
    Gone,
    Unreadable(SpoolError),
}

impl Backlog {
    pub(crate) async fn page(&self, from_seq: u64) -> Result<Vec<NumberedEvent>, SpoolError> {
        let Self { spool, of } = self.clone();
        let read = tokio::task::spawn_blocking(move || match of {
            EventsOf::Account(account) => spool.read_account(account, from_seq, PAGE),
            #[cfg(feature = "grpc")]
            EventsOf::Instrument(instrument) => spool.read_instrument(instrument, from_seq, PAGE),
        });
        read.await.expect("reading the spool does not panic")
    }

    /// Sends all events from this page on, encoded by `encode`. Returns the number of the next
    /// event.
    pub(crate) async fn send<M>(
        &self,
        mut page: Vec<NumberedEvent>,
        mut next_seq: u64,
        queue: &mpsc::Sender<M>,
        mut encode: impl FnMut(&[NumberedEvent]) -> Vec<M>,
    ) -> Result<u64, BacklogError> {
        while let Some(last) = page.last() {
            next_seq = last.number + 1;
            for message in encode(&page) {
                // The backlog waits for a slow reader; live events never do.
                queue.send(message).await.map_err(|_| BacklogError::Gone)?;
            }
            page = self.page(next_seq).await.map_err(BacklogError::Unreadable)?;
        }
        Ok(next_seq)
    }
}
