//! A bar on a terminal while a load runs; silence where standard error is no terminal.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use server::now_ns;

const STEP: Duration = Duration::from_millis(200);
const STYLE: &str = "{prefix} {wide_bar} {pos}/{len} s  {msg}";

pub(super) struct Progress {
    bar: Option<ProgressBar>,
    begun: Instant,
}

impl Progress {
    pub(super) fn begin(label: &str, time: Duration) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let style = ProgressStyle::with_template(STYLE).expect("the template is a constant");
            let bar = ProgressBar::new(time.as_secs().max(1)).with_style(style);
            bar.set_prefix(label.to_owned());
            bar
        });
        Self { bar, begun: Instant::now() }
    }

    /// Sleeps until that Unix time, or until it is over.
    pub(super) fn until(&self, moment_ns: u64, done: &AtomicU64, is_over: impl Fn() -> bool) {
        loop {
            let left = Duration::from_nanos(moment_ns.saturating_sub(now_ns()));
            if left.is_zero() || is_over() {
                return;
            }
            sleep(left.min(STEP));
            self.show(done.load(Ordering::Relaxed));
        }
    }

    pub(super) fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn show(&self, done: u64) {
        let Some(bar) = &self.bar else { return };
        let elapsed = self.begun.elapsed();
        bar.set_position(elapsed.as_secs());
        let per_s = done as f64 / elapsed.as_secs_f64();
        bar.set_message(format!("{done} answered, {per_s:.0}/s"));
    }
}
