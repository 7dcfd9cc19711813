//! The offset of the machine's clock, as the kernel knows it from its time service.
//!
//! # Why `unsafe`
//! The offset comes from `adjtimex`, for which none of our crates has a safe wrapper. The call gets
//! a zeroed structure of its own; with `modes` 0 it only reads.
#![allow(unsafe_code, reason = "there is no safe way to read the offset; see above")]

use std::fmt;

use crate::metrics::exposition::{Exposition, MetricSource};

/// Reads the kernel's clock at each scrape.
#[derive(Debug)]
pub(crate) struct TimeSync;

impl MetricSource for TimeSync {
    fn write(&self, out: &mut Exposition<'_>) -> fmt::Result {
        let Some((offset_s, is_synchronized)) = read() else { return Ok(()) };
        let help = "Offset of the machine's clock that its time service still corrects";
        out.gauge("clock_offset_seconds", help, offset_s)?;
        let help = "1 while a time service keeps the machine's clock in step";
        out.gauge("clock_synchronized", help, u64::from(is_synchronized))
    }
}

fn read() -> Option<(f64, bool)> {
    // SAFETY: every field is a number, for which zero is a value.
    let mut state: libc::timex = unsafe { std::mem::zeroed() };
    // SAFETY: the structure is this function's own, and with `modes` 0 nothing is set.
    let status = unsafe { libc::adjtimex(&raw mut state) };
    let unit = if state.status & libc::STA_NANO == 0 { 1e6 } else { 1e9 };
    (status >= 0).then(|| (state.offset as f64 / unit, state.status & libc::STA_UNSYNC == 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_knows_an_offset_below_a_second() {
        let (offset_s, _) = read().unwrap();
        assert!(offset_s.abs() < 1.0, "{offset_s}");
    }
}
