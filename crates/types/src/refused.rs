//! Why the venue did not take a command.

use std::fmt;

/// Why a command was not taken. Nothing has happened; it may be sent again.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Refused {
    /// The queue is full.
    Overloaded,
    /// The disk is full: only what takes orders away is taken, as long as there is a reserve.
    DiskFull,
    /// Another machine is the primary, or is to become it.
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
