//! Memory that is asked for before it is needed.
//!
//! This file may use `unsafe`, because there is no safe way to ask for a cache line without waiting
//! for it. What is asked for is a place that a reference points to, and nothing is read or written.

#![allow(unsafe_code)]

/// Has the cache line of a place brought near. Does nothing where the processor cannot.
#[inline(always)]
pub(crate) fn prefetch<T>(place: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the instruction is part of every x86-64 processor, and changes nothing but caches.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

/// [`prefetch`] for all cache lines of a place.
#[inline(always)]
pub(crate) fn prefetch_whole<T>(place: &T) {
    const LINE: usize = 64;
    for at in (0..size_of::<T>()).step_by(LINE) {
        let line = std::ptr::from_ref(place).cast::<u8>().wrapping_add(at);
        // SAFETY: it points into `place`.
        prefetch(unsafe { &*line });
    }
}
