//! The machine and the versions of a run: a figure means nothing without them.

use std::path::Path;

use super::report::{Report, report};

/// `folder` is the venue's: its disk is measured.
pub(super) fn here(folder: &Path) -> Report {
    let build = if cfg!(debug_assertions) { "debug" } else { "release" };
    report! {
        machine: machine(folder),
        versions: report! { buttonwood: env!("CARGO_PKG_VERSION"), build: build },
    }
}

fn machine(folder: &Path) -> Report {
    let uname = rustix::system::uname();
    let (system, release) = (uname.sysname().to_string_lossy(), uname.release().to_string_lossy());
    report! {
        cpu: value_of("/proc/cpuinfo", "model name").unwrap_or_else(unknown),
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        memory_mb: value_of("/proc/meminfo", "MemTotal")
            .and_then(|text| text.split(' ').next()?.parse::<u64>().ok())
            .map_or(0, |kib| kib / 1_024),
        kernel: format!("{system} {release}"),
        file_system: file_system(folder),
        // The average of the minute before the run.
        load_before: std::fs::read_to_string("/proc/loadavg")
            .ok()
            .and_then(|text| text.split(' ').next().map(str::to_owned))
            .unwrap_or_else(unknown),
    }
}

fn unknown() -> String {
    "unknown".into()
}

fn value_of(file: &str, name: &str) -> Option<String> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    line.split_once(':').map(|(_, value)| value.trim().to_owned())
}

/// What is mounted at the nearest folder above.
fn file_system(folder: &Path) -> String {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.into());
    let mounts = std::fs::read_to_string("/proc/mounts").unwrap_or_default();
    let mount = |line: &str| {
        let mut words = line.split(' ');
        let (_, at, kind) = (words.next()?, words.next()?.to_owned(), words.next()?.to_owned());
        folder.starts_with(&at).then_some((at.len(), kind))
    };
    mounts.lines().filter_map(mount).max().map_or_else(unknown, |(_, kind)| kind)
}
