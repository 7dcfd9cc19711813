//! The access record: what was refused before the log, and why. What the engine refused
//! is in the log.
//!
//! It is lines of JSON in a file of its own, bounded by being rotated, and not part of the
//! process's log: an operator that traces a stolen key needs all refusals and nothing else,
//! whatever the log level is. No request waits for it: refusals that come faster than they can be
//! written are counted instead, and so are those that a full disk does not take.

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
/// When a file is that large, it takes the place of the older one.
const FILE_SIZE_MAX: u64 = 16 << 20;
/// Refusals that may wait for the disk.
const QUEUE_MAX: usize = 4_096;
/// Characters of a path or a sentence, both of which a client may have made up.
const TEXT_MAX: usize = 256;
/// In place of a method, of what came as a message and not as a request.
pub(crate) const WS_METHOD: &str = "WS";

/// Takes refusals to a file. What waits is written when it is dropped.
#[derive(Debug)]
pub struct AccessRecord {
    queue: Option<SyncSender<String>>,
    lost: Arc<AtomicU64>,
    thread: Option<JoinHandle<()>>,
}

impl AccessRecord {
    /// Goes on with the file in this folder, or begins it.
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

    /// The key that was named: its number, if there is such a key, and its hash. Then the status
    /// and the code of the refusal.
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
            Err(error) => tracing::error!(%error, "a refusal cannot be put into words"),
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

/// The file, and the one before it.
struct RotatingFile {
    dir: PathBuf,
    file: File,
    size: u64,
    size_max: u64,
    /// The last line may have been cut short.
    is_torn: bool,
}

impl RotatingFile {
    fn open(dir: &Path, size_max: u64) -> io::Result<Self> {
        let file = open(dir)?;
        let size = file.metadata()?.len();
        // Whatever a process that was killed left of its last line ends there.
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
                        tracing::warn!(%error, "the access record cannot be written for now");
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

/// A request as the record names it, kept until it is known whether it is refused.
pub(crate) struct Attempt {
    pub(crate) address: Option<IpAddr>,
    pub(crate) key: Option<ClaimedKey>,
    pub(crate) method: Cow<'static, str>,
    pub(crate) path: Cow<'static, str>,
}

/// The key of a request, as it is at hand: it is hashed once the request is refused.
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

/// A line of the record. It says of a key what the log says of it, and nothing that signs.
#[derive(Serialize)]
struct RefusalLine<'a> {
    time_ms: u64,
    address: Option<IpAddr>,
    /// The key's number, if there is such a key.
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

        // There is room again.
        file.file = room;
        let (queue, lines) = sync_channel(1);
        queue.send("{\"n\":3}\n".into()).unwrap();
        drop(queue);
        file.run(&lines, &lost);
        assert_eq!(read(dir.path(), FILE_NAME), ["", "{\"lost\":2}", "{\"n\":3}"]);
    }
}
