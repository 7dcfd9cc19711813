//! An allocator that counts the allocations of all threads but the client's.

#![allow(unsafe_code, reason = "an allocator that counts; no other way is known to Rust")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::backtrace::Backtrace;
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);
static NOTES_SITES: AtomicBool = AtomicBool::new(false);
static SITES: Mutex<Option<HashMap<String, u64>>> = Mutex::new(None);

thread_local! {
    static IS_COUNTED: Cell<bool> = const { Cell::new(true) };
}

/// Allocations of this thread do not count from now on.
pub(crate) fn exempt_thread() {
    IS_COUNTED.set(false);
}

pub(crate) fn allocations() -> u64 {
    ALLOCATIONS.load(Ordering::SeqCst)
}

/// Notes the stack of each allocation from now on, which takes long.
pub(crate) fn note_sites() {
    NOTES_SITES.store(true, Ordering::SeqCst);
}

/// The stacks that were noted, and how often each was seen; the most frequent first.
pub(crate) fn take_sites() -> Vec<(String, u64)> {
    NOTES_SITES.store(false, Ordering::SeqCst);
    let sites = SITES.lock().unwrap_or_else(PoisonError::into_inner).take();
    let mut sites: Vec<_> = sites.into_iter().flatten().collect();
    sites.sort_by_key(|(stack, count)| (u64::MAX - count, stack.clone()));
    sites
}

fn count() {
    if !IS_COUNTED.get() {
        return;
    }
    ALLOCATIONS.fetch_add(1, Ordering::SeqCst);
    if NOTES_SITES.load(Ordering::Relaxed) {
        IS_COUNTED.set(false); // What notes it allocates itself.
        let stack = own_frames(&Backtrace::force_capture().to_string());
        let mut sites = SITES.lock().unwrap_or_else(PoisonError::into_inner);
        *sites.get_or_insert_default().entry(stack).or_default() += 1;
        drop(sites);
        IS_COUNTED.set(true);
    }
}

/// The innermost frames of a stack that say what allocates and for what.
fn own_frames(stack: &str) -> String {
    let frames = stack.lines().filter_map(|line| line.trim_start().split_once(": "));
    let frames = frames.filter(|(number, _)| number.parse::<u32>().is_ok()).map(|(_, name)| name);
    let skipped =
        ["alloc::", "<alloc::", "core::", "<core::", "std::", "<std::", "__rustc", "counting"];
    let frames = frames.filter(|name| !skipped.iter().any(|skipped| name.contains(skipped)));
    // Inlined calls have no path.
    let inlined = ["alloc", "alloc_impl_runtime", "alloc_impl", "allocate", "box_new_uninit"];
    let frames = frames.filter(|name| !inlined.contains(name));
    frames.take(5).collect::<Vec<_>>().join("\n      ")
}

// SAFETY: all calls are passed on unchanged to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        unsafe { System.realloc(place, layout, size) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        unsafe { System.dealloc(place, layout) }
    }
}
