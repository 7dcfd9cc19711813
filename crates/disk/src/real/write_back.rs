//! Writing a part of a file back.
//!
//! A sync waits for all that the device has before it. The `sync_file_range` of Linux, for which no
//! safe library has a function, writes a part of a file and waits for the device, without metadata
//! and without a flush of the device's cache.

#![allow(unsafe_code, reason = "there is no safe way to write a part back; see above")]

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

const WRITE_AND_WAIT: libc::c_uint = libc::SYNC_FILE_RANGE_WAIT_BEFORE
    | libc::SYNC_FILE_RANGE_WRITE
    | libc::SYNC_FILE_RANGE_WAIT_AFTER;

pub(super) fn write_back(file: &File, offset: u64, size: u64) -> io::Result<()> {
    let offset = i64::try_from(offset).map_err(io::Error::other)?;
    let size = i64::try_from(size).map_err(io::Error::other)?;
    // SAFETY: a system call without memory of ours, on a file that is open.
    let done = unsafe { libc::sync_file_range(file.as_raw_fd(), offset, size, WRITE_AND_WAIT) };
    match io::Error::last_os_error() {
        _ if done == 0 => Ok(()),
        // A file system that cannot do so writes it when it is synced.
        error if is_unsupported(&error) => Ok(()),
        error => Err(error),
    }
}

fn is_unsupported(error: &io::Error) -> bool {
    let none = [libc::ENOSYS, libc::EOPNOTSUPP, libc::EINVAL, libc::ESPIPE];
    error.raw_os_error().is_some_and(|code| none.contains(&code))
}
