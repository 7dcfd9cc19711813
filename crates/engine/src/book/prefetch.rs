//! Memory that is asked for before it is needed, and pages for it that are found faster.
//!
//! This file may use `unsafe`, because there is no safe way to give either: to ask for a cache line
//! without waiting for it made w2 of the workloads twice as fast, huge pages another tenth. Nothing
//! is read or written, so no result can depend on it.

#![allow(unsafe_code)]

use std::mem::MaybeUninit;

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

/// [`prefetch`] for the first and the last cache line of a place.
#[inline(always)]
pub(crate) fn prefetch_ends<T>(place: &T) {
    prefetch(place);
    let last = std::ptr::from_ref(place).cast::<u8>().wrapping_add(size_of::<T>().max(1) - 1);
    // SAFETY: it points into `place`.
    prefetch(unsafe { &*last });
}

/// What a processor maps as one in a huge page.
const HUGE: usize = 1 << 21;

/// Asks for huge pages behind the room of a large array: a random record of many is then found
/// without walking tables that are not in the cache either. The beginning stays as it is, so that
/// a small array does not take a huge page.
pub(crate) fn advise_huge<T>(array: &mut Vec<T>) {
    advise_huge_bytes(array.as_mut_ptr().cast(), array.capacity() * size_of::<T>());
}

/// [`advise_huge`] for room that nothing has been put into.
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
    // SAFETY: whole pages of memory that the caller's array owns are named, and advice changes no
    // content. Where there are no huge pages it is refused, and nothing is lost.
    unsafe {
        let place = start.wrapping_add(first - start as usize);
        libc::madvise(place.cast(), (end - first) & !(HUGE - 1), libc::MADV_HUGEPAGE);
    }
}
