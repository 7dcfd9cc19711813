//! Work on a copy of this process's memory, which costs the thread that asks no more than a fork.
//!
//! fork(2) gives a child that has all memory as it is at this moment; the system copies a page only
//! when the parent writes to it afterwards. So the engine's thread stops for as long as it takes to
//! copy the page tables, and the state is encoded at leisure while orders are carried out.
//!
//! # Why `unsafe`
//! Only the calling thread lives on in the child, and a lock that another thread held at that moment
//! stays locked there for ever. What runs in the child may therefore do nothing but compute, allocate
//! (the C library sees to it that its allocator can be used after a fork) and write to the pipe: no
//! logging, no other locks. That no type can say.
//!
//! # Invariants
//! - A child never outlives the thread that forked it: it has the venue's lock and sockets too.
//! - It ends without unwinding into its caller, and without running what a process runs at its end.
#![allow(unsafe_code, reason = "there is no safe way to fork; see above")]

use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::panic::{self, AssertUnwindSafe};

/// A child that takes longer than this has hung, and is ended.
const LIFETIME_MAX_S: u32 = 600;
/// Orders come first.
const NICENESS: libc::c_int = 10;

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
            // SAFETY: `status` outlives the call, and nobody else waits for this child.
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

/// Lets this thread run only when the others leave it time. It is no matter if that is not granted.
pub(crate) fn give_way() {
    // SAFETY: a system call without memory of ours. Only on Linux is it about the thread alone.
    #[cfg(target_os = "linux")]
    unsafe {
        libc::nice(NICENESS);
    }
}

fn live(parent: libc::pid_t, mut input: PipeWriter, work: impl FnOnce() -> Vec<u8>) -> ! {
    // SAFETY: system calls without memory of ours.
    unsafe {
        #[cfg(target_os = "linux")]
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        if libc::getppid() != parent {
            libc::_exit(1);
        }
        libc::alarm(LIFETIME_MAX_S);
    }
    give_way();
    // The usual hook writes to stderr, whose lock may be held by a thread that is not here.
    panic::set_hook(Box::new(|_| {}));
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

    #[test]
    fn a_child_that_panics_is_an_error_and_harms_nobody() {
        let error = Child::fork(|| panic!("on purpose")).unwrap().output().unwrap_err();
        assert!(error.to_string().contains("ended early"), "{error}");
    }

    #[test]
    fn a_child_that_nobody_waits_for_any_more_is_ended() {
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

    /// The engine's thread may die with the venue's lock held: the child must not keep it.
    #[test]
    fn a_child_ends_with_the_thread_that_forked_it() {
        let (mut begun, mut begins) = io::pipe().unwrap();
        let sleep = move || {
            begins.write_all(&[1]).unwrap();
            std::thread::sleep(Duration::from_secs(60));
            Vec::new()
        };
        let fork = move || {
            let child = Child::fork(sleep).unwrap();
            begun.read_exact(&mut [0]).unwrap();
            child
        };
        let child = std::thread::spawn(fork).join().unwrap();
        let begun = Instant::now();
        child.output().unwrap_err();
        assert!(begun.elapsed() < Duration::from_secs(30));
    }
}
