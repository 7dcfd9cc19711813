//! Where readers that follow the spool are. It keeps what comes after them for longer than for
//! others: from the log they would have to make it anew.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};

/// The place of one reader, which counts until it is dropped.
#[derive(Debug)]
pub struct Bookmark(Arc<AtomicU64>);

impl Bookmark {
    /// The reader has the events of commands up to this one.
    pub fn set(&self, sequence: u64) {
        self.0.store(sequence, Ordering::Relaxed);
    }
}

/// Those of all readers.
#[derive(Debug, Default)]
pub(super) struct Bookmarks(Mutex<Vec<Weak<AtomicU64>>>);

impl Bookmarks {
    /// Of a reader that has nothing yet.
    pub(super) fn begin(&self) -> Bookmark {
        let place = Arc::new(AtomicU64::new(0));
        self.0.lock().expect("no holder of the list panics").push(Arc::downgrade(&place));
        Bookmark(place)
    }

    /// The last command that all readers have; `None` where none follows.
    pub(super) fn lowest(&self) -> Option<u64> {
        let mut places = self.0.lock().expect("no holder of the list panics");
        places.retain(|place| place.strong_count() > 0);
        let places = places.iter().filter_map(Weak::upgrade);
        places.map(|place| place.load(Ordering::Relaxed)).min()
    }
}
