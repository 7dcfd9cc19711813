//! Prefetches of cache lines, and huge pages for large arrays.
//!
//! This file may use `unsafe`, because safe Rust offers neither. Prefetching made w2 of the
//! workloads twice as fast, and huge pages another tenth. Nothing is read or written, so no result
//! can depend on it.

#![allow(unsafe_code)]

use std::mem::MaybeUninit;

/// Prefetches the cache line of a value. Does nothing on processors without the instruction.
#[inline(always)]
pub(crate) fn prefetch<T>(place: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the instruction is part of every x86-64 processor, and changes only caches.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

/// [`prefetch`] for all cache lines of a value.
#[inline(always)]
pub(crate) fn prefetch_whole<T>(place: &T) {
    const LINE: usize = 64;
    for at in (0..size_of::<T>()).step_by(LINE) {
        let line = std::ptr::from_ref(place).cast::<u8>().wrapping_add(at);
        // SAFETY: it points into `place`.
        prefetch(unsafe { &*line });
    }
}

/// [`prefetch`] for the first and the last cache line of a value.
#[inline(always)]
pub(crate) fn prefetch_ends<T>(place: &T) {
    prefetch(place);
    let last = std::ptr::from_ref(place).cast::<u8>().wrapping_add(size_of::<T>().max(1) - 1);
    // SAFETY: it points into `place`.
    prefetch(unsafe { &*last });
}

/// The size of a huge page.
const HUGE: usize = 1 << 21;

/// Asks the system for huge pages under the memory of a large array. A random record among many is
/// then found without a walk through uncached page tables. The beginning stays on small pages, so
/// that a small array does not take a huge one.
pub(crate) fn advise_huge<T>(array: &mut Vec<T>) {
    advise_huge_bytes(array.as_mut_ptr().cast(), array.capacity() * size_of::<T>());
}

/// [`advise_huge`] for memory without values.
pub(crate) fn advise_huge_room<T>(room: &mut [MaybeUninit<T>]) {
    advise_huge_bytes(room.as_mut_ptr().cast(), size_of_val(room));
}

fn advise_huge_bytes(start: *mut u8, len: usize) {
    let end = start as usize + len;
    let first = (start as usize + HUGE).next_multiple_of(HUGE);
    if end < first + HUGE {
        return;
    }
    #[cfg(target_os = "linux")]
    // SAFETY: the call covers whole pages of the memory that the caller's array owns, and advice
    // changes no content. A system without huge pages refuses it, which is harmless.
    unsafe {
        let place = start.wrapping_add(first - start as usize);
        libc::madvise(place.cast(), (end - first) & !(HUGE - 1), libc::MADV_HUGEPAGE);
    }
}
