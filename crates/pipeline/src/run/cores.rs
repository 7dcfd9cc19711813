//! A core for each thread of a run. Without it the system begins both on one, where they take turns
//! for some tens of milliseconds until it moves one of them.

#[cfg(target_os = "linux")]
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// The cores on which the process may run, if there is one for each thread.
#[derive(Clone, Debug)]
pub(super) struct Cores(Vec<usize>);

impl Cores {
    #[cfg(target_os = "linux")]
    pub(super) fn for_threads(count: usize) -> Self {
        let Ok(allowed) = sched_getaffinity(None) else { return Self(Vec::new()) };
        let cores = (0..CpuSet::MAX_CPU).filter(|core| allowed.is_set(*core)).take(count);
        let cores = cores.collect::<Vec<_>>();
        Self(if cores.len() == count { cores } else { Vec::new() })
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn for_threads(_: usize) -> Self {
        Self(Vec::new())
    }

    /// Keeps the calling thread to its core. Where the system refuses that, the thread runs as one
    /// that is not kept.
    #[cfg(target_os = "linux")]
    pub(super) fn keep_this_thread(&self, thread: usize) {
        let Some(core) = self.0.get(thread) else { return };
        let mut only = CpuSet::new();
        only.set(*core);
        let _ = sched_setaffinity(None, &only);
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn keep_this_thread(&self, _: usize) {}
}
