//! Ctrl-C: the first ends the run with a partial report, the second ends the process.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use cli::Failure;

static STOP: AtomicBool = AtomicBool::new(false);

/// The flag that the first ctrl-c sets.
pub(super) fn flag() -> Result<&'static AtomicBool, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()
        .map_err(|error| Failure::fault(format!("cannot wait for ctrl-c: {error}")))?;
    thread::spawn(move || {
        runtime.block_on(async {
            while tokio::signal::ctrl_c().await.is_ok() {
                if STOP.swap(true, Ordering::Relaxed) {
                    std::process::exit(130);
                }
            }
        });
    });
    Ok(&STOP)
}
