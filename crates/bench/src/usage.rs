//! The CPU time, memory and writes of a process since its start, from the kernel's counters.

use std::collections::BTreeMap;

use serde_json::json;

use super::report::Figure;

/// Linux counts CPU time for programs in this unit on every machine.
const TICKS_PER_SECOND: f64 = 100.0;

/// The threads whose writes go to sockets. The writes of all others go to files, except for a few
/// bytes that wake threads. The kernel's own count of bytes written to the disk does not serve: it
/// counts a whole piece of its cache for one byte in it.
const SERVES_SOCKETS: &str = "tokio-rt-worker";

#[derive(Clone, Debug, Default)]
pub(super) struct Usage {
    pub(super) cpu_s: f64,
    pub(super) rss_mb: f64,
    pub(super) page_faults: u64,
    pub(super) context_switches: u64,
    /// Handed to the file system.
    pub(super) disk_written_bytes: u64,
    /// CPU seconds by name: a runtime has many threads of one.
    pub(super) threads: BTreeMap<String, f64>,
    /// Packets over this machine's own network, of all processes.
    pub(super) loopback_packets: u64,
}

impl Usage {
    /// `None` where there is no such process, or on another system than Linux.
    pub(super) fn of(process: u32) -> Option<Self> {
        let pid = process.to_string();
        let stat = Stat::read(&format!("/proc/{pid}/stat"))?;
        let mut usage = Self {
            cpu_s: stat.cpu_s,
            rss_mb: rss_mb(process)?,
            page_faults: stat.page_faults,
            loopback_packets: loopback_packets().unwrap_or(0),
            ..Self::default()
        };
        for task in std::fs::read_dir(format!("/proc/{pid}/task")).ok()?.flatten() {
            let path = task.path();
            let file = |name: &str| path.join(name).to_string_lossy().into_owned();
            // A thread may end after the folder was read.
            let Some(stat) = Stat::read(&file("stat")) else { continue };
            for name in ["voluntary_ctxt_switches:", "nonvoluntary_ctxt_switches:"] {
                usage.context_switches += field(&file("status"), name).unwrap_or(0);
            }
            if stat.name != SERVES_SOCKETS {
                usage.disk_written_bytes += field(&file("io"), "wchar:").unwrap_or(0);
            }
            *usage.threads.entry(stat.name).or_default() += stat.cpu_s;
        }
        Some(usage)
    }

    /// The use since `before`, and the memory of now.
    pub(super) fn since(&self, before: &Self) -> Self {
        let of_thread = |(name, cpu_s): (&String, &f64)| {
            (name.clone(), cpu_s - before.threads.get(name).unwrap_or(&0.0))
        };
        Self {
            cpu_s: self.cpu_s - before.cpu_s,
            rss_mb: self.rss_mb,
            page_faults: self.page_faults.saturating_sub(before.page_faults),
            context_switches: self.context_switches.saturating_sub(before.context_switches),
            disk_written_bytes: self.disk_written_bytes.saturating_sub(before.disk_written_bytes),
            threads: self.threads.iter().map(of_thread).collect(),
            loopback_packets: self.loopback_packets.saturating_sub(before.loopback_packets),
        }
    }

    /// Both together, and the memory of `later`.
    pub(super) fn plus(mut self, later: Self) -> Self {
        for (name, cpu_s) in later.threads {
            *self.threads.entry(name).or_default() += cpu_s;
        }
        Self {
            cpu_s: self.cpu_s + later.cpu_s,
            rss_mb: later.rss_mb,
            page_faults: self.page_faults + later.page_faults,
            context_switches: self.context_switches + later.context_switches,
            disk_written_bytes: self.disk_written_bytes + later.disk_written_bytes,
            threads: self.threads,
            loopback_packets: self.loopback_packets + later.loopback_packets,
        }
    }
}

/// CPU seconds of each thread; the JSON alone has the idle ones.
pub(super) fn threads(usage: Option<&Usage>) -> Figure {
    let threads = usage.map(|usage| &usage.threads).into_iter().flatten();
    let row = |(name, cpu_s)| json!({ "name": name, "cpu_s": cpu_s });
    let busy = threads.clone().filter(|(_, cpu_s)| **cpu_s >= 0.005);
    let busy: Vec<_> = busy.map(|(name, cpu_s)| format!("{name} {cpu_s:.2} s")).collect();
    Figure::Short(threads.map(row).collect(), busy.join(", "))
}

/// CPU time of a process; `self` is the calling one.
pub(super) fn cpu_s(process: &str) -> Option<f64> {
    Stat::read(&format!("/proc/{process}/stat")).map(|stat| stat.cpu_s)
}

pub(super) fn rss_mb(process: u32) -> Option<f64> {
    let kib = field(&format!("/proc/{process}/status"), "VmRSS:")?;
    Some(kib as f64 / 1_024.0)
}

struct Stat {
    name: String,
    cpu_s: f64,
    page_faults: u64,
}

impl Stat {
    fn read(file: &str) -> Option<Self> {
        Self::parse(&std::fs::read_to_string(file).ok()?)
    }

    /// The name stands in parentheses, and may contain any character.
    fn parse(text: &str) -> Option<Self> {
        let (head, rest) = text.rsplit_once(") ")?;
        let (_, name) = head.split_once('(')?;
        let fields: Vec<&str> = rest.split(' ').collect();
        let number = |at: usize| fields.get(at)?.parse::<u64>().ok();
        let ticks = number(11)? + number(12)?;
        Some(Self {
            name: name.to_owned(),
            cpu_s: ticks as f64 / TICKS_PER_SECOND,
            page_faults: number(7)? + number(9)?,
        })
    }
}

fn field(file: &str, name: &str) -> Option<u64> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

fn loopback_packets() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/net/dev").ok()?;
    let line = text.lines().find_map(|line| line.trim_start().strip_prefix("lo:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_read_whatever_its_name() {
        let text = "7 (a) b (c) S 1 7 7 0 -1 0 10 0 3 0 150 50 0 0 20";
        let stat = Stat::parse(text).expect("it is complete");
        assert_eq!((stat.name.as_str(), stat.cpu_s, stat.page_faults), ("a) b (c", 2.0, 13));
    }

    #[test]
    fn this_process_has_a_usage() {
        let usage = Usage::of(std::process::id()).expect("it is there");
        assert!(usage.rss_mb > 1.0 && !usage.threads.is_empty());
        assert!(Usage::of(u32::MAX).is_none());
    }
}
