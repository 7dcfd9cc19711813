//! All that is wrong with a log, for tools: opening one stops at the first.

use std::path::Path;

use disk::{Disk, DiskError};

use crate::chain::ChainHash;
use crate::error::{OpenError, corrupt, damage};
use crate::file::segment::{Segment, SegmentReader};
use crate::frame::{FORMAT_VERSION, Frame, FrameError, FrameHeader};

/// Every damaged place of the log in a folder, in order; none if it can be opened. Behind damage it
/// goes on at the next frame whose own hash holds: nothing else is taken for one.
pub fn damages(dir: &Path) -> Result<Vec<OpenError>, OpenError> {
    let disk = Disk::default();
    let segments = Segment::list(&disk, dir)?;
    let mut survey = Survey::default();
    for (index, segment) in segments.iter().enumerate() {
        survey.look_at(&disk, segment, index + 1 == segments.len())?;
    }
    Ok(survey.found)
}

#[derive(Default)]
struct Survey {
    found: Vec<OpenError>,
    /// 0 before the first segment.
    next_batch: u64,
    /// Of the batch before; `None` where that is not known, behind damage.
    last_hash: Option<ChainHash>,
}

impl Survey {
    fn look_at(
        &mut self,
        disk: &Disk,
        segment: &Segment,
        is_newest: bool,
    ) -> Result<(), OpenError> {
        let mut reader = match SegmentReader::open(disk, segment) {
            Ok(reader) => {
                self.begin(&reader);
                reader
            }
            Err(error @ OpenError::Corrupt { .. }) => {
                self.found.push(error);
                self.next_batch = segment.first_batch;
                self.last_hash = None;
                SegmentReader::open_headless(disk, segment)?
            }
            Err(OpenError::NewerFormat { file, found, supported }) => {
                // Nothing is known of what it holds, nor of what should come behind.
                self.found.push(OpenError::NewerFormat { file, found, supported });
                self.last_hash = None;
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        loop {
            let offset = reader.offset;
            let error = match reader.read()? {
                Ok(Frame { header, .. }) => {
                    self.take(&header, &reader, offset);
                    continue;
                }
                Err(error) => error,
            };
            if !self.pass(&mut reader, error, is_newest)? {
                return Ok(());
            }
        }
    }

    /// Compares a segment's header with what came before.
    fn begin(&mut self, reader: &SegmentReader) {
        let header = reader.header;
        let (expected, found) = (self.next_batch, header.first_batch);
        if self.last_hash.is_some_and(|hash| found == expected && hash != header.previous_hash) {
            let damage = "the segment does not continue the one before it";
            self.found.push(corrupt(reader.path(), 0, found, damage));
        }
        if found < expected {
            let damage = "the segment before it already holds its first batch";
            self.found.push(corrupt(reader.path(), 0, found, damage));
        }
        // What should have been after the damage is unknown.
        if self.last_hash.is_some() && found > expected {
            let file = reader.path().to_path_buf();
            self.found.push(OpenError::Gap { file, expected, found });
        }
        self.next_batch = found;
        self.last_hash = Some(header.previous_hash);
    }

    /// Notes why there is no frame, and goes on to the next one; `false` when there is none.
    fn pass(
        &mut self,
        reader: &mut SegmentReader,
        error: FrameError,
        is_newest: bool,
    ) -> Result<bool, DiskError> {
        let used_end = reader.used_end()?;
        let is_end = used_end == reader.offset;
        if is_end || is_newest && !reader.has_witness(self.next_batch, used_end)? {
            return Ok(false);
        }
        self.found.push(match error {
            FrameError::Version { found } if found > FORMAT_VERSION => OpenError::NewerFormat {
                file: reader.path().to_path_buf(),
                found,
                supported: FORMAT_VERSION,
            },
            error => corrupt(reader.path(), reader.offset, self.next_batch, damage(error)),
        });
        self.last_hash = None;
        reader.go_to_next_frame(used_end)
    }

    fn take(&mut self, header: &FrameHeader, reader: &SegmentReader, offset: u64) {
        let FrameHeader { batch_number, previous_hash, hash, .. } = *header;
        let goes_on = match self.last_hash {
            Some(last_hash) => batch_number == self.next_batch && previous_hash == last_hash,
            None => batch_number >= self.next_batch,
        };
        if !goes_on {
            let damage = "a sound frame does not continue the one before it";
            self.found.push(corrupt(reader.path(), offset, self.next_batch, damage));
        }
        self.next_batch = batch_number + 1;
        self.last_hash = Some(hash);
    }
}
