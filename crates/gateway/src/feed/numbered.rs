//! The feed of numbered events, of accounts or of instruments: their readers, in any dialect, and
//! the events held back for readers whose backlog is still being sent.
//!
//! The publisher's thread uses it. The dialect encodes the events.
//!
//! # Invariants
//! - A reader gets every numbered event of its owner from the number it asked for, once and in
//!   order, or is cut.

use std::collections::HashMap;
use std::hash::Hash;

use types::{AccountId, KeyId};

use crate::feed::outlet::Outlet;

/// A subscriber.
pub(crate) trait FeedReader {
    /// An event as the dialect queues it.
    type Message: std::fmt::Debug;

    /// The stream's name in metrics.
    const STREAM: &'static str;

    fn outlet(&self) -> &Outlet<Self::Message>;
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct ReaderId(u64);

/// The readers of each owner of events.
#[derive(Debug)]
pub(crate) struct NumberedFeed<K, R: FeedReader> {
    readers: HashMap<K, Vec<Registration<R>>>,
    last_reader: u64,
}

pub(crate) type AccountFeed<R> = NumberedFeed<AccountId, R>;

/// A reader, and the messages held back for it.
#[derive(Debug)]
pub(crate) struct Registration<R: FeedReader> {
    id: ReaderId,
    pub(crate) key: KeyId,
    pub(crate) reader: R,
    /// Messages published while the backlog is being sent, each with the number of its event.
    held: Option<Vec<(Option<u64>, R::Message)>>,
}

impl<K, R: FeedReader> Default for NumberedFeed<K, R> {
    fn default() -> Self {
        Self { readers: HashMap::new(), last_reader: 0 }
    }
}

impl<K: Copy + Eq + Hash, R: FeedReader> NumberedFeed<K, R> {
    /// Subscribes a reader to the owner's events. With `holds`, messages are held back until
    /// [`NumberedFeed::release`]: the caller sends the backlog first.
    pub(crate) fn subscribe(&mut self, owner: K, key: KeyId, reader: R, holds: bool) -> ReaderId {
        self.last_reader += 1;
        let id = ReaderId(self.last_reader);
        let held = holds.then(Vec::new);
        self.readers.entry(owner).or_default().push(Registration { id, key, reader, held });
        id
    }

    /// Sends the messages held back: the backlog with all events below `next_seq` has been sent.
    pub(crate) fn release(&mut self, owner: K, id: ReaderId, next_seq: u64) {
        let Some(readers) = self.readers.get_mut(&owner) else { return };
        let Some(registration) = readers.iter_mut().find(|registration| registration.id == id)
        else {
            return;
        };
        let held = registration.held.take().unwrap_or_default();
        for (_, message) in held.into_iter().filter(|(seq, _)| seq.is_none_or(|s| s >= next_seq)) {
            if !registration.reader.outlet().push(R::STREAM, message) {
                break;
            }
        }
    }

    pub(crate) fn unsubscribe(&mut self, owner: K, id: ReaderId) {
        self.each(owner, |registration| registration.id != id);
    }

    pub(crate) fn has_readers(&self, owner: K) -> bool {
        self.readers.contains_key(&owner)
    }

    pub(crate) fn reader_count(&self) -> usize {
        self.readers.values().map(Vec::len).sum()
    }

    /// The owners that have readers.
    pub(crate) fn owners(&self) -> Vec<K> {
        self.readers.keys().copied().collect()
    }

    /// Visits the readers of an owner, and drops those for which `stays` is false.
    pub(crate) fn each(&mut self, owner: K, stays: impl FnMut(&mut Registration<R>) -> bool) {
        let Some(readers) = self.readers.get_mut(&owner) else { return };
        readers.retain_mut(stays);
        if readers.is_empty() {
            self.readers.remove(&owner);
        }
    }
}

impl<R: FeedReader> Registration<R> {
    /// `false` when the connection is gone, or is now being cut. Only a message of an event has a
    /// number.
    pub(crate) fn push(&mut self, seq: Option<u64>, message: R::Message) -> bool {
        let outlet = self.reader.outlet();
        match &mut self.held {
            None => outlet.push(R::STREAM, message),
            Some(held) if held.len() < outlet.queue_max() => {
                held.push((seq, message));
                true
            }
            Some(_) => {
                outlet.cut_for(R::STREAM);
                false
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::sync::mpsc;

    use super::*;

    const ACCOUNT: AccountId = AccountId(7);

    impl FeedReader for Outlet<u64> {
        type Message = u64;

        const STREAM: &'static str = "test";

        fn outlet(&self) -> &Self {
            self
        }
    }

    fn reader() -> (Outlet<u64>, mpsc::Receiver<u64>) {
        Outlet::new(4, Arc::default())
    }

    #[test]
    fn events_since_the_subscription_are_released_after_the_backlog() {
        let mut feed = AccountFeed::default();
        let (outlet, mut messages) = reader();
        let id = feed.subscribe(ACCOUNT, KeyId(1), outlet, true);
        for seq in 1..=3 {
            feed.each(ACCOUNT, |registration| registration.push(Some(seq), seq));
        }
        assert!(messages.try_recv().is_err(), "the backlog comes first");
        feed.release(ACCOUNT, id, 3);
        assert_eq!(messages.try_recv(), Ok(3));
        feed.each(ACCOUNT, |registration| registration.push(Some(4), 4));
        assert_eq!(messages.try_recv(), Ok(4));
    }

    #[test]
    fn releasing_a_reader_that_has_gone_leaves_no_account_behind() {
        let mut feed = AccountFeed::default();
        let (outlet, _messages) = reader();
        let id = feed.subscribe(ACCOUNT, KeyId(1), outlet, true);
        feed.unsubscribe(ACCOUNT, id);
        feed.release(ACCOUNT, id, 1);
        assert!(!feed.has_readers(ACCOUNT));
        assert_eq!(feed.owners(), []);
    }
}
