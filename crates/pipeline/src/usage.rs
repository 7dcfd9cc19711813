//! What the process has used, by the kernel's counters.

use nix::sys::resource::{UsageWho, getrusage};

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Usage {
    pub(crate) page_faults: u64,
    pub(crate) context_switches: u64,
}

impl Usage {
    /// Of all threads since the start; zeros where the kernel does not count.
    pub(crate) fn now() -> Self {
        let Ok(usage) = getrusage(UsageWho::RUSAGE_SELF) else { return Self::default() };
        let sum = |a: i64, b: i64| (a + b).cast_unsigned();
        Self {
            page_faults: sum(usage.minor_page_faults(), usage.major_page_faults()),
            context_switches: sum(
                usage.voluntary_context_switches(),
                usage.involuntary_context_switches(),
            ),
        }
    }

    pub(crate) fn since(self, before: Self) -> Self {
        Self {
            page_faults: self.page_faults - before.page_faults,
            context_switches: self.context_switches - before.context_switches,
        }
    }
}

/// Resident memory; `None` on another system than Linux.
pub(crate) fn rss_mb() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib / 1_024.0)
}
