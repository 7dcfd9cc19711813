//! The log of one machine without its thread.

use std::collections::VecDeque;
use std::path::Path;

use disk::Disk;

use crate::batch::{Batch, Committed};
use crate::contract::{Log, Room};
use crate::error::{LogError, OpenError};
use crate::file::recovery::Recovered;
use crate::file::writer::{Place, Writer};
use crate::frame::{self, PAYLOAD_SIZE_MAX};
use crate::options::Options;

/// Writes nothing by itself: what is appended is committed by [`FileLog::step`].
#[derive(Debug)]
pub struct FileLog {
    writer: Writer,
    appended: VecDeque<Batch>,
    committed: VecDeque<Committed>,
    in_flight_max: usize,
    trim_before: u64,
    failure: Option<LogError>,
}

impl FileLog {
    pub fn open(disk: Disk, dir: &Path, options: &Options) -> Result<(Self, Recovered), OpenError> {
        let (writer, recovered) = Writer::open(disk, dir, options)?;
        let log = Self {
            writer,
            appended: VecDeque::new(),
            committed: VecDeque::new(),
            in_flight_max: options.in_flight_max.max(1),
            trim_before: 0,
            failure: None,
        };
        Ok((log, recovered))
    }

    /// Commits what has been appended, as far as there is room for it.
    pub fn step(&mut self) {
        if self.failure.is_none() {
            self.failure = self.commit().err();
        }
    }

    /// Fills one slice of zeros in ahead, as the thread does when nothing is to be committed.
    pub fn fill_ahead(&mut self) {
        if self.failure.is_none() && !self.writer.is_filled() {
            self.failure = self.writer.fill_ahead().err();
        }
    }

    fn commit(&mut self) -> Result<(), LogError> {
        while let Some(batch) = self.appended.front() {
            match self.writer.make_room(frame::size(batch.payload.len())) {
                Ok(Place::Found) => {
                    let batch = self.appended.pop_front().expect("it is the first");
                    self.writer.place(batch);
                }
                Ok(Place::AfterCommit) => self.committed.extend(self.writer.commit()?),
                Ok(Place::AfterReturn) => unreachable!("no caller has it"),
                Err(LogError::DiskFull(_)) => break,
                Err(error) => return Err(error),
            }
        }
        self.committed.extend(self.writer.commit()?);
        self.writer.trim(self.trim_before)
    }
}

impl Log for FileLog {
    fn append(&mut self, batch: Batch) -> Result<(), LogError> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        let size = batch.payload.len();
        if size > PAYLOAD_SIZE_MAX {
            return Err(LogError::TooLarge { size, max: PAYLOAD_SIZE_MAX });
        }
        if !self.ready() {
            let in_flight = self.appended.len() + self.committed.len();
            return Err(LogError::Busy { in_flight });
        }
        self.appended.push_back(batch);
        Ok(())
    }

    fn poll(&mut self) -> Result<Option<Committed>, LogError> {
        match (self.committed.pop_front(), &self.failure) {
            (None, Some(failure)) => Err(failure.clone()),
            (committed, _) => Ok(committed),
        }
    }

    fn ready(&self) -> bool {
        self.appended.len() + self.committed.len() < self.in_flight_max
    }

    fn room(&self) -> Room {
        let waiting = self.appended.iter().map(|batch| frame::size(batch.payload.len()) as u64);
        match self.writer.room() {
            Room::Enough => Room::Enough,
            Room::Left(bytes) => Room::Left(bytes.saturating_sub(waiting.sum())),
        }
    }

    fn trim(&mut self, before_batch: u64) -> Result<(), LogError> {
        self.trim_before = self.trim_before.max(before_batch);
        Ok(())
    }
}
