//! A bug planted in the log's files: checksums that no reader checks.

use std::path::Path;

use disk::simulated::Disk;

use crate::file::segment::SegmentHeader;
use crate::frame;

/// Gives every frame of a log's segment the hash that its bytes have: as if no reader checked it.
pub fn reseal(disk: &Disk, path: &Path) {
    let Some(mut bytes) = disk.read(path) else { return };
    frame::reseal(&mut bytes, SegmentHeader::SIZE as usize);
    disk.replace(path, bytes);
}
