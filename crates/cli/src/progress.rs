//! Progress of a tool: a bar on a terminal, once it takes longer than a moment, else nothing.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{HumanCount, ProgressBar, ProgressStyle};

/// Work within this time shows nothing.
const QUICK: Duration = Duration::from_secs(1);

/// A bar with the rate and the time left, on standard error.
#[derive(Debug)]
pub struct Progress {
    /// What is counted, such as `events`.
    unit: &'static str,
    on_terminal: bool,
    begun: Instant,
    bar: Option<ProgressBar>,
}

impl Progress {
    pub fn begin(unit: &'static str) -> Self {
        let on_terminal = std::io::stderr().is_terminal();
        Self { unit, on_terminal, begun: Instant::now(), bar: None }
    }

    /// `done` of `total` is done, of whatever measures the work, and `count` units of it. Without a
    /// total the time left is unknown.
    pub fn at(&mut self, (done, total): (u64, u64), count: u64) {
        let elapsed = self.begun.elapsed();
        if !self.on_terminal || elapsed < QUICK {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| bar(total));
        let rate = (count as f64 / elapsed.as_secs_f64()) as u64;
        bar.set_message(format!(
            "{} {}, {} a second",
            HumanCount(count),
            self.unit,
            HumanCount(rate)
        ));
        bar.set_position(done);
    }

    /// Removes the bar.
    pub fn end(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
        self.on_terminal = false;
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.end();
    }
}

fn bar(total: u64) -> ProgressBar {
    if total == 0 {
        let style = ProgressStyle::with_template("{spinner} {msg}");
        return ProgressBar::new_spinner().with_style(style.expect("the template is a constant"));
    }
    let style = ProgressStyle::with_template("{wide_bar} {percent} % {msg}, {eta} left");
    ProgressBar::new(total).with_style(style.expect("the template is a constant"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slow(on_terminal: bool) -> Progress {
        let begun = Instant::now().checked_sub(2 * QUICK).unwrap();
        Progress { unit: "events", on_terminal, begun, bar: None }
    }

    #[test]
    fn a_bar_is_for_slow_work_on_a_terminal() {
        let mut quick = slow(true);
        quick.begun = Instant::now();
        quick.at((5, 10), 100);
        let mut piped = slow(false);
        piped.at((5, 10), 100);
        assert!(quick.bar.is_none() && piped.bar.is_none());
        let mut progress = slow(true);
        progress.at((5, 10), 3_000);
        let bar = progress.bar.as_ref().unwrap();
        assert_eq!((bar.position(), bar.length()), (5, Some(10)));
        assert!(bar.message().starts_with("3,000 events, 1,"), "{}", bar.message());
        progress.end();
        progress.at((6, 10), 4_000);
        assert!(progress.bar.is_none());
    }

    #[test]
    fn without_a_total_there_is_no_time_left() {
        let mut progress = slow(true);
        progress.at((0, 0), 7);
        assert_eq!(progress.bar.as_ref().unwrap().length(), None);
    }
}
