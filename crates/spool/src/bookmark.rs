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

#[cfg(test)]
mod tests {
    use std::fs;

    use crate::tests::{SECOND_NS, SMALL, Story, check, files, start, write};
    use crate::{Retention, SpoolError};

    #[test]
    fn a_reader_that_follows_finds_its_events_while_it_is_behind() {
        let dir = tempfile::tempdir().unwrap();
        let story = Story::of(1_200);
        let retention = Retention { max_age_ns: Some(100 * SECOND_NS), ..SMALL };
        let mut spool = start(dir.path(), retention, &Story::of(0), 0);
        let (reader, bookmark) = (spool.reader(), spool.reader().bookmark());
        write(&mut spool, &story.applied[..600]);
        assert_eq!(spool.first_sequence(), 1, "it has read nothing");
        check(&spool, &Story::of(600), 1);

        bookmark.set(400);
        write(&mut spool, &story.applied[600..800]);
        let next = reader.read_from(401, 10).unwrap();
        assert_eq!(next, story.applied[400..410]);
        let gone = reader.read_from(300, 10).unwrap_err();
        assert!(matches!(gone, SpoolError::Gone { first: 301..=401 }), "{gone}");

        drop(bookmark);
        write(&mut spool, &story.applied[800..]);
        assert!(
            spool.first_sequence() > 1_050,
            "the usual limits hold: {}",
            spool.first_sequence()
        );
    }

    #[test]
    fn a_reader_that_is_too_far_behind_loses_what_is_oldest() {
        let dir = tempfile::tempdir().unwrap();
        let story = Story::of(12_000);
        let mut spool = start(dir.path(), SMALL, &Story::of(0), 0);
        let bookmark = spool.reader().bookmark();
        write(&mut spool, &story.applied);
        let first = spool.first_sequence();
        let size: u64 =
            files(dir.path()).iter().map(|file| fs::metadata(file).unwrap().len()).sum();
        assert!(first > 1 && size <= 8 * SMALL.max_bytes, "{first} is the first of {size} bytes");
        assert!(size > 7 * SMALL.max_bytes, "{size} bytes are kept");
        drop(bookmark);
    }
}
