//! Whatever lies in its files, a spool opens or says why not, and its pages have no hole.
//!
//! Behind a zero, the input is bytes to put into two whole segments and an index (place, byte,
//! place, byte); behind a one, contents of frames, each behind its length, that get their right
//! hashes; behind anything else, a segment's own bytes.

#![no_main]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use spool::{Applied, Retention, Spool, SpoolError};
use twox_hash::XxHash3_128;
use types::{AccountId, Event, InstrumentDelisted, InstrumentId, SessionClosed, SessionId};

const RETENTION: Retention = Retention { max_bytes: 32 << 10, max_age_ns: None };
const COMMANDS: u64 = 12;
const PAGE: usize = 7;

fuzz_target!(|bytes: &[u8]| {
    let Some((kind, rest)) = bytes.split_first() else { return };
    let dir = Scratch::new();
    match kind {
        0 => patched(&dir.0, rest),
        1 => fs::write(segment(&dir.0), hashed(rest)).expect("there is room"),
        _ => fs::write(segment(&dir.0), rest).expect("there is room"),
    }
    let Ok(mut spool) = Spool::open(&dir.0, RETENTION, 0, [0; 16]) else { return };
    spool.complete_without_log();
    read_all(&spool);
});

/// A folder of its own, on a disk in memory if there is one.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Self {
        let memory = Path::new("/dev/shm");
        let parent = if memory.is_dir() { memory.into() } else { std::env::temp_dir() };
        let dir = parent.join(format!("buttonwood-fuzz-{}", std::process::id()));
        fs::create_dir_all(&dir).expect("there is room");
        Self(dir)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn segment(dir: &Path) -> PathBuf {
    dir.join(format!("{:020}.spool", 1))
}

/// Files that are whole, but for some bytes.
fn patched(dir: &Path, patches: &[u8]) {
    static WHOLE: OnceLock<Vec<(PathBuf, Vec<u8>)>> = OnceLock::new();
    let whole = WHOLE.get_or_init(whole_files);
    for (place, (name, bytes)) in whole.iter().enumerate() {
        let mut bytes = bytes.clone();
        for patch in
            patches.chunks_exact(4).filter(|patch| usize::from(patch[0]) % whole.len() == place)
        {
            let at = usize::from(u16::from_le_bytes([patch[1], patch[2]]));
            let len = bytes.len();
            bytes[at % len] = patch[3];
        }
        fs::write(dir.join(name), bytes).expect("there is room");
    }
}

fn whole_files() -> Vec<(PathBuf, Vec<u8>)> {
    let dir =
        Scratch(std::env::temp_dir().join(format!("buttonwood-whole-{}", std::process::id())));
    let mut spool = Spool::open(&dir.0, RETENTION, 0, [0; 16]).expect("an empty folder");
    for sequence in 1..=COMMANDS {
        let (account, session) = (AccountId(1), SessionId(sequence));
        let closed = SessionClosed { account_seq: sequence, account, session };
        let instrument = InstrumentId(0);
        let delisted = InstrumentDelisted { instrument_seq: sequence, instrument };
        let events = vec![Event::SessionClosed(closed), Event::InstrumentDelisted(delisted)];
        spool.append([&Applied {
            sequence,
            sequenced_ns: sequence,
            account,
            continues: false,
            operated: None,
            events,
        }]);
        spool.flush();
    }
    spool.complete_without_log();
    drop(spool);
    let mut files: Vec<_> = fs::read_dir(&dir.0)
        .expect("it was made")
        .map(|file| {
            let path = file.expect("it was made").path();
            let bytes = fs::read(&path).expect("it was written");
            (PathBuf::from(path.file_name().expect("a file has a name")), bytes)
        })
        .collect();
    files.sort();
    assert!(files.len() >= 4, "two segments, an index, the mark");
    files
}

/// A segment of frames that are whole, whatever they say.
fn hashed(mut contents: &[u8]) -> Vec<u8> {
    let mut bytes = b"BWSPOOL1".to_vec();
    bytes.extend(1_u64.to_le_bytes());
    let mut hash = [0; 16];
    bytes.extend(hash);
    while let Some((size, rest)) = contents.split_first() {
        let (content, rest) = rest.split_at(usize::from(*size).min(rest.len()));
        let size = (content.len() as u32 + 16).to_le_bytes();
        let frame = [&hash[..], &size, content].concat();
        hash = XxHash3_128::oneshot(&frame).to_le_bytes();
        bytes.extend(&frame[16..]);
        bytes.extend(hash);
        contents = rest;
    }
    bytes
}

fn read_all(spool: &Spool) {
    let reader = spool.reader();
    follow(1, |from| {
        let page = reader.read_from(from, PAGE)?;
        Ok(page.iter().map(|applied| applied.sequence).collect())
    });
    for id in 0..3 {
        follow(1, |from| {
            let page = reader.read_account(AccountId(id), from, PAGE)?;
            Ok(page.iter().map(|event| event.number).collect())
        });
        follow(1, |from| {
            let page = reader.read_instrument(InstrumentId(id), from, PAGE)?;
            Ok(page.iter().map(|event| event.number).collect())
        });
    }
}

/// Turns pages to the end: each goes on where it should, or says where it does.
fn follow(mut next: u64, read: impl Fn(u64) -> Result<Vec<u64>, SpoolError>) {
    loop {
        match read(next) {
            Ok(page) if page.is_empty() => return,
            Ok(page) => {
                for number in page {
                    assert_eq!(number, next);
                    next += 1;
                }
            }
            Err(SpoolError::Gone { first }) => {
                assert!(first > next);
                next = first;
            }
            Err(error) => panic!("it was checked: {error}"),
        }
    }
}
