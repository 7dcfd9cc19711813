//! Which machine, and which versions: a figure means nothing without them.

use std::path::Path;

use serde::Serialize;

#[derive(Clone, Debug, Serialize)]
pub(super) struct Machine {
    cpu: String,
    cores: usize,
    memory_mb: u64,
    kernel: String,
    /// Of the venue's folder.
    file_system: String,
    /// Programs that wanted a core when the run began, over the minute before. Well above nothing,
    /// it was not the only one.
    load_before: String,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Versions {
    buttonwood: &'static str,
    build: &'static str,
}

impl Machine {
    pub(super) fn here(folder: &Path) -> Self {
        let uname = rustix::system::uname();
        Self {
            cpu: value_of("/proc/cpuinfo", "model name").unwrap_or_else(unknown),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            memory_mb: value_of("/proc/meminfo", "MemTotal")
                .and_then(|text| text.split(' ').next()?.parse::<u64>().ok())
                .map_or(0, |kib| kib / 1_024),
            kernel: format!(
                "{} {}",
                uname.sysname().to_string_lossy(),
                uname.release().to_string_lossy()
            ),
            file_system: file_system(folder),
            load_before: std::fs::read_to_string("/proc/loadavg")
                .ok()
                .and_then(|text| text.split(' ').next().map(str::to_owned))
                .unwrap_or_else(unknown),
        }
    }

    pub(super) fn sentence(&self) -> String {
        let Self { cpu, cores, memory_mb, kernel, file_system, load_before } = self;
        format!(
            "{cpu}, {cores} cores, {memory_mb} MB, {kernel}, {file_system}; load before the run {load_before}"
        )
    }
}

impl Versions {
    pub(super) fn here() -> Self {
        let build = if cfg!(debug_assertions) { "debug" } else { "release" };
        Self { buttonwood: env!("CARGO_PKG_VERSION"), build }
    }

    pub(super) fn sentence(self) -> String {
        format!("buttonwood {}, {} build", self.buttonwood, self.build)
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
