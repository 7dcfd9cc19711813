//! Threads that are kept to one core each.

use std::io;

#[cfg(target_os = "linux")]
use rustix::thread::{CpuSet, sched_setaffinity};

/// A processor core, by the number that the system has for it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Core(usize);

impl Core {
    pub const fn new(number: usize) -> Self {
        Self(number)
    }

    /// Finds out whether threads of this process can be kept to this core, by trying it with one
    /// that ends. The set of cores on which the process may run now is no guide: isolcpus and
    /// taskset leave out what may be named here all the same.
    pub fn check(self) -> io::Result<()> {
        let trial = std::thread::Builder::new().name("pin-trial".into());
        let tried = trial.spawn(move || self.keep_this_thread())?;
        tried.join().map_err(|_| io::Error::other("the thread that tried it panicked"))?
    }

    pub const fn number(self) -> usize {
        self.0
    }

    #[cfg(target_os = "linux")]
    fn keep_this_thread(self) -> io::Result<()> {
        if self.0 >= CpuSet::MAX_CPU {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let mut cores = CpuSet::new();
        cores.set(self.0);
        Ok(sched_setaffinity(None, &cores)?)
    }

    #[cfg(not(target_os = "linux"))]
    fn keep_this_thread(self) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Keeps the calling thread to its core, if it has one. The core was checked before, so this fails
/// only where it was taken away since: the thread then works as one that is not pinned.
pub(crate) fn keep_this_thread_to(core: Option<Core>) {
    let Some(core) = core else { return };
    if let Err(error) = core.keep_this_thread() {
        let thread = std::thread::current();
        let name = thread.name().unwrap_or_default();
        tracing::warn!(core = core.0, %error, "the thread {name} is not pinned");
    }
}

/// Lets the calling thread run where those of a process may that are not pinned. What a pinned
/// thread starts, a thread or a child, would else take turns with it on its core. It does nothing
/// but system calls. It is no matter if they are not granted.
#[cfg(target_os = "linux")]
pub(crate) fn leave_core_of(process: libc::pid_t) {
    use rustix::thread::{Pid, sched_getaffinity};
    // The number of a process is that of its main thread, which is never pinned.
    if let Ok(cores) = sched_getaffinity(Pid::from_raw(process)) {
        let _ = sched_setaffinity(None, &cores);
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_core_that_is_not_there_is_refused() {
        for number in [CpuSet::MAX_CPU - 1, CpuSet::MAX_CPU, usize::MAX] {
            assert_eq!(Core::new(number).check().unwrap_err().kind(), io::ErrorKind::InvalidInput);
        }
    }

    #[test]
    fn looking_for_a_core_leaves_the_thread_where_it_was() {
        let cores = || rustix::thread::sched_getaffinity(None).unwrap();
        let before = cores();
        for number in (0..CpuSet::MAX_CPU).filter(|number| before.is_set(*number)) {
            Core::new(number).check().unwrap();
        }
        assert_eq!(cores(), before);
    }
}
