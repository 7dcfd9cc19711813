//! Standard output of the tools.
//!
//! A reader may leave early, as `head` does. That is no failure: the tool finishes its work, and
//! its exit status is that of the work. `println!` panics instead, which stops the work half way.

use std::fmt;
use std::io::{ErrorKind, Write};

use crate::failure::Failure;

/// Prints a text as it is.
pub fn print(text: impl fmt::Display) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    is_read(write!(out, "{text}").and_then(|()| out.flush())).map(drop)
}

/// Prints a text and the end of its line.
pub fn print_line(text: impl fmt::Display) -> Result<(), Failure> {
    print(format_args!("{text}\n"))
}

/// Whether the reader of standard output is still there, by the result of a write. Without one, a
/// tool whose only work is its output may stop.
pub fn is_read(written: std::io::Result<()>) -> Result<bool, Failure> {
    match written {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Failure::fault(format!("cannot print: {error}"))),
    }
}

/// Prints a line on standard error, where a tool has nothing else to do if that fails.
pub fn print_error(text: impl fmt::Display) {
    let _reader_has_left = writeln!(std::io::stderr().lock(), "{text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_that_has_left_is_no_failure_and_a_full_disk_is_one() {
        assert!(is_read(Ok(())).unwrap());
        assert!(!is_read(Err(ErrorKind::BrokenPipe.into())).unwrap());
        let sentence = is_read(Err(ErrorKind::StorageFull.into())).unwrap_err().to_string();
        assert!(sentence.starts_with("cannot print: "), "{sentence}");
    }
}
