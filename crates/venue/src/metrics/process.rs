//! The process as Prometheus' own libraries show theirs: time, memory, open files.

use std::fmt;
use std::fs;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::Unit;
use rustix::param::{clock_ticks_per_second, page_size};
use rustix::process::{Resource, getrlimit};

/// Fields of `/proc/self/stat` behind the name of the program, from 0 (proc(5)).
const USER_TICKS: usize = 11;
const SYSTEM_TICKS: usize = 12;
const START_TICKS: usize = 19;
const RESIDENT_PAGES: usize = 21;

/// Reads `/proc` at each scrape. Where there is none, it shows nothing.
#[derive(Debug)]
pub(crate) struct Process;

impl Collector for Process {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let Some(stat) = Stat::read() else { return Ok(()) };
        let (seconds, bytes) = (Unit::Seconds, Unit::Bytes);
        let help = "Processor time that the process has used";
        let kind = MetricType::Counter;
        let mut metric = encoder.encode_descriptor("process_cpu", help, Some(&seconds), kind)?;
        metric.encode_counter::<NoLabelSet, f64, u64>(&stat.cpu_s, None)?;
        let kind = MetricType::Gauge;
        let help = "Memory of the process that is in RAM";
        let name = "process_resident_memory";
        let mut metric = encoder.encode_descriptor(name, help, Some(&bytes), kind)?;
        metric.encode_gauge(&stat.resident_bytes)?;
        if let Some(started_s) = stat.started_s {
            let help = "When the process began, in Unix time";
            let name = "process_start_time";
            let mut metric = encoder.encode_descriptor(name, help, Some(&seconds), kind)?;
            metric.encode_gauge(&started_s)?;
        }
        if let Ok(open) = fs::read_dir("/proc/self/fd") {
            let help = "Open files, connections included";
            let mut metric = encoder.encode_descriptor("process_open_fds", help, None, kind)?;
            metric.encode_gauge(&(open.count() as u64))?;
        }
        if let Some(files_max) = getrlimit(Resource::Nofile).current {
            let help = "Open files that the process may have";
            let mut metric = encoder.encode_descriptor("process_max_fds", help, None, kind)?;
            metric.encode_gauge(&files_max)?;
        }
        Ok(())
    }
}

struct Stat {
    cpu_s: f64,
    resident_bytes: u64,
    started_s: Option<f64>,
}

impl Stat {
    fn read() -> Option<Self> {
        let stat = fs::read_to_string("/proc/self/stat").ok()?;
        // The name may have blanks, and ends with the last bracket.
        let (_, fields) = stat.rsplit_once(") ")?;
        let fields: Vec<_> = fields.split_ascii_whitespace().collect();
        let field = |at: usize| fields.get(at)?.parse::<u64>().ok();
        let seconds = |ticks: u64| ticks as f64 / clock_ticks_per_second() as f64;
        let boot_s = fs::read_to_string("/proc/stat").ok();
        let boot_s = boot_s.as_deref().and_then(|text| {
            let line = text.lines().find_map(|line| line.strip_prefix("btime "))?;
            line.trim().parse::<f64>().ok()
        });
        let start = seconds(field(START_TICKS)?);
        Some(Self {
            cpu_s: seconds(field(USER_TICKS)? + field(SYSTEM_TICKS)?),
            resident_bytes: field(RESIDENT_PAGES)? * page_size() as u64,
            started_s: boot_s.map(|boot_s| boot_s + start),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::{SystemTime, UNIX_EPOCH};

    use super::*;

    #[test]
    fn this_process_has_memory_and_a_past() {
        let stat = Stat::read().unwrap();
        assert!(stat.resident_bytes > 1 << 20, "{}", stat.resident_bytes);
        let now_s = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs_f64();
        let age_s = now_s - stat.started_s.unwrap();
        assert!((-2.0..3_600.0).contains(&age_s), "{age_s}");
        assert!(stat.cpu_s >= 0.0);
    }
}
