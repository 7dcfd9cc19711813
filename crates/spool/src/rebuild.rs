//! Rebuild of missing segments from the log.
//!
//! The owner of the log replays the history, from a state before the first hole on. The events of a
//! hole become a segment. The running hash is compared at each segment, so that a segment of
//! another history is found.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Display;
use std::ops::Range;

use crate::applied::Applied;
use crate::batch::Batch;
use crate::error::SpoolError;
use crate::frame::{Chain, EventHash};
use crate::index::Index;
use crate::segment::{SegmentWriter, add_to_index};
use crate::writer::Spool;

/// Where events can be had from again.
pub trait History {
    type Error: Display;

    /// Replays what was applied after the newest state that there is before command `wanted`, or
    /// else behind the oldest, until the listener needs no more.
    fn replay(&self, wanted: u64, listener: &mut dyn HistoryListener) -> Result<(), Self::Error>;
}

/// The receiver of a replay. Each call returns whether it needs more.
pub trait HistoryListener {
    /// It begins after this command, up to which this is the running hash.
    fn begin(&mut self, sequence: u64, event_hash: EventHash) -> bool;

    fn applied(&mut self, applied: &Applied) -> bool;
}

/// Fills holes with the events of a replay.
pub(super) struct Rebuilder<'a> {
    spool: &'a mut Spool,
    holes: VecDeque<Range<u64>>,
    /// The running hash behind commands where the spool knows it.
    known: BTreeMap<u64, EventHash>,
    chain: Chain,
    batch: Batch,
    writer: Option<(SegmentWriter, Index)>,
    /// Where nothing is kept of a frame.
    passed: Vec<u8>,
    pub(super) found: Found,
}

/// How it went.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The spool has another history.
    pub(super) is_other_history: bool,
    /// Of the commands that were filled in.
    pub(super) filled: u64,
    /// Why not all could be read or written.
    pub(super) error: Option<String>,
    /// Where it ended, if it began.
    pub(super) last: Option<(u64, EventHash)>,
}

impl<'a> Rebuilder<'a> {
    pub(super) fn new(spool: &'a mut Spool, holes: Vec<Range<u64>>) -> Self {
        let known = spool.known_hashes();
        Self {
            spool,
            holes: holes.into(),
            known,
            chain: Chain::new(EventHash::default()),
            batch: Batch::default(),
            writer: None,
            passed: Vec::new(),
            found: Found::default(),
        }
    }

    /// Ends where the history does.
    pub(super) fn finish(mut self) -> Found {
        self.finish_segment();
        self.found
    }

    /// Whether the history is that of the spool up to here; if so, whether it needs more.
    fn go_on(&mut self, sequence: u64) -> bool {
        let event_hash = self.chain.hash();
        self.found.last = Some((sequence, event_hash));
        if self.known.get(&sequence).is_some_and(|known| *known != event_hash) {
            self.found.is_other_history = true;
            return false;
        }
        while self.holes.front().is_some_and(|hole| hole.end <= sequence + 1) {
            self.holes.pop_front();
            self.finish_segment();
        }
        !self.holes.is_empty()
    }

    fn keep(&mut self, applied: &Applied) {
        self.batch.push(applied, &mut self.chain);
        if self.batch.bytes.len() >= self.spool.retention.batch_size() {
            self.write();
        }
    }

    fn write(&mut self) {
        if !self.batch.is_empty()
            && self.found.error.is_none()
            && let Err(error) = self.try_write()
        {
            // The hole stays one. The events after it are read nevertheless, for the hash.
            self.writer = None;
            self.found.error = Some(error.to_string());
        }
        self.batch.clear();
    }

    fn try_write(&mut self) -> Result<(), SpoolError> {
        let Self { spool, batch, writer, .. } = self;
        if let Some((open, index)) = writer
            && spool.is_full(open, index, batch)
        {
            spool.insert(open, index)?;
            *writer = None;
        }
        let (open, index) = match writer {
            Some(writer) => writer,
            None => {
                let open = SegmentWriter::begin(&spool.disk, &spool.shared.dir, batch)?;
                writer.insert((open, Index::default()))
            }
        };
        let start = open.summary.size;
        open.write(&spool.disk, batch)?;
        add_to_index(index, batch, start);
        self.found.filled += batch.frames.len() as u64;
        Ok(())
    }

    fn finish_segment(&mut self) {
        self.write();
        if let Some((open, index)) = self.writer.take()
            && let Err(error) = self.spool.insert(&open, &index)
        {
            self.found.error = Some(error.to_string());
        }
    }
}

impl HistoryListener for Rebuilder<'_> {
    fn begin(&mut self, sequence: u64, event_hash: EventHash) -> bool {
        self.chain = Chain::new(event_hash);
        self.go_on(sequence)
    }

    fn applied(&mut self, applied: &Applied) -> bool {
        let is_wanted = self.holes.front().is_some_and(|hole| hole.contains(&applied.sequence));
        if is_wanted {
            self.keep(applied);
        } else {
            self.passed.clear();
            self.chain.extend(applied, &mut self.passed);
        }
        self.go_on(applied.sequence)
    }
}
