//! A file in memory, without a copy.
//!
//! `unsafe` because another program may change a mapped file: what the reader has checked would
//! then be another content, and behind the end of a file that was cut the process gets a signal. A
//! recording is written under another name and renamed, so our own programs never do either.
#![allow(unsafe_code)]

use std::fs::File;
use std::io;
use std::ops::Deref;

use memmap2::{Advice, Mmap, UncheckedAdvice};

/// Pages that were read are given back in pieces of this size, so that a long file takes no more
/// memory than a short one.
const RELEASED_BYTES: usize = 4 << 20;

#[derive(Debug)]
pub(super) struct Map {
    map: Mmap,
    released: usize,
}

impl Map {
    pub(super) fn open(file: &File) -> io::Result<Self> {
        // SAFETY: see the head of this file.
        let map = unsafe { Mmap::map(file) }?;
        // Advice makes reading faster, no more.
        let _ = map.advise(Advice::Sequential);
        Ok(Self { map, released: 0 })
    }

    /// Gives back the pages of the bytes in front of `end`; a later look reads them again.
    pub(super) fn release(&mut self, end: usize) {
        let length = (end - self.released) / RELEASED_BYTES * RELEASED_BYTES;
        if length > 0 {
            // SAFETY: the mapping is read-only and of a file, so the pages' content is not lost.
            let advised = unsafe {
                self.map.unchecked_advise_range(UncheckedAdvice::DontNeed, self.released, length)
            };
            self.released += if advised.is_ok() { length } else { 0 };
        }
    }
}

impl Deref for Map {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.map
    }
}
