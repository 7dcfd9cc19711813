//! Work on a copy of this process's memory, which costs the thread that asks no more than a fork.
//!
//! fork(2) gives a child that has all memory as it is at this moment; the system copies a page only
//! when the parent writes to it afterwards. So the engine's thread stops for as long as it takes to
//! copy the page tables, and the state is encoded at leisure while orders are carried out.
//!
//! # Why `unsafe`
//! Only the calling thread lives on in the child, and a lock that another thread held at that
//! moment stays locked there for ever. What runs in the child may therefore do nothing but compute,
//! allocate (the C library sees to it that its allocator can be used after a fork) and write to the
//! pipe: no logging, no other locks. That no type can say. A child that panics ends in the panic
//! hook, which the parent has put there beforehand: to set a hook takes a lock that threads hold
//! while they panic.
//!
//! # Invariants
//! - A child never outlives the thread that forked it, and has none of the venue's files and
//!   sockets: no lock is held and no connection kept open because of it.
//! - It ends without unwinding into its caller, and without running what a process runs at its end.
#![allow(unsafe_code, reason = "there is no safe way to fork; see above")]

use std::io::{self, PipeReader, PipeWriter, Read, Write};
#[cfg(target_os = "linux")]
use std::os::fd::AsRawFd;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

#[cfg(target_os = "linux")]
use crate::pin::leave_core_of;

/// A child that takes longer than this has hung, and is ended.
const LIFETIME_MAX_S: u32 = 3_600;
const NICENESS: libc::c_int = 10;

static IS_CHILD: AtomicBool = AtomicBool::new(false);

/// A child process that writes what it has found to a pipe.
#[derive(Debug)]
pub(crate) struct Child {
    pid: libc::pid_t,
    output: PipeReader,
    is_reaped: bool,
}

impl Child {
    /// Has `work` done in a child; what it returns is read by [`Child::output`].
    pub(crate) fn fork(work: impl FnOnce() -> Vec<u8>) -> io::Result<Self> {
        end_children_that_panic();
        let (output, input) = io::pipe()?;
        let parent = libc::pid_t::try_from(std::process::id()).expect("it came from one");
        // SAFETY: the child goes no further than `live`, which keeps to what the module says.
        match unsafe { libc::fork() } {
            -1 => Err(io::Error::last_os_error()),
            0 => live(parent, input, work),
            pid => Ok(Self { pid, output, is_reaped: false }),
        }
    }

    /// All that the child found, once it has ended well.
    pub(crate) fn output(mut self) -> io::Result<Vec<u8>> {
        let mut found = Vec::new();
        self.output.read_to_end(&mut found)?;
        match self.reap()? {
            0 => Ok(found),
            status => Err(io::Error::other(format!(
                "the child that encoded the state ended early, with status {status}"
            ))),
        }
    }

    fn reap(&mut self) -> io::Result<libc::c_int> {
        self.is_reaped = true;
        let mut status = 0;
        loop {
            // SAFETY: `status` outlives the call, and no other code waits for this child.
            if unsafe { libc::waitpid(self.pid, &raw mut status, 0) } == self.pid {
                return Ok(status);
            }
            let error = io::Error::last_os_error();
            if error.kind() != io::ErrorKind::Interrupted {
                return Err(error);
            }
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if self.is_reaped {
            return;
        }
        // SAFETY: it has not been reaped, so the number is still its own.
        unsafe { libc::kill(self.pid, libc::SIGKILL) };
        // Nothing is left to be done about a child that cannot be waited for.
        let _ = self.reap();
    }
}

/// The usual hook writes to stderr, whose lock may be held by a thread that is not in the child,
/// and unwinding may need locks of the loader. So a child that panics goes no further than here.
fn end_children_that_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if IS_CHILD.load(Ordering::Relaxed) {
                // SAFETY: it does not return, and runs nothing of what a process runs at its end.
                unsafe { libc::_exit(1) }
            }
            usual(info);
        }));
    });
}

/// Lets this thread run less when others want to: orders come first. It is no matter if that is not
/// granted. Not less than that, for it may hold what the others wait for.
pub(crate) fn give_way() {
    // SAFETY: a system call without memory of ours. Only on Linux is it about the thread alone.
    #[cfg(target_os = "linux")]
    unsafe {
        libc::nice(NICENESS);
    }
}

/// Lets a child run only on idle cores: no other thread waits for what it holds.
/// A merely nice process is let finish its time slice, of some milliseconds, while others wait.
fn stand_back() {
    // SAFETY: a system call that reads what is here.
    #[cfg(target_os = "linux")]
    unsafe {
        let no_priority = libc::sched_param { sched_priority: 0 };
        if libc::sched_setscheduler(0, libc::SCHED_IDLE, &raw const no_priority) != 0 {
            give_way();
        }
    }
}

/// Closes what a child has been left, the standard streams excepted. A system that does not know
/// how leaves it all open, which only delays what others learn of a closed connection.
fn close_all_but(kept: &PipeWriter) {
    #[cfg(target_os = "linux")]
    {
        const FIRST: libc::c_uint = 3;
        let kept = libc::c_uint::try_from(kept.as_raw_fd()).expect("it is open");
        // SAFETY: nothing in the child uses what is closed here, nor ends in a way that would drop
        // it.
        unsafe {
            if kept > FIRST {
                libc::syscall(libc::SYS_close_range, FIRST, kept - 1, 0);
            }
            libc::syscall(libc::SYS_close_range, kept + 1, libc::c_uint::MAX, 0);
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = kept;
}

fn live(parent: libc::pid_t, mut input: PipeWriter, work: impl FnOnce() -> Vec<u8>) -> ! {
    IS_CHILD.store(true, Ordering::Relaxed);
    // SAFETY: system calls without memory of ours.
    unsafe {
        #[cfg(target_os = "linux")]
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        if libc::getppid() != parent {
            libc::_exit(1);
        }
        libc::alarm(LIFETIME_MAX_S);
    }
    #[cfg(target_os = "linux")]
    leave_core_of(parent);
    close_all_but(&input);
    stand_back();
    // If another hook has replaced ours, a panic ends here.
    let done = panic::catch_unwind(AssertUnwindSafe(|| input.write_all(&work())));
    // SAFETY: it does not return.
    unsafe { libc::_exit(i32::from(!matches!(done, Ok(Ok(()))))) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    #[test]
    fn a_child_sees_what_was_and_not_what_came_after() {
        let mut numbers = vec![7_u8; 3_000_000];
        let child = Child::fork(|| numbers.clone()).unwrap();
        numbers.fill(8);
        let found = child.output().unwrap();
        assert!(found.len() == 3_000_000 && found.iter().all(|number| *number == 7));
    }

    /// A client whose connection the venue closes must not wait for the child.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_child_keeps_no_file_and_no_connection_open() {
        use std::net::{TcpListener, TcpStream};
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (connection, _) = listener.accept().unwrap();
        let (mut begun, mut begins) = io::pipe().unwrap();
        let child = Child::fork(move || {
            // What the test itself opened is closed as well: it is gone before the child begins.
            assert!(begins.write_all(&[1]).is_err());
            std::thread::sleep(Duration::from_secs(60));
            Vec::new()
        })
        .unwrap();
        let size = begun.read_to_end(&mut Vec::new()).unwrap();
        assert_eq!(size, 0);
        drop(connection);
        client.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        assert_eq!(client.read(&mut [0]).unwrap(), 0, "it is closed at once");
        drop(child);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_child_runs_on_idle_cores_only() {
        // SAFETY: a system call without memory of ours.
        let policy = || unsafe { u8::try_from(libc::sched_getscheduler(0)).unwrap() };
        let child = Child::fork(|| vec![policy()]).unwrap();
        assert_eq!(child.output().unwrap(), [u8::try_from(libc::SCHED_IDLE).unwrap()]);
        assert_ne!(i32::from(policy()), libc::SCHED_IDLE);
    }

    /// There it would take turns with the engine, for as long as it takes to encode the state.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_child_does_not_stay_on_the_core_of_a_pinned_thread() {
        use rustix::thread::{CpuSet, sched_getaffinity};
        let everywhere = sched_getaffinity(None).unwrap();
        let count = |cores: CpuSet| vec![u8::try_from(cores.count().min(255)).unwrap()];
        if everywhere.count() == 1 {
            return eprintln!("SKIPPED: there is one core only");
        }
        let number = (0..CpuSet::MAX_CPU).find(|number| everywhere.is_set(*number)).unwrap();
        let core = crate::pin::Core::new(number);
        let pinned = std::thread::spawn(move || {
            crate::pin::keep_this_thread_to(Some(core));
            let child = Child::fork(|| count(sched_getaffinity(None).unwrap())).unwrap();
            (count(sched_getaffinity(None).unwrap()), child.output().unwrap())
        });
        assert_eq!(pinned.join().unwrap(), (vec![1], count(everywhere)));
    }

    #[test]
    fn a_child_that_panics_is_an_error_and_harms_no_other_process() {
        let error = Child::fork(|| panic!("on purpose")).unwrap().output().unwrap_err();
        assert!(error.to_string().contains("ended early"), "{error}");
    }

    #[test]
    fn a_child_that_is_no_longer_awaited_is_ended() {
        let begun = Instant::now();
        let sleep = || {
            std::thread::sleep(Duration::from_secs(60));
            Vec::new()
        };
        let child = Child::fork(sleep).unwrap();
        let pid = child.pid;
        drop(child);
        assert!(begun.elapsed() < Duration::from_secs(30));
        assert!(!std::path::Path::new(&format!("/proc/{pid}")).exists());
    }

    /// A thread that panics holds the lock of the panic hook for as long as the hook runs.
    #[test]
    fn a_child_ends_though_another_thread_was_panicking() {
        const PANICS: &str = "panics slowly";
        let (in_hook, panicking) = std::sync::mpsc::channel();
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if std::thread::current().name() != Some(PANICS) {
                return usual(info);
            }
            in_hook.send(()).unwrap();
            std::thread::sleep(Duration::from_millis(50));
        }));
        for round in 0..20 {
            let panics = std::thread::Builder::new().name(PANICS.to_owned());
            let panics = panics.spawn(|| panic!("on purpose")).unwrap();
            panicking.recv().unwrap();
            let works = Child::fork(|| vec![7]).unwrap();
            let fails = Child::fork(|| panic!("on purpose")).unwrap();
            let (ended, ends) = std::sync::mpsc::channel();
            std::thread::spawn(move || ended.send((works.output(), fails.output())));
            let (works, fails) = ends
                .recv_timeout(Duration::from_secs(30))
                .unwrap_or_else(|_| panic!("round {round}: a child waits for a lock"));
            assert_eq!(works.unwrap(), [7]);
            fails.unwrap_err();
            panics.join().unwrap_err();
        }
    }

    /// The engine's thread may die with the venue's lock held: the child must not keep it.
    #[test]
    fn a_child_ends_with_the_thread_that_forked_it() {
        let (mut begun, begins) = io::pipe().unwrap();
        let sleep = || {
            std::thread::sleep(Duration::from_secs(60));
            Vec::new()
        };
        let fork = move || {
            let child = Child::fork(sleep).unwrap();
            // The child has its signal set before it closes its end of the pipe.
            drop(begins);
            begun.read_to_end(&mut Vec::new()).unwrap();
            child
        };
        let child = std::thread::spawn(fork).join().unwrap();
        let begun = Instant::now();
        child.output().unwrap_err();
        assert!(begun.elapsed() < Duration::from_secs(30));
    }
}
