//! The access record: every request refused before the log, and the reason. The log holds what the
//! engine refused.
//!
//! The record is JSON lines in rotated files of its own, apart from the process's log: an operator
//! tracing a stolen key needs all refusals at any log level. Refusals of keys and signatures have a
//! file for themselves, which no flood of other refusals overwrites. No request waits for the disk.
//! Refusals that the queue or a disk cannot take are counted.

mod file;
mod repeats;

use std::borrow::Cow;
use std::io;
use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use axum::http::HeaderValue;
use serde::Serialize;
use smallvec::SmallVec;
use venue::api_key_hash;

use crate::clock::now_ns;
use crate::door::access::file::RotatingFile;
use crate::door::access::repeats::Repeats;

const FILE_NAME: &str = "access";
const KEYS_FILE_NAME: &str = "access-keys";
/// A file of this size replaces the older one.
const FILE_SIZE_MAX: u64 = 16 << 20;
/// Refusals queued for the disk.
const QUEUE_MAX: usize = 4_096;
/// How often counts of repeated lines are looked through.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Characters kept of a path or a reason: a client can make either as long as it likes.
const TEXT_MAX: usize = 256;
/// Codes of refused signatures and of keys that cannot be one. Refused keys have the status 401.
const SIGNATURE_CODES: [i32; 2] = [-1022, -2014];
/// The method recorded for a message of a WebSocket.
pub(crate) const WS_METHOD: &str = "WS";

/// Whether a refusal is of a key or a signature.
pub(crate) fn is_of_keys(status: u16, code: i32) -> bool {
    status == 401 || SIGNATURE_CODES.contains(&code)
}

/// Writes refusals to files. Dropping it writes the rest of the queue.
#[derive(Debug)]
pub struct AccessRecord {
    queue: Option<SyncSender<Line>>,
    lost: Arc<AtomicU64>,
    lost_in_all: Arc<AtomicU64>,
    thread: Option<JoinHandle<()>>,
}

/// A line of the record. Equal ones have equal texts.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
struct Line {
    is_of_keys: bool,
    /// The fields behind the time: JSON without the brace that opens it.
    text: String,
}

impl AccessRecord {
    /// Appends to the files in this folder, and creates them if there are none.
    pub fn open(dir: &Path) -> io::Result<Self> {
        let (queue, lines) = sync_channel(QUEUE_MAX);
        let (lost, lost_in_all) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
        let file = |name| RotatingFile::open(dir, name, FILE_SIZE_MAX);
        let mut files = Files {
            all: file(FILE_NAME)?,
            of_keys: file(KEYS_FILE_NAME)?,
            is_failing: false,
            lost_in_all: Arc::clone(&lost_in_all),
        };
        let counted = Arc::clone(&lost);
        let write = move || files.run(&lines, &counted);
        let thread = std::thread::Builder::new().name("access".into()).spawn(write)?;
        Ok(Self { queue: Some(queue), lost, lost_in_all, thread: Some(thread) })
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
        let refusal = Refusal {
            address: attempt.address,
            key,
            key_hash: hash.map(|hash| hash.iter().map(|byte| format!("{byte:02x}")).collect()),
            method: cut(&attempt.method),
            path: cut(&attempt.path),
            status,
            code,
            reason: cut(reason),
        };
        let is_of_keys = is_of_keys(status, code);
        match serde_json::to_string(&refusal) {
            Ok(text) => self.enqueue(Line { is_of_keys, text: text[1..].to_owned() }),
            Err(error) => tracing::error!(%error, "a refusal cannot be encoded"),
        }
    }

    /// Refusals that were lost since the start.
    pub(crate) fn lost_count(&self) -> u64 {
        self.lost_in_all.load(Ordering::Relaxed)
    }

    fn enqueue(&self, line: Line) {
        let sent = self.queue.as_ref().map(|queue| queue.try_send(line));
        if !matches!(sent, Some(Ok(()))) {
            self.lost.fetch_add(1, Ordering::Relaxed);
            self.lost_in_all.fetch_add(1, Ordering::Relaxed);
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

/// The files of the record, on the thread that writes them.
struct Files {
    all: RotatingFile,
    of_keys: RotatingFile,
    is_failing: bool,
    lost_in_all: Arc<AtomicU64>,
}

impl Files {
    fn run(&mut self, lines: &Receiver<Line>, lost: &AtomicU64) {
        let mut repeats = Repeats::default();
        loop {
            let received = lines.recv_timeout(LOOK_EVERY);
            let (now, now_ms) = (Instant::now(), now_ns() / 1_000_000);
            let has_ended = matches!(received, Err(RecvTimeoutError::Disconnected));
            let ended = if has_ended { repeats.take_all() } else { repeats.take_ended(now) };
            for repeated in ended {
                self.write(&repeated.line, &repeated.head(), repeated.count, lost);
            }
            match received {
                Ok(line) if repeats.is_new(&line, now, now_ms) => {
                    self.write(&line, &format!("{{\"time_ms\":{now_ms},"), 1, lost);
                }
                Ok(_) | Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    /// Writes a line that stands for this number of refusals.
    fn write(&mut self, line: &Line, head: &str, refusals: u64, lost: &AtomicU64) {
        let file = if line.is_of_keys { &mut self.of_keys } else { &mut self.all };
        let missing = lost.swap(0, Ordering::Relaxed);
        let note = (missing > 0).then(|| format!("{{\"lost\":{missing}}}\n"));
        let written = note.map_or(Ok(()), |note| file.write(&note));
        match written.and_then(|()| file.write(&format!("{head}{}\n", line.text))) {
            Ok(()) => self.is_failing = false,
            Err(error) => {
                lost.fetch_add(missing + refusals, Ordering::Relaxed);
                self.lost_in_all.fetch_add(refusals, Ordering::Relaxed);
                if !self.is_failing {
                    tracing::warn!(%error, "the access record cannot be written; refusals are counted until it can");
                }
                self.is_failing = true;
            }
        }
    }
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
    /// With room for a key of the usual length.
    Text(SmallVec<[u8; 64]>),
    Hash([u8; 16]),
}

impl ClaimedKey {
    pub(crate) fn text(api_key: &str) -> Self {
        Self::Text(SmallVec::from_slice(api_key.as_bytes()))
    }

    fn hash(&self) -> Option<[u8; 16]> {
        match self {
            Self::Header(api_key) => api_key.to_str().ok().map(api_key_hash),
            Self::Text(api_key) => str::from_utf8(api_key).ok().map(api_key_hash),
            Self::Hash(hash) => Some(*hash),
        }
    }
}

impl Attempt {
    pub(crate) fn key_hash(&self) -> Option<[u8; 16]> {
        self.key.as_ref().and_then(ClaimedKey::hash)
    }
}

/// The fields of a line behind its time. Of a key it has what the log has, and nothing that can
/// sign.
#[derive(Serialize)]
struct Refusal<'a> {
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
    use std::fs::File;

    use super::*;

    fn line(text: &str) -> Line {
        Line { is_of_keys: false, text: text.to_owned() }
    }

    fn read(dir: &Path, name: &str) -> Vec<String> {
        let text = std::fs::read_to_string(dir.join(name)).unwrap_or_default();
        let cut = |line: &str| match line.split_once(',') {
            Some((time, rest)) if time.starts_with("{\"time_ms\":") => rest.to_owned(),
            _ => line.to_owned(),
        };
        text.lines().map(cut).collect()
    }

    #[test]
    fn refusals_of_keys_have_a_file_for_themselves() {
        let dir = tempfile::tempdir().unwrap();
        let record = AccessRecord::open(dir.path()).unwrap();
        let attempt = Attempt { address: None, key: None, method: "GET".into(), path: "/".into() };
        for (status, code) in [(404, -5000), (401, -2015), (400, -1022), (401, -2014), (400, -1100)]
        {
            record.record(&attempt, (None, None), (status, code), "so");
        }
        drop(record);
        let codes = |name: &str| -> Vec<i64> {
            let text = std::fs::read_to_string(dir.path().join(name)).unwrap();
            let code = |line: &str| {
                serde_json::from_str::<serde_json::Value>(line).unwrap()["code"].as_i64()
            };
            text.lines().filter_map(code).collect()
        };
        assert_eq!(codes("access.jsonl"), [-5000, -1100]);
        assert_eq!(codes("access-keys.jsonl"), [-2015, -1022, -2014]);
    }

    #[test]
    fn a_line_that_comes_again_is_counted() {
        let dir = tempfile::tempdir().unwrap();
        let record = AccessRecord::open(dir.path()).unwrap();
        for _ in 0..1_000 {
            record.enqueue(line("\"n\":1}"));
        }
        record.enqueue(line("\"n\":2}"));
        drop(record);
        let lines = read(dir.path(), "access.jsonl");
        assert_eq!(lines, ["\"n\":1}", "\"n\":2}", "\"repeated\":999,\"n\":1}"]);
    }

    #[test]
    fn a_disk_that_takes_nothing_costs_lines_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let full = File::options().write(true).open("/dev/full").unwrap();
        let (queue, lines) = sync_channel(QUEUE_MAX);
        let lost = AtomicU64::new(0);
        for text in ["\"n\":1}", "\"n\":2}", "\"n\":2}"] {
            queue.send(line(text)).unwrap();
        }
        drop(queue);
        let file = |name| RotatingFile::open(dir.path(), name, 100).unwrap();
        let mut files = Files {
            all: file(FILE_NAME),
            of_keys: file(KEYS_FILE_NAME),
            is_failing: false,
            lost_in_all: Arc::default(),
        };
        let room = files.all.replace(full);
        files.run(&lines, &lost);
        assert_eq!(lost.load(Ordering::Relaxed), 3);

        // The disk has room again.
        files.all.replace(room);
        let (queue, lines) = sync_channel(1);
        queue.send(line("\"n\":3}")).unwrap();
        drop(queue);
        files.run(&lines, &lost);
        assert_eq!(read(dir.path(), "access.jsonl"), ["", "{\"lost\":3}", "\"n\":3}"]);
    }
}
