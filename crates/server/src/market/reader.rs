//! A thread that reads a recording ahead.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use replay::market::{Event, Instrument, Options, Recording, Stream};
use tokio::sync::mpsc;

use crate::error::ServeError;
use crate::settings::market::{Market as Settings, MarketSource, Place};

/// Batches of events that wait, at most.
const AHEAD: usize = 4;

#[derive(Debug)]
pub(crate) struct Reader {
    batches: mpsc::Receiver<Result<Vec<Event>, ServeError>>,
    seen: Arc<Mutex<Seen>>,
    /// How many of the instruments the caller has.
    given: usize,
}

/// What the thread has found so far.
#[derive(Debug, Default)]
struct Seen {
    instruments: Vec<Instrument>,
    skipped: u64,
}

impl Reader {
    /// Opens the files: what is wrong with their first bytes is an error here.
    pub(super) fn open(settings: &Settings) -> Result<Self, ServeError> {
        let files: Vec<_> = settings.files.iter().filter_map(recording).collect();
        let options = Options { lenient: settings.lenient, ..Options::default() };
        let stream = Stream::open(&files, &options).map_err(unreadable)?;
        let seen = Arc::<Mutex<Seen>>::default();
        let (sender, batches) = mpsc::channel(AHEAD);
        note(&stream, &seen);
        let of_thread = Arc::clone(&seen);
        thread::Builder::new()
            .name("recorded".to_owned())
            .spawn(move || read(stream, &sender, &of_thread))
            .map_err(|error| ServeError::new(format!("cannot start a thread: {error}")))?;
        Ok(Self { batches, seen, given: 0 })
    }

    /// The next events; `None` at the end.
    pub(super) async fn next(&mut self) -> Result<Option<Vec<Event>>, ServeError> {
        let batch = self.batches.recv().await;
        let batch =
            batch.ok_or_else(|| ServeError::new("the thread that reads it has failed"))??;
        Ok((!batch.is_empty()).then_some(batch))
    }

    /// The instruments that were named since the last call.
    pub(super) fn named(&mut self) -> Vec<Instrument> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let named = seen.instruments[self.given..].to_vec();
        self.given = seen.instruments.len();
        named
    }

    /// Rows that were wrong and left out.
    pub(super) fn skipped(&self) -> u64 {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).skipped
    }
}

fn recording(source: &MarketSource) -> Option<Recording> {
    let Place::File(path) = &source.place else { return None };
    Some(Recording { path: path.clone(), name: source.name.clone() })
}

/// Reads until the end, an error, or the end of the receiver. The batch at the end is empty: a
/// channel that closes without it means that this thread has failed.
fn read(
    mut stream: Stream,
    batches: &mpsc::Sender<Result<Vec<Event>, ServeError>>,
    seen: &Mutex<Seen>,
) {
    loop {
        let batch = match stream.next_batch() {
            Ok(events) => Ok(events.to_vec()),
            Err(error) => Err(unreadable(error)),
        };
        note(&stream, seen);
        let ends = batch.as_ref().map_or(true, Vec::is_empty);
        if batches.blocking_send(batch).is_err() || ends {
            return;
        }
    }
}

fn note(stream: &Stream, seen: &Mutex<Seen>) {
    let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
    let known = seen.instruments.len();
    seen.instruments.extend_from_slice(&stream.instruments()[known..]);
    seen.skipped = stream.skipped();
}

fn unreadable(error: impl std::fmt::Display) -> ServeError {
    ServeError::new(format!("the recorded market: {error}"))
}
