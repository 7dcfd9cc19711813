//! A segment that is being read, a part of it in memory.

use std::io;

use disk::{Access, DiskFile};

use crate::applied::Applied;
use crate::batch::each_number;
use crate::error::SpoolError;
use crate::frame::{Frame, HASH_SIZE};
use crate::index::Key;
use crate::reader::{NumberedEvent, Shared};
use crate::segment::segment_path;

/// How much is read of a file at a time.
pub(super) const READ_SIZE: usize = 16 << 10;
/// The same for commands that lie one behind the other.
pub(super) const LONG_READ_SIZE: usize = 128 << 10;

/// A segment that is being read, and a part of it in memory.
#[derive(Debug)]
pub(super) struct SegmentFile {
    file: DiskFile,
    read_size: usize,
    window: Vec<u8>,
    window_start: u64,
}

impl SegmentFile {
    pub(super) fn open(shared: &Shared, first: u64, read_size: usize) -> Result<Self, SpoolError> {
        let file = shared.disk.open(&segment_path(&shared.dir, first), Access::Read)?;
        Ok(Self { file, read_size, window: Vec::new(), window_start: 0 })
    }

    fn applied(&mut self, offset: u32) -> Result<Applied, SpoolError> {
        let mut applied = Applied::default();
        self.read_applied(offset, &mut applied)?;
        Ok(applied)
    }

    pub(super) fn read_applied(
        &mut self,
        offset: u32,
        applied: &mut Applied,
    ) -> Result<(), SpoolError> {
        let read = self.frame(offset)?.read_applied(applied);
        read.ok_or_else(|| self.damaged(offset, "its events cannot be read"))
    }

    /// The events of a key in one frame, from number `from` on, and up to `max` of them.
    pub(super) fn events_of(
        &mut self,
        offset: u32,
        key: Key,
        from: u64,
        max: usize,
    ) -> Result<Vec<NumberedEvent>, SpoolError> {
        let Applied { sequence, sequenced_ns, events, .. } = self.applied(offset)?;
        let mut found = Vec::new();
        for event in events {
            each_number(&event, |of, number| {
                let is_next = of == key && number == from + found.len() as u64;
                if is_next && found.len() < max {
                    found.push(NumberedEvent { number, sequence, sequenced_ns, event });
                }
            });
        }
        let is_there = !found.is_empty();
        is_there.then_some(found).ok_or_else(|| {
            self.damaged(offset, "the index says that an event is here, and it is not")
        })
    }

    fn frame(&mut self, offset: u32) -> Result<Frame<'_>, SpoolError> {
        let start = u64::from(offset)
            .checked_sub(HASH_SIZE as u64)
            .ok_or_else(|| self.damaged(offset, "no frame can be there"))?;
        if Frame::needed(self.held(start)).is_none() {
            self.load(start, self.read_size)?;
        }
        let needed = Frame::needed(self.held(start)).unwrap_or(usize::MAX);
        if self.held(start).len() < needed {
            self.load(start, needed.max(self.read_size))?;
        }
        let frame = Frame::read(self.held(start));
        frame.ok_or_else(|| self.damaged(offset, "a frame is not sound"))
    }

    /// What is in memory from this place on.
    fn held(&self, start: u64) -> &[u8] {
        let skip = start.checked_sub(self.window_start).and_then(|skip| usize::try_from(skip).ok());
        skip.and_then(|skip| self.window.get(skip..)).unwrap_or_default()
    }

    /// Reads up to `size` bytes into memory; fewer at the end of the file.
    fn load(&mut self, start: u64, size: usize) -> Result<(), SpoolError> {
        let file_size = self.file.size()?;
        let size = file_size.saturating_sub(start).min(size as u64);
        self.window.resize(usize::try_from(size).unwrap_or_default(), 0);
        self.window_start = start;
        match self.file.read_exact_at(&mut self.window, start) {
            // Cut off meanwhile: then it does not hold what the index says.
            Err(error) if error.source.kind() == io::ErrorKind::UnexpectedEof => {
                self.window.clear();
                Ok(())
            }
            result => Ok(result?),
        }
    }

    fn damaged(&self, offset: u32, damage: &'static str) -> SpoolError {
        SpoolError::damaged(&self.file.path, offset.into(), damage)
    }
}
