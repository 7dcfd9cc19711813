//! Lines that come again within a minute: counted, so that they take no room.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::door::access::Line;

/// For how long a line that comes again is counted and not written.
const WINDOW: Duration = Duration::from_secs(60);
/// Lines known. With more of them, all counts are written and counting begins anew.
const LINES_MAX: usize = 1_024;

#[derive(Default)]
pub(super) struct Repeats {
    seen: HashMap<Line, Seen>,
    /// Counts of lines that had to make room.
    pushed_out: Vec<Repeated>,
}

struct Seen {
    since: Instant,
    count: u64,
    last_ms: u64,
}

/// A line that came again.
pub(super) struct Repeated {
    pub(super) line: Line,
    pub(super) count: u64,
    last_ms: u64,
}

impl Repeated {
    /// The fields before those of the line; the time is the last repetition's.
    pub(super) fn head(&self) -> String {
        format!("{{\"time_ms\":{},\"repeated\":{},", self.last_ms, self.count)
    }
}

impl Repeats {
    /// Whether the line is to be written. Otherwise it is counted.
    pub(super) fn is_new(&mut self, line: &Line, now: Instant, now_ms: u64) -> bool {
        if let Some(seen) = self.seen.get_mut(line) {
            seen.count += 1;
            seen.last_ms = now_ms;
            return false;
        }
        if self.seen.len() >= LINES_MAX {
            self.pushed_out = self.take_all();
        }
        self.seen.insert(line.clone(), Seen { since: now, count: 0, last_ms: 0 });
        true
    }

    /// The counts whose minute is over.
    pub(super) fn take_ended(&mut self, now: Instant) -> Vec<Repeated> {
        let mut ended = std::mem::take(&mut self.pushed_out);
        let over = self.seen.extract_if(|_, seen| now - seen.since >= WINDOW);
        ended.extend(over.filter_map(repeated));
        ended
    }

    pub(super) fn take_all(&mut self) -> Vec<Repeated> {
        let mut all = std::mem::take(&mut self.pushed_out);
        all.extend(self.seen.drain().filter_map(repeated));
        all
    }
}

fn repeated((line, seen): (Line, Seen)) -> Option<Repeated> {
    (seen.count > 0).then_some(Repeated { line, count: seen.count, last_ms: seen.last_ms })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(n: usize) -> Line {
        Line { is_of_keys: false, text: n.to_string() }
    }

    #[test]
    fn a_line_is_written_once_a_minute_with_its_count() {
        let (mut repeats, begin) = (Repeats::default(), Instant::now());
        assert!(repeats.is_new(&line(1), begin, 1));
        for ms in 2..10 {
            assert!(!repeats.is_new(&line(1), begin, ms));
        }
        assert!(repeats.is_new(&line(2), begin, 10));
        assert!(repeats.take_ended(begin + WINDOW / 2).is_empty());
        let ended = repeats.take_ended(begin + WINDOW);
        let heads: Vec<_> = ended.iter().map(Repeated::head).collect();
        assert_eq!(heads, ["{\"time_ms\":9,\"repeated\":8,"], "the other did not come again");
        assert!(repeats.is_new(&line(1), begin + WINDOW, 11));
    }

    #[test]
    fn many_different_lines_push_counts_out_and_lose_none() {
        let (mut repeats, now) = (Repeats::default(), Instant::now());
        let mut counted = 0;
        for n in 0..10 * LINES_MAX {
            assert!(repeats.is_new(&line(n), now, 1));
            assert!(!repeats.is_new(&line(n), now, 2));
            counted += repeats.take_ended(now).iter().map(|repeated| repeated.count).sum::<u64>();
            assert!(repeats.seen.len() <= LINES_MAX);
        }
        counted += repeats.take_all().iter().map(|repeated| repeated.count).sum::<u64>();
        assert_eq!(counted, 10 * LINES_MAX as u64);
    }
}
