//! Reasons for which the venue refuses a command.

use std::fmt;

/// Why the venue refused a command. Nothing has changed, and the client may send it again.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Refused {
    /// The queue is full.
    Overloaded,
    /// The disk is full: the venue accepts only commands that remove orders, out of a reserve.
    DiskFull,
    /// Another machine is the primary, or becomes it.
    NotPrimary,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Overloaded => "the venue is overloaded: try again",
            Self::DiskFull => {
                "the venue's disk is full: it takes cancels only, until there is room"
            }
            Self::NotPrimary => "this machine is not the venue's primary: try another one",
        })
    }
}

impl std::error::Error for Refused {}
