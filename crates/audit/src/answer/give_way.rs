//! The process takes only what the venue leaves: processor time and disk at idle priority, a limit
//! of memory, and the first place when memory is short.
//!
//! This file may use `unsafe`, because safe Rust has no call for the scheduling policy.

#![allow(unsafe_code)]

use std::fs;

use cli::Failure;
use rustix::process::{Resource, Rlimit, setrlimit};

/// Bytes of address space: room for the state of some ten million open orders.
const MEMORY_MAX: u64 = 8 << 30;

pub(super) fn give_way() -> Result<(), Failure> {
    let limit = Rlimit { current: Some(MEMORY_MAX), maximum: Some(MEMORY_MAX) };
    setrlimit(Resource::As, limit).map_err(|error| cannot("limit its memory", error))?;
    let first = fs::write("/proc/self/oom_score_adj", "1000");
    first.map_err(|error| cannot("be the first to end when memory is short", error))?;
    // Under this policy the disk serves the process last, too.
    let param = libc::sched_param { sched_priority: 0 };
    // SAFETY: the call reads `param`, which outlives it, and nothing else.
    if unsafe { libc::sched_setscheduler(0, libc::SCHED_IDLE, &raw const param) } != 0 {
        let error = std::io::Error::last_os_error();
        return Err(cannot("run at idle priority", error));
    }
    Ok(())
}

fn cannot(what: &str, error: impl std::fmt::Display) -> Failure {
    Failure::fault(format!("the reader of the log cannot {what}: {error}"))
}
