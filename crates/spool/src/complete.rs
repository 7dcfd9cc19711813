//! The end of the replay: segments that were checked meanwhile are added, and missing ones are
//! rebuilt.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::ops::Range;
use std::sync::Arc;

use types::{AccountId, InstrumentId};

use crate::checked::Checked;
use crate::error::SpoolError;
use crate::frame::{Chain, EventHash};
use crate::framer::Spooled;
use crate::index::{Index, Key};
use crate::rebuild::{Found, History, HistoryListener, Rebuilder};
use crate::retention::{MARK, read_mark};
use crate::segment::{SegmentWriter, index_path, segment_path};
use crate::writer::Spool;

impl Spool {
    /// Looks after what is older than the replay, which has ended with command `last_sequence`:
    /// what is missing of it, or not as it was, is made anew as far as history and retention reach.
    /// What cannot be had now is left to the next start.
    pub fn complete(&mut self, history: &impl History, last_sequence: u64) {
        self.flush();
        self.lose_waiting(); // It is a hole like any other.
        self.framer.spooled = Spooled::default();
        let checked = self.checking.take().map(|thread| thread.join());
        let checked = checked.map(|checked| checked.expect("checking files does not panic"));
        self.add_checked(checked.unwrap_or_default());
        if self.framer.last_sequence > last_sequence {
            tracing::warn!(
                spooled = self.framer.last_sequence,
                logged = last_sequence,
                "the event spool has commands that the log has lost"
            );
            self.framer.is_other_history = true;
        }
        self.framer.is_other_history |= std::mem::take(&mut self.has_strays);
        let mut found =
            Found { is_other_history: self.framer.is_other_history, ..Found::default() };
        if let Some(error) = &self.unread
            && !found.is_other_history
        {
            tracing::warn!(
                %error,
                "not all of the event spool can be read: make room or mend the disk, and start again"
            );
            self.shared.set_lacking(true);
            return;
        }
        // What fills a hole behind the open segment lies in segments that come after it.
        let ends = self.writer.as_ref().map(|writer| writer.summary.last);
        if !found.is_other_history
            && ends.is_some_and(|ends| ends < last_sequence)
            && let Err(error) = self.seal()
        {
            tracing::warn!(
                %error,
                "the newest part of the event spool is full and cannot be closed: make room or mend \
                 the disk, and start again"
            );
            self.shared.set_lacking(true);
            return;
        }
        if !found.is_other_history {
            let holes = self.holes(last_sequence);
            found = self.rebuild(history, holes);
        }
        if found.is_other_history {
            tracing::warn!("the event spool is not of this log: all of it is made anew");
            self.clear(last_sequence);
            let holes = self.holes(last_sequence);
            found = self.rebuild(history, holes);
            let event_hash = found.last.map(|(_, event_hash)| event_hash);
            self.framer.chain = Chain::new(event_hash.unwrap_or_default());
        }
        self.retain();
        self.shared.set_lacking(found.error.is_some() || self.is_doubtful);
        match found.error {
            Some(error) => tracing::warn!(
                %error,
                "not all of the event spool could be made anew; the next start tries again"
            ),
            None => {
                self.lost_from = None;
                self.mark_oldest(self.first_sequence());
            }
        }
    }

    /// For a caller without a log: what is missing stays missing.
    pub fn complete_without_log(&mut self) {
        self.complete(&NoHistory, self.framer.last_sequence);
    }

    /// Takes note of the last numbers of all accounts and instruments: of those that have no event
    /// in here any more, nothing else shows. Numbers that end elsewhere are of another history.
    pub fn know_heads(
        &mut self,
        accounts: impl Iterator<Item = (AccountId, u64)>,
        instruments: impl Iterator<Item = (InstrumentId, u64)>,
    ) {
        self.flush();
        self.check_numbers();
        let shows_all = !self.shared.is_lacking() && !self.is_waiting();
        let accounts = accounts.map(|(account, number)| (Key::account(account), number));
        let instruments = instruments.map(|(id, number)| (Key::instrument(id), number));
        let mut table = self.shared.table();
        let heads = accounts.chain(instruments).collect();
        self.has_strays |= shows_all && !table.ends_with(&heads);
        table.heads = heads;
        drop(table);
        self.is_replaying = false;
    }

    /// Puts what was checked before what came since.
    fn add_checked(&mut self, checked: Checked) {
        for error in &checked.damage {
            tracing::warn!(%error, "a part of the event spool is removed");
        }
        self.unsynced.extend(checked.unsynced);
        self.unread = self.unread.take().or(checked.unread);
        let mut table = self.shared.table();
        let mut sealed = checked.sound;
        sealed.extend(table.sealed.iter());
        let newest = self.writer.as_ref().map(|writer| writer.summary);
        let summaries = sealed.iter().map(|sealed| sealed.summary).chain(newest);
        let summaries: Vec<_> = summaries.collect();
        self.framer.is_other_history |=
            summaries.windows(2).any(|pair| !pair[0].may_precede(&pair[1]));
        table.sealed = Arc::new(sealed);
    }

    /// Which commands there should be and are not.
    fn holes(&self, last_sequence: u64) -> Vec<Range<u64>> {
        let end = last_sequence + 1;
        let possible = end.saturating_sub(self.retention.commands_max()).max(1);
        let marked = read_mark(&self.disk, &self.shared.dir).filter(|marked| *marked <= end);
        let mut next = marked.map_or(possible, |marked| marked.max(possible));
        let table = self.shared.table();
        let open = table.open.as_ref().map(|open| (open.first, open.last));
        let sealed = table.sealed.iter().map(|sealed| (sealed.summary.first, sealed.summary.last));
        let mut holes = Vec::new();
        for (first, last) in sealed.chain(open) {
            holes.push(next..first);
            next = next.max(last + 1);
        }
        holes.push(next..end);
        holes.retain(|hole| !hole.is_empty());
        holes
    }

    fn rebuild(&mut self, history: &impl History, holes: Vec<Range<u64>>) -> Found {
        let Some(first) = holes.first().map(|hole| hole.start) else { return Found::default() };
        let mut rebuilder = Rebuilder::new(self, holes);
        let replayed = history.replay(first, &mut rebuilder);
        let mut found = rebuilder.finish();
        if let Err(error) = replayed {
            found.error.get_or_insert(error.to_string());
        }
        if found.filled > 0 {
            tracing::info!(commands = found.filled, "events were made anew from the log");
        }
        found
    }

    /// The running hash behind commands, where it is known.
    pub(super) fn known_hashes(&self) -> BTreeMap<u64, EventHash> {
        let sealed = Arc::clone(&self.shared.table().sealed);
        let newest = self.writer.as_ref().map(|writer| writer.summary);
        let summaries = sealed.iter().map(|sealed| sealed.summary).chain(newest);
        summaries
            .flat_map(|it| [(it.first - 1, it.previous_hash), (it.last, it.event_hash)])
            .collect()
    }

    /// A segment that was filled in.
    pub(super) fn insert(
        &mut self,
        writer: &SegmentWriter,
        index: &Index,
    ) -> Result<(), SpoolError> {
        let dir = &self.shared.dir;
        let sealed = writer.seal(&self.disk, dir, index)?;
        let first = sealed.summary.first;
        self.unsynced.extend([segment_path(dir, first), index_path(dir, first)]);
        let mut table = self.shared.table();
        let place = table.sealed.partition_point(|sealed| sealed.summary.first < first);
        Arc::make_mut(&mut table.sealed).insert(place, sealed);
        drop(table);
        self.retain();
        Ok(())
    }

    /// Deletes everything.
    fn clear(&mut self, last_sequence: u64) {
        let open = self.writer.take().map(|writer| writer.summary.first);
        let mut table = self.shared.table();
        let sealed = std::mem::take(&mut table.sealed);
        table.open = None;
        table.last_sequence = last_sequence;
        drop(table);
        for first in sealed.iter().map(|sealed| sealed.summary.first).chain(open) {
            self.remove_segment(first);
        }
        self.remove_file(&self.shared.dir.join(MARK));
        self.framer.batch.clear();
        self.framer.last_sequence = last_sequence;
        self.framer.is_other_history = false;
    }
}

struct NoHistory;

impl History for NoHistory {
    type Error = Infallible;

    fn replay(&self, _: u64, _: &mut dyn HistoryListener) -> Result<(), Infallible> {
        Ok(())
    }
}
