//! The check of all full segments, beside the replay.

use std::path::{Path, PathBuf};

use disk::Disk;

use crate::error::SpoolError;
use crate::segment::{Found, Sealed, index_path, segment_path};

/// What was found of the full segments.
#[derive(Debug, Default)]
pub(super) struct Checked {
    pub(super) sound: Vec<Sealed>,
    /// What follows it in a segment is cut off, or all of the segment removed.
    pub(super) damage: Vec<SpoolError>,
    /// Files that may be in the page cache only: of a process that ended before it could sync them,
    /// too.
    pub(super) unsynced: Vec<PathBuf>,
    /// Why a segment could not be read, or its index not be written.
    pub(super) unread: Option<SpoolError>,
}

impl Checked {
    pub(super) fn of(disk: &Disk, dir: &Path, segments: &[u64]) -> Self {
        let mut checked = Self::default();
        for first in segments.iter().copied() {
            let files = [segment_path(dir, first), index_path(dir, first)];
            match Sealed::check(disk, dir, first) {
                Ok(Found::Whole(sealed)) => {
                    checked.sound.push(sealed);
                    checked.unsynced.extend(files);
                }
                Ok(Found::Rebuilt(sealed, damage)) => {
                    checked.sound.push(sealed);
                    checked.damage.extend(damage);
                    checked.unsynced.extend(files);
                }
                // The replay has made room meanwhile.
                Err(error) if error.is_not_found() => {}
                Err(error) if !error.is_damage() => checked.unread = Some(error),
                Err(error) => {
                    checked.damage.push(error);
                    checked.damage.extend(
                        files
                            .iter()
                            .filter_map(|file| disk.remove(file).err().map(SpoolError::from)),
                    );
                }
            }
        }
        checked
    }
}
