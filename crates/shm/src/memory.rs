//! Memory that two processes have.
//!
//! `unsafe` because no other way is known to Rust. The other process may write at any time, so the
//! memory is only ever seen as atomics, for which every value is valid. Its file is sealed against
//! cuts before another process has it, so every word stays until the mapping is given back.
#![allow(unsafe_code, reason = "there is no safe way to map shared memory; see above")]

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::ptr::{NonNull, null_mut};

use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, fcntl_get_seals, fstat, ftruncate};
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};

use crate::atomic::AtomicU64;

/// Bytes of a word.
pub(crate) const WORD: usize = size_of::<AtomicU64>();

const SEALS: SealFlags = SealFlags::SHRINK.union(SealFlags::GROW).union(SealFlags::SEAL);

#[derive(Debug)]
pub(crate) struct Memory {
    words: NonNull<AtomicU64>,
    count: usize,
}

// SAFETY: it is memory of the process, not of a thread, and seen as atomics only.
unsafe impl Send for Memory {}
// SAFETY: likewise.
unsafe impl Sync for Memory {}

impl Memory {
    /// Makes memory of `count` words, all zero, and the file that passes it on.
    pub(crate) fn create(count: usize) -> io::Result<(Self, OwnedFd)> {
        let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
        let file = rustix::fs::memfd_create("buttonwood", flags)?;
        ftruncate(&file, (count * WORD) as u64)?;
        fcntl_add_seals(&file, SEALS)?;
        let memory = Self::map(&file, count)?;
        Ok((memory, file))
    }

    /// Maps the memory of a file that another process has made.
    pub(crate) fn open(file: &OwnedFd, count: usize) -> io::Result<Self> {
        let is_sealed = fcntl_get_seals(file)?.contains(SEALS);
        let is_whole = usize::try_from(fstat(file)?.st_size).is_ok_and(|len| len == count * WORD);
        if !is_sealed || !is_whole {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "not the venue's memory"));
        }
        Self::map(file, count)
    }

    fn map(file: impl AsFd, count: usize) -> io::Result<Self> {
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new mapping, where the system wants it: it covers nothing that was there.
        let start = unsafe { mmap(null_mut(), count * WORD, access, MapFlags::SHARED, file, 0) }?;
        let words = NonNull::new(start.cast()).expect("a mapping is not at zero");
        Ok(Self { words, count })
    }

    pub(crate) fn words(&self) -> &[AtomicU64] {
        // SAFETY: the mapping has `count` words, begins at a page, and lives as long as `self`.
        unsafe { std::slice::from_raw_parts(self.words.as_ptr(), self.count) }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: it is the whole mapping, and no reference into it is left.
        let unmapped = unsafe { munmap(self.words.as_ptr().cast(), self.count * WORD) };
        debug_assert!(unmapped.is_ok(), "{unmapped:?}");
    }
}
