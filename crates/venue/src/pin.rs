//! Threads that are kept to one core each, and those that are kept off the cores of orders.

use std::cell::Cell;
use std::io;

#[cfg(target_os = "linux")]
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

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

/// Starts threads that follow orders, and do not carry them. They run on every core but those of
/// orders: the named ones, or without any the last one on which the caller may run. Linux often
/// runs a thread on the core of the one that woke it, and orders would wait there for the threads
/// that they wake. A thread inherits its cores from the one that starts it. Where no core would be
/// left, or the system does not grant this, they run wherever the caller may.
#[cfg(target_os = "linux")]
pub(crate) fn beside_orders<R>(named: [Option<Core>; 2], start: impl FnOnce() -> R) -> R {
    let Ok(cores) = sched_getaffinity(None) else { return start() };
    let is_free = sched_setaffinity(None, &without_those_of_orders(cores, named)).is_ok();
    let started = start();
    if is_free && let Err(error) = sched_setaffinity(None, &cores) {
        tracing::warn!(%error, "this thread stays off the cores of orders");
    }
    started
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn beside_orders<R>(_: [Option<Core>; 2], start: impl FnOnce() -> R) -> R {
    start()
}

/// The cores of a thread that [`beside_orders`] has started where no cores are named.
#[derive(Debug, Default)]
pub struct FollowerCores {
    has_all: Cell<bool>,
}

impl FollowerCores {
    /// Lets the calling thread run on the cores of orders too, or else keeps it off them.
    #[cfg(target_os = "linux")]
    pub fn use_all(&self, all: bool) {
        if self.has_all.get() == all {
            return;
        }
        // The number of a process is that of its main thread, which is never pinned. While it
        // starts threads with `beside_orders` it has no more cores than they: then the next call
        // tries again.
        let moved = sched_getaffinity(Some(rustix::process::getpid())).and_then(|cores| {
            let others = without_those_of_orders(cores, [None, None]);
            sched_setaffinity(None, if all { &cores } else { &others })?;
            self.has_all.set(all && cores != others);
            Ok(())
        });
        if let Err(error) = moved {
            tracing::debug!(%error, "this thread stays on its cores");
        }
    }

    #[cfg(not(target_os = "linux"))]
    pub fn use_all(&self, all: bool) {
        self.has_all.set(all);
    }
}

#[cfg(target_os = "linux")]
fn without_those_of_orders(cores: CpuSet, named: [Option<Core>; 2]) -> CpuSet {
    let mut others = cores;
    let named = named.into_iter().flatten().map(Core::number);
    let last = || (0..CpuSet::MAX_CPU).rfind(|number| cores.is_set(*number));
    let mut of_orders: Vec<_> = named.filter(|number| *number < CpuSet::MAX_CPU).collect();
    if of_orders.is_empty() {
        of_orders.extend(last());
    }
    of_orders.into_iter().for_each(|number| others.unset(number));
    if others.count() > 0 { others } else { cores }
}

/// Lets the calling thread run where those of a process may that are not pinned. What a pinned
/// thread starts, a thread or a child, would else take turns with it on its core. It does nothing
/// but system calls. It is no matter if they are not granted.
#[cfg(target_os = "linux")]
pub(crate) fn leave_core_of(process: libc::pid_t) {
    use rustix::thread::Pid;
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
        let cores = || sched_getaffinity(None).unwrap();
        let before = cores();
        for number in (0..CpuSet::MAX_CPU).filter(|number| before.is_set(*number)) {
            Core::new(number).check().unwrap();
        }
        assert_eq!(cores(), before);
    }

    #[test]
    fn a_thread_that_follows_orders_takes_their_cores_and_leaves_them() {
        let follower = std::thread::spawn(|| {
            let cores = || sched_getaffinity(None).unwrap();
            let all = cores();
            let follower_cores = FollowerCores::default();
            follower_cores.use_all(false);
            assert_eq!(cores(), all, "it was started where it belongs");
            follower_cores.use_all(true);
            assert_eq!(cores(), all);
            follower_cores.use_all(false);
            assert_eq!(cores(), without_those_of_orders(all, [None, None]));
            follower_cores.use_all(true);
            assert_eq!(cores(), all);
        });
        follower.join().unwrap();
    }

    #[test]
    fn what_follows_orders_stays_off_their_cores_unless_none_is_left() {
        let set = |numbers: &[usize]| {
            let mut cores = CpuSet::new();
            numbers.iter().for_each(|number| cores.set(*number));
            cores
        };
        let check = |cores: &[usize], named: [Option<usize>; 2], others: &[usize]| {
            let found = without_those_of_orders(set(cores), named.map(|core| core.map(Core::new)));
            assert_eq!(found, set(others), "{cores:?} {named:?}");
        };
        check(&[0, 1], [None, None], &[0]);
        check(&[2, 5, 7], [None, None], &[2, 5]);
        check(&[4], [None, None], &[4]);
        check(&[0, 1], [Some(0), None], &[1]);
        check(&[0, 1, 2, 3], [Some(3), Some(2)], &[0, 1]);
        check(&[0, 1], [Some(0), Some(1)], &[0, 1]);
        // Isolated from all others: `taskset` or `isolcpus` has left the named ones out.
        check(&[0, 1], [Some(3), Some(2)], &[0, 1]);
    }

    #[test]
    fn the_one_that_starts_them_stays_where_it_was() {
        let cores = || sched_getaffinity(None).unwrap();
        let before = cores();
        let started = beside_orders([None, None], || std::thread::spawn(cores));
        assert_eq!(started.join().unwrap(), without_those_of_orders(before, [None, None]));
        assert_eq!(cores(), before);
    }
}
