//! Progress of a recovery: nothing when it is quick, else a bar on a terminal, or a log line every
//! few seconds.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use venue::Replayed;

/// A recovery within this time shows nothing.
const QUICK: Duration = Duration::from_secs(1);
const LINE_EVERY: Duration = Duration::from_secs(5);
/// Batches between two readings of the clock.
const LOOK_EVERY: u64 = 64;

#[derive(Debug)]
pub struct Recovery {
    on_terminal: bool,
    begun: Instant,
    /// Time of the last line.
    line: Option<Instant>,
    bar: Option<ProgressBar>,
    last: Option<Replayed>,
}

impl Recovery {
    pub fn begin() -> Self {
        Self {
            on_terminal: std::io::stderr().is_terminal(),
            begun: Instant::now(),
            line: None,
            bar: None,
            last: None,
        }
    }

    pub fn replayed(&mut self, replayed: Replayed) {
        self.last = Some(replayed);
        if replayed.batches.is_multiple_of(LOOK_EVERY) && self.begun.elapsed() >= QUICK {
            self.show(replayed);
        }
    }

    pub fn end(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
        if let Some(Replayed { batches, sequence, .. }) = self.last {
            tracing::info!(batches, sequence, took = ?self.begun.elapsed(), "log replayed");
        }
    }

    #[cold]
    fn show(&mut self, replayed: Replayed) {
        let Replayed { batches, batches_total, sequence } = replayed;
        if self.on_terminal {
            self.bar.get_or_insert_with(|| bar(batches_total)).set_position(batches);
        } else if self.line.is_none_or(|line| line.elapsed() >= LINE_EVERY) {
            self.line = Some(Instant::now());
            tracing::info!(batches, of = batches_total, sequence, "replaying the log");
        }
    }
}

fn bar(batches_total: u64) -> ProgressBar {
    let style = ProgressStyle::with_template(
        "replaying the log {wide_bar} {human_pos}/{human_len} batches, {eta} left",
    );
    ProgressBar::new(batches_total).with_style(style.expect("the template is a constant"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(batches: u64) -> Replayed {
        Replayed { batches, batches_total: 1_000, sequence: 7 * batches }
    }

    fn slow(on_terminal: bool) -> Recovery {
        let begun = Instant::now().checked_sub(2 * QUICK).unwrap();
        Recovery { on_terminal, begun, ..Recovery::begin() }
    }

    #[test]
    fn a_quick_recovery_shows_nothing() {
        let mut recovery = Recovery { on_terminal: true, ..Recovery::begin() };
        (1..=500).for_each(|batches| recovery.replayed(at(batches)));
        assert!(recovery.bar.is_none() && recovery.line.is_none());
    }

    #[test]
    fn a_slow_one_has_a_bar_on_a_terminal() {
        let mut recovery = slow(true);
        (1..=500).for_each(|batches| recovery.replayed(at(batches)));
        let bar = recovery.bar.as_ref().unwrap();
        assert_eq!((bar.position(), bar.length()), (448, Some(1_000)));
        assert!(recovery.line.is_none());
    }

    #[test]
    fn a_slow_one_has_a_line_now_and_then_elsewhere() {
        let mut recovery = slow(false);
        recovery.replayed(at(64));
        let first = recovery.line.unwrap();
        (65..=500).for_each(|batches| recovery.replayed(at(batches)));
        assert_eq!(recovery.line, Some(first), "not every few batches");
        recovery.line = first.checked_sub(LINE_EVERY);
        recovery.replayed(at(512));
        assert!(recovery.line.unwrap() >= first && recovery.bar.is_none());
    }
}
