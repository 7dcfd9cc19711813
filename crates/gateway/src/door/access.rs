//! The access record: every request refused before the log, and the reason. The log holds what the
//! engine refused.
//!
//! The record is JSON lines in a rotated file of its own, apart from the process's log: an operator
//! tracing a stolen key needs all refusals at any log level. No request waits for the disk.
//! Refusals that the queue or the disk cannot take are counted.

use std::borrow::Cow;
use std::fs::{File, OpenOptions, rename};
use std::io::{self, Write};
use std::net::IpAddr;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use axum::http::HeaderValue;
use serde::Serialize;
use venue::api_key_hash;

use crate::clock::now_ns;

const FILE_NAME: &str = "access.jsonl";
const OLDER_NAME: &str = "access.1.jsonl";
/// A file of this size replaces the older one.
const FILE_SIZE_MAX: u64 = 16 << 20;
/// Refusals queued for the disk.
const QUEUE_MAX: usize = 4_096;
/// Characters kept of a path or a reason: a client can make either as long as it likes.
const TEXT_MAX: usize = 256;
/// The method recorded for a message of a WebSocket.
pub(crate) const WS_METHOD: &str = "WS";

/// Writes refusals to a file. Dropping it writes the rest of the queue.
#[derive(Debug)]
pub struct AccessRecord {
    queue: Option<SyncSender<String>>,
    lost: Arc<AtomicU64>,
    thread: Option<JoinHandle<()>>,
}

impl AccessRecord {
    /// Appends to the file in this folder, and creates it if there is none.
    pub fn open(dir: &Path) -> io::Result<Self> {
        Self::with_size(dir, FILE_SIZE_MAX)
    }

    fn with_size(dir: &Path, size_max: u64) -> io::Result<Self> {
        let (queue, lines) = sync_channel(QUEUE_MAX);
        let lost = Arc::new(AtomicU64::new(0));
        let mut file = RotatingFile::open(dir, size_max)?;
        let counted = Arc::clone(&lost);
        let write = move || file.run(&lines, &counted);
        let thread = std::thread::Builder::new().name("access".into()).spawn(write)?;
        Ok(Self { queue: Some(queue), lost, thread: Some(thread) })
    }

    /// Records a refusal: the number of the key it claimed, if there is such a key, and the key's
    /// hash; then status and code.
    pub(crate) fn record(
        &self,
        attempt: &Attempt,
        (key, hash): (Option<u32>, Option<[u8; 16]>),
        (status, code): (u16, i32),
        reason: &str,
    ) {
        let line = RefusalLine {
            time_ms: now_ns() / 1_000_000,
            address: attempt.address,
            key,
            key_hash: hash.map(|hash| hash.iter().map(|byte| format!("{byte:02x}")).collect()),
            method: cut(&attempt.method),
            path: cut(&attempt.path),
            status,
            code,
            reason: cut(reason),
        };
        match serde_json::to_string(&line) {
            Ok(line) => self.enqueue(line + "\n"),
            Err(error) => tracing::error!(%error, "a refusal cannot be encoded"),
        }
    }

    fn enqueue(&self, line: String) {
        let sent = self.queue.as_ref().map(|queue| queue.try_send(line));
        if !matches!(sent, Some(Ok(()))) {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Drop for AccessRecord {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(Err(_)) = self.thread.take().map(JoinHandle::join) {
            tracing::error!("the access record's thread panicked");
        }
    }
}

/// The file being written. The one before it lies beside it.
struct RotatingFile {
    dir: PathBuf,
    file: File,
    size: u64,
    size_max: u64,
    /// The last line may be torn.
    is_torn: bool,
}

impl RotatingFile {
    fn open(dir: &Path, size_max: u64) -> io::Result<Self> {
        let file = open(dir)?;
        let size = file.metadata()?.len();
        // The next write ends a line that a killed process left torn.
        Ok(Self { dir: dir.to_owned(), file, size, size_max, is_torn: size > 0 })
    }

    fn run(&mut self, lines: &Receiver<String>, lost: &AtomicU64) {
        let mut is_failing = false;
        for line in lines {
            let missing = lost.swap(0, Ordering::Relaxed);
            let note = (missing > 0).then(|| format!("{{\"lost\":{missing}}}\n"));
            let written = note.map_or(Ok(()), |note| self.write(&note));
            match written.and_then(|()| self.write(&line)) {
                Ok(()) => is_failing = false,
                Err(error) => {
                    lost.fetch_add(missing + 1, Ordering::Relaxed);
                    if !is_failing {
                        tracing::warn!(%error, "the access record cannot be written; refusals are counted until it can");
                    }
                    is_failing = true;
                }
            }
        }
    }

    fn write(&mut self, line: &str) -> io::Result<()> {
        if self.size >= self.size_max {
            rename(self.dir.join(FILE_NAME), self.dir.join(OLDER_NAME))?;
            (self.file, self.size, self.is_torn) = (open(&self.dir)?, 0, false);
        }
        if self.is_torn {
            self.file.write_all(b"\n")?;
        }
        self.is_torn = true;
        self.file.write_all(line.as_bytes())?;
        self.is_torn = false;
        self.size += line.len() as u64;
        Ok(())
    }
}

fn open(dir: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).append(true).mode(0o600).open(dir.join(FILE_NAME))
}

/// What the record needs of a request, kept until the request is answered or refused.
pub(crate) struct Attempt {
    pub(crate) address: Option<IpAddr>,
    pub(crate) key: Option<ClaimedKey>,
    pub(crate) method: Cow<'static, str>,
    pub(crate) path: Cow<'static, str>,
}

/// The key that a request claims, as it was sent: only a refused request is hashed.
pub(crate) enum ClaimedKey {
    Header(HeaderValue),
    Text(String),
    Hash([u8; 16]),
}

impl ClaimedKey {
    fn hash(&self) -> Option<[u8; 16]> {
        match self {
            Self::Header(api_key) => api_key.to_str().ok().map(api_key_hash),
            Self::Text(api_key) => Some(api_key_hash(api_key)),
            Self::Hash(hash) => Some(*hash),
        }
    }
}

impl Attempt {
    pub(crate) fn key_hash(&self) -> Option<[u8; 16]> {
        self.key.as_ref().and_then(ClaimedKey::hash)
    }
}

/// One line of the record. Of a key it has what the log has, and nothing that can sign.
#[derive(Serialize)]
struct RefusalLine<'a> {
    time_ms: u64,
    address: Option<IpAddr>,
    /// `None` if there is no such key.
    key: Option<u32>,
    key_hash: Option<String>,
    method: &'a str,
    path: &'a str,
    status: u16,
    code: i32,
    reason: &'a str,
}

fn cut(text: &str) -> &str {
    let end = text.char_indices().nth(TEXT_MAX).map_or(text.len(), |(end, _)| end);
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(dir: &Path, name: &str) -> Vec<String> {
        let text = std::fs::read_to_string(dir.join(name)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn lines_stay_in_two_files_of_a_bounded_size() {
        let dir = tempfile::tempdir().unwrap();
        let record = AccessRecord::with_size(dir.path(), 100).unwrap();
        for n in 0..100 {
            record.enqueue(format!("{{\"n\":{n},\"padding\":\"................\"}}\n"));
        }
        drop(record);
        let (older, newer) = (read(dir.path(), OLDER_NAME), read(dir.path(), FILE_NAME));
        assert!(newer.last().is_some_and(|line| line.starts_with("{\"n\":99,")), "{newer:?}");
        assert!(older.len() + newer.len() <= 8, "{older:?} {newer:?}");
    }

    #[test]
    fn a_line_that_was_cut_short_ends_where_the_next_begins() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(FILE_NAME), "{\"n\":").unwrap();
        AccessRecord::open(dir.path()).unwrap().enqueue("{\"n\":1}\n".into());
        assert_eq!(read(dir.path(), FILE_NAME), ["{\"n\":", "{\"n\":1}"]);
    }

    #[test]
    fn a_disk_that_takes_nothing_costs_lines_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let full = File::options().write(true).open("/dev/full").unwrap();
        let (queue, lines) = sync_channel(QUEUE_MAX);
        let lost = AtomicU64::new(0);
        queue.send("{\"n\":1}\n".into()).unwrap();
        queue.send("{\"n\":2}\n".into()).unwrap();
        drop(queue);
        let mut file = RotatingFile::open(dir.path(), 100).unwrap();
        let room = std::mem::replace(&mut file.file, full);
        file.run(&lines, &lost);
        assert_eq!(lost.load(Ordering::Relaxed), 2);

        // The disk has room again.
        file.file = room;
        let (queue, lines) = sync_channel(1);
        queue.send("{\"n\":3}\n".into()).unwrap();
        drop(queue);
        file.run(&lines, &lost);
        assert_eq!(read(dir.path(), FILE_NAME), ["", "{\"lost\":2}", "{\"n\":3}"]);
    }
}
