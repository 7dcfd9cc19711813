//! The process takes only what the venue leaves: processor time and disk at idle priority, a limit
//! of memory, and the first place when memory is short. It has no network.
//!
//! This file may use `unsafe`, because safe Rust has no call for the scheduling policy.

#![allow(unsafe_code)]

use std::env::consts::ARCH;
use std::fs;

use cli::Failure;
use rustix::process::{Resource, Rlimit, setrlimit};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};

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
    leave_network().map_err(|error| cannot("do without the network", error))
}

/// Calls that make a socket, or a ring that could, fail from now on: the process needs its two
/// pipes and files, and what it reads is all that the venue knows.
fn leave_network() -> Result<(), seccompiler::Error> {
    let refused = [libc::SYS_socket, libc::SYS_socketpair, libc::SYS_io_uring_setup];
    let rules = refused.map(|call| (call, Vec::new())).into_iter().collect();
    let errno = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, errno, ARCH.try_into()?)?;
    let program: BpfProgram = filter.try_into()?;
    seccompiler::apply_filter(&program)
}

fn cannot(what: &str, error: impl std::fmt::Display) -> Failure {
    Failure::fault(format!("the reader of the log cannot {what}: {error}"))
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;
    use std::net::{TcpListener, TcpStream, UdpSocket};
    use std::os::unix::net::UnixStream;

    use super::*;

    #[test]
    fn a_process_without_network_makes_no_socket() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        // The filter is that of its thread, and of threads that it starts.
        std::thread::spawn(move || {
            leave_network().unwrap();
            let refused = [
                TcpListener::bind("127.0.0.1:0").unwrap_err(),
                TcpStream::connect(address).unwrap_err(),
                UdpSocket::bind("127.0.0.1:0").unwrap_err(),
                UnixStream::pair().unwrap_err(),
            ];
            assert!(refused.iter().all(|error| error.kind() == ErrorKind::PermissionDenied));
            assert!(fs::read("/proc/self/stat").is_ok());
        })
        .join()
        .unwrap();
        TcpStream::connect(address).unwrap();
    }
}
