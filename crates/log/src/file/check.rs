//! Check of each segment: the last sound frame, a torn tail, or damage. Segments are checked one by
//! one, so that all processors read a long log.

use std::collections::VecDeque;
use std::num::NonZero;
use std::path::PathBuf;
use std::thread::available_parallelism;

use disk::{Access, Disk};

use crate::chain::ChainHash;
use crate::error::{OpenError, corrupt, damage};
use crate::file::segment::{Segment, SegmentHeader, SegmentReader};
use crate::frame::{FORMAT_VERSION, Frame, FrameError};

/// A segment that was read by itself: what is before it, only its header says.
pub(crate) struct Checked {
    pub(crate) file: PathBuf,
    pub(crate) header: SegmentHeader,
    pub(crate) frames: Result<Frames, OpenError>,
}

/// The result of reading a segment's frames.
pub(crate) struct Frames {
    pub(crate) last_batch: u64,
    pub(crate) last_hash: ChainHash,
    pub(crate) bytes_dropped: u64,
    pub(crate) tail: Tail,
}

/// Where the newest segment goes on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tail {
    pub(crate) offset: u64,
    /// From here on no frame shows that those before it had reached stable storage.
    pub(crate) unproven: u64,
    pub(crate) file_size: u64,
}

/// A log with segments of this size is read by as many threads as there are processors: a start
/// waits for it.
const SIZE_OF_LONG_LOGS: u64 = 1 << 20;

/// Reads all segments; the results are in their order.
pub(crate) fn check_all(disk: &Disk, segments: &[Segment]) -> Vec<Result<Checked, OpenError>> {
    let Some(newest) = segments.last() else { return Vec::new() };
    let check =
        |segment: &Segment| check_segment(disk, segment, segment.first_batch == newest.first_batch);
    let size = disk.open(&segments[0].path, Access::Read).and_then(|file| file.size());
    let threads = match size {
        Ok(SIZE_OF_LONG_LOGS..) => available_parallelism().map_or(1, NonZero::get),
        _ => return segments.iter().map(check).collect(),
    };
    std::thread::scope(|scope| {
        let shares = segments.chunks(segments.len().div_ceil(threads));
        let threads: Vec<_> = shares
            .map(|share| scope.spawn(move || share.iter().map(check).collect::<Vec<_>>()))
            .collect();
        let results =
            threads.into_iter().flat_map(|thread| thread.join().expect("it panics where we do"));
        results.collect()
    })
}

fn check_segment(disk: &Disk, segment: &Segment, is_newest: bool) -> Result<Checked, OpenError> {
    let mut reader = SegmentReader::open(disk, segment)?;
    let (file, header) = (segment.path.clone(), reader.header);
    let frames = check_frames(&mut reader, is_newest);
    Ok(Checked { file, header, frames })
}

fn check_frames(reader: &mut SegmentReader, is_newest: bool) -> Result<Frames, OpenError> {
    let SegmentHeader { first_batch, previous_hash: mut last_hash, .. } = reader.header;
    let (mut last_batch, mut bytes_dropped) = (first_batch.saturating_sub(1), 0);
    let mut unproven = VecDeque::new();
    loop {
        let offset = reader.offset;
        let next_batch = last_batch + 1;
        let error = match reader.read()? {
            Ok(Frame { header, .. }) => {
                if header.batch_number != next_batch || header.previous_hash != last_hash {
                    let damage = "a sound frame does not continue the one before it";
                    return Err(corrupt(reader.path(), offset, next_batch, damage));
                }
                last_batch = next_batch;
                last_hash = header.hash;
                unproven.push_back((next_batch, offset));
                while unproven.front().is_some_and(|(batch, _)| *batch <= header.durable_batch) {
                    unproven.pop_front();
                }
                continue;
            }
            Err(FrameError::Version { found }) if found > FORMAT_VERSION => {
                let (file, supported) = (reader.path().to_path_buf(), FORMAT_VERSION);
                return Err(OpenError::NewerFormat { file, found, supported });
            }
            Err(error) => error,
        };
        let used_end = reader.used_end()?;
        if used_end == reader.offset {
            break;
        }
        if is_newest && !reader.has_witness(next_batch, used_end)? {
            bytes_dropped = used_end - reader.offset;
            break;
        }
        // A running venue may have written here since: what had a witness then is whole now.
        reader.look_again()?;
        if reader.read()?.is_err() {
            return Err(corrupt(reader.path(), reader.offset, next_batch, damage(error)));
        }
        reader.offset = offset;
    }
    let (offset, file_size) = (reader.offset, reader.file_size);
    let unproven = unproven.front().map_or(offset, |(_, offset)| *offset);
    let tail = Tail { offset, unproven, file_size };
    Ok(Frames { last_batch, last_hash, bytes_dropped, tail })
}
