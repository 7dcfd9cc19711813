//! This process's memory put together into huge pages, so that it is forked in a moment.
//!
//! fork(2) copies an entry of the page tables for every page, and the engine's thread waits for it:
//! at a million open orders that is 100,000 small pages, or some hundred huge ones. Memory is not
//! in huge pages by itself: what was allocated in small pieces never was, and what a child shared
//! with its parent is cut into small pages as the parent writes to it.
//!
//! # Why `unsafe`
//! `madvise` gets addresses that the system itself has listed. To put pages together changes no
//! content, and where nothing is mapped any more it fails. `mmap` is asked for memory where there
//! is none.
#![allow(unsafe_code, reason = "there is no safe way to ask for huge pages; see above")]

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// What a processor maps as one.
const HUGE: usize = 1 << 21;
const PAGE: usize = 1 << 12;
/// Small pages that must be in use for a huge one to be worth its memory.
const PAGES_MIN: usize = HUGE / PAGE * 7 / 8;

/// A longer range is no memory in use: AddressSanitizer maps 14 TiB, of which it touches little. A
/// look at each of its pages takes minutes.
const RANGE_MAX: usize = 1 << 40;

/// Puts together what can be. Not for a thread that gives way to others: they would wait for it to
/// have a processor again. Ends early when it is urgent to go on. Says how many huge pages there
/// are then.
pub(crate) fn collapse(is_urgent: &AtomicBool) -> io::Result<usize> {
    let maps = std::fs::read_to_string("/proc/self/maps")?;
    let page_map = File::open("/proc/self/pagemap")?;
    let scratch = Scratch::new()?;
    let mut count = 0;
    for range in maps.lines().filter_map(anonymous) {
        for start in (range.start.next_multiple_of(HUGE)..range.end).step_by(HUGE) {
            if is_urgent.load(Ordering::Relaxed) {
                return Ok(count);
            }
            if start + HUGE <= range.end && pages_in_use(&page_map, start)? >= PAGES_MIN {
                scratch.leave_a_touched_page();
                let begun = Instant::now();
                // SAFETY: see above.
                let failed =
                    unsafe { libc::madvise(start as *mut libc::c_void, HUGE, libc::MADV_COLLAPSE) };
                count += usize::from(failed == 0);
                // A thread that needs the memory of a page, or any new memory, while it is put
                // together waits for that.
                std::thread::sleep(begun.elapsed() * 4);
            }
        }
    }
    Ok(count)
}

/// A huge page is put together in the one that was given back last. Where this machine is a guest,
/// untouched memory takes milliseconds to copy to, because the host has to find it, and all threads
/// that need the page wait. So it is touched here first, where no thread waits: 9 ms a page became
/// 0.7.
struct Scratch(*mut libc::c_void);

impl Scratch {
    fn new() -> io::Result<Self> {
        let (access, kind) =
            (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: it is placed where nothing is.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), 2 * HUGE, access, kind, -1, 0) };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: this is ours, and a system without huge pages refuses.
        unsafe { libc::madvise(start, 2 * HUGE, libc::MADV_HUGEPAGE) };
        Ok(Self(start))
    }

    fn leave_a_touched_page(&self) {
        let page = self.0.wrapping_byte_add(self.0.align_offset(HUGE));
        // SAFETY: a huge page from where the first may begin lies within what is ours.
        unsafe {
            // The system fills all of it with zeros for this one.
            page.cast::<u8>().write_volatile(1);
            libc::madvise(page, HUGE, libc::MADV_DONTNEED);
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // SAFETY: it is ours, and nothing refers to it any more.
        unsafe { libc::munmap(self.0, 2 * HUGE) };
    }
}

/// The addresses of a line of `maps`, where it is memory that can be written to and is of no file.
fn anonymous(line: &str) -> Option<Range<usize>> {
    let mut fields = line.split_ascii_whitespace();
    let (start, end) = fields.next()?.split_once('-')?;
    let is_private = fields.next()? == "rw-p";
    let is_of_no_file = fields.nth(2)? == "0" && fields.next().is_none_or(|name| name == "[heap]");
    let address = |text| usize::from_str_radix(text, 16).ok();
    let range = address(start)?..address(end)?;
    (is_private && is_of_no_file && range.len() <= RANGE_MAX).then_some(range)
}

/// How many pages of a huge one are in memory.
fn pages_in_use(page_map: &File, start: usize) -> io::Result<usize> {
    const ENTRY: usize = 8;
    const PRESENT: u64 = 1 << 63;
    let mut entries = [0; HUGE / PAGE * ENTRY];
    page_map.read_exact_at(&mut entries, (start / PAGE * ENTRY) as u64)?;
    let entries = entries.as_chunks().0.iter().map(|entry| u64::from_ne_bytes(*entry));
    Ok(entries.filter(|entry| entry & PRESENT != 0).count())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn only_memory_of_no_file_that_can_be_written_to_is_put_together() {
        let check = |line: &str, expect: Option<Range<usize>>| {
            assert_eq!(anonymous(line), expect, "{line}");
        };
        check("1000-3000 rw-p 00000000 00:00 0 ", Some(0x1000..0x3000));
        check(
            "7fe93ce00000-7fe94ca00000 rw-p 00000000 00:00 0",
            Some(0x7fe9_3ce0_0000..0x7fe9_4ca0_0000),
        );
        check("1000-3000 rw-p 00000000 00:00 0                  [heap]", Some(0x1000..0x3000));
        check("1000-3000 rw-p 00000000 00:00 0                  [stack]", None);
        check("02008fff7000-10007fff8000 rw-p 00000000 00:00 0 ", None);
        check("1000-3000 rw-p 00000000 fe:00 77                 /lib/libc.so.6", None);
        check("1000-3000 rw-s 00000000 00:01 9                  /dev/zero (deleted)", None);
        check("1000-3000 r--p 00000000 00:00 0 ", None);
        check("1000-3000 ---p 00000000 00:00 0 ", None);
        check("", None);
    }

    /// How much of this process's memory is in huge pages and of no file.
    fn in_huge_pages_kib() -> usize {
        let rollup = std::fs::read_to_string("/proc/self/smaps_rollup").unwrap();
        let line = rollup.lines().find_map(|line| line.strip_prefix("AnonHugePages:")).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }

    #[test]
    fn small_pieces_come_to_lie_in_huge_pages_and_are_what_they_were() {
        let system = std::fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled");
        if !system.is_ok_and(|system| !system.contains("[never]")) {
            return; // This machine has none, and a venue on it does without.
        }
        let pieces: Vec<Box<[usize; 100]>> = (0..100_000).map(|at| Box::new([at; 100])).collect();
        let before = in_huge_pages_kib();
        // Memory that another test's child shares with this process stays as it is until that has
        // ended.
        let deadline = Instant::now() + Duration::from_secs(60);
        assert_eq!(collapse(&AtomicBool::new(true)).unwrap(), 0);
        let takes_its_time = AtomicBool::new(false);
        while collapse(&takes_its_time).unwrap() < 30 || in_huge_pages_kib() < before + (60 << 10) {
            assert!(Instant::now() < deadline, "most of 80 MB is in small pages still");
            std::thread::sleep(Duration::from_millis(50));
        }
        assert!(pieces.iter().enumerate().all(|(at, piece)| **piece == [at; 100]));
    }
}
