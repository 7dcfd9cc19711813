//! The clock around a target.

use std::time::{Duration, Instant};

#[derive(Debug, Default)]
pub(crate) struct Watch {
    timed: bool,
    elapsed: Duration,
    count: u64,
    /// Of each command in nanoseconds, if requested.
    latencies: Option<Vec<u64>>,
}

impl Watch {
    pub(crate) fn new(each: bool) -> Self {
        Self { latencies: each.then(Vec::new), ..Self::default() }
    }

    pub(crate) fn set_timed(&mut self, timed: bool) {
        self.timed = timed;
    }

    /// Runs commands, on the clock if it is set to. Each command comes with the commands queued
    /// after it. `apply` must be a named function, which is inlined into the loop if it requests
    /// that; a closure would be called.
    #[inline]
    pub(crate) fn time<T, C>(
        &mut self,
        target: &mut T,
        commands: &[C],
        apply: impl Fn(&mut T, &C, &[C]),
    ) {
        if self.timed && self.latencies.is_some() {
            return self.time_each(target, commands, apply);
        }
        let start = Instant::now();
        waiting(commands).for_each(|(command, waiting)| apply(target, command, waiting));
        if self.timed {
            self.elapsed += start.elapsed();
            self.count += commands.len() as u64;
        }
    }

    #[inline(never)]
    fn time_each<T, C>(
        &mut self,
        target: &mut T,
        commands: &[C],
        apply: impl Fn(&mut T, &C, &[C]),
    ) {
        let Some(latencies) = &mut self.latencies else { return };
        latencies.reserve(commands.len());
        for (command, waiting) in waiting(commands) {
            let start = Instant::now();
            apply(target, command, waiting);
            let latency = start.elapsed();
            self.elapsed += latency;
            latencies.push(u64::try_from(latency.as_nanos()).unwrap_or(u64::MAX));
        }
        self.count += commands.len() as u64;
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.elapsed
    }

    /// The number of timed commands.
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

fn waiting<C>(commands: &[C]) -> impl Iterator<Item = (&C, &[C])> {
    (1..).zip(commands).map(|(next, command)| (command, &commands[next..]))
}
