//! Ctrl-C and SIGTERM: the first ends the run with its report, the second ends the process.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use cli::Failure;
use tokio::signal::unix::{SignalKind, signal};

static STOP: AtomicBool = AtomicBool::new(false);
/// The status of a process that ctrl-c has ended.
const INTERRUPTED: i32 = 130;

/// The flag that the first signal sets.
pub(crate) fn flag() -> Result<&'static AtomicBool, Failure> {
    let failed = |error| Failure::fault(format!("cannot wait for ctrl-c: {error}"));
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_io().build().map_err(failed)?;
    let (mut interrupt, mut terminate) = {
        let _inside = runtime.enter();
        let listen = |kind| signal(kind).map_err(failed);
        (listen(SignalKind::interrupt())?, listen(SignalKind::terminate())?)
    };
    thread::spawn(move || {
        runtime.block_on(async {
            loop {
                tokio::select! {
                    _ = interrupt.recv() => {}
                    _ = terminate.recv() => {}
                }
                if STOP.swap(true, Ordering::Relaxed) {
                    std::process::exit(INTERRUPTED);
                }
            }
        });
    });
    Ok(&STOP)
}
