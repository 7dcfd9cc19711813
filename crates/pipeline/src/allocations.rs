//! A count of allocations.
//!
//! `unsafe` because an allocator is: it passes each call on to the system's allocator, and counts
//! it while a measurement is on.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

static IS_COUNTING: AtomicBool = AtomicBool::new(false);
static COUNT: AtomicU64 = AtomicU64::new(0);

/// The system's allocator with a count. A program that measures declares it as its own allocator;
/// elsewhere nothing is counted.
#[derive(Clone, Copy, Debug)]
pub struct Counting;

fn count() {
    if IS_COUNTING.load(Ordering::Relaxed) {
        COUNT.fetch_add(1, Ordering::Relaxed);
    }
}

// SAFETY: all four calls are the system's.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// Begins a count.
pub(crate) fn begin() {
    COUNT.store(0, Ordering::Relaxed);
    IS_COUNTING.store(true, Ordering::SeqCst);
}

/// Ends the count, and returns it.
pub(crate) fn end() -> u64 {
    IS_COUNTING.store(false, Ordering::SeqCst);
    COUNT.load(Ordering::Relaxed)
}
