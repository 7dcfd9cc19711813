//! The clock around a target.

use std::time::{Duration, Instant};

#[derive(Debug, Default)]
pub(crate) struct Watch {
    timed: bool,
    elapsed: Duration,
    count: u64,
    /// Of each command in nanoseconds, where that was asked for.
    latencies: Option<Vec<u64>>,
}

impl Watch {
    pub(crate) fn new(each: bool) -> Self {
        Self { latencies: each.then(Vec::new), ..Self::default() }
    }

    pub(crate) fn set_timed(&mut self, timed: bool) {
        self.timed = timed;
    }

    /// Runs commands that are ready to be applied, on the clock if it is set to.
    #[inline]
    pub(crate) fn time<C>(&mut self, commands: &[C], mut apply: impl FnMut(&C)) {
        if !self.timed {
            return commands.iter().for_each(apply);
        }
        self.count += commands.len() as u64;
        let Some(latencies) = &mut self.latencies else {
            let start = Instant::now();
            commands.iter().for_each(apply);
            self.elapsed += start.elapsed();
            return;
        };
        latencies.reserve(commands.len());
        for command in commands {
            let start = Instant::now();
            apply(command);
            let latency = start.elapsed();
            self.elapsed += latency;
            latencies.push(u64::try_from(latency.as_nanos()).unwrap_or(u64::MAX));
        }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.elapsed
    }

    /// Commands that were timed.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// The latencies in ascending order.
    pub(crate) fn sorted(&self) -> Option<Vec<u64>> {
        let mut sorted = self.latencies.clone()?;
        sorted.sort_unstable();
        Some(sorted)
    }
}
