//! Why the read model cannot be written or read.

use std::fmt;
use std::path::PathBuf;

use spool::SpoolError;
use thiserror::Error;

/// Why the read model cannot be written or read. None of these concerns orders: they go on.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ProjectionError {
    /// Another process holds the file.
    #[error("{path} is locked by another program: close whatever has it open for writing")]
    Locked { path: PathBuf },
    #[error("there is no room to write {path}: make room on its disk")]
    DiskFull { path: PathBuf },
    /// It is no database, not one of ours, or something in it cannot be.
    #[error(
        "{path} is damaged ({damage}): stop the venue and make it anew with `buttonwood projection \
         rebuild`"
    )]
    Damaged { path: PathBuf, damage: String },
    #[error(
        "{path} was made by a later build: its tables have version {version}; start the later \
         build, or make it anew with `buttonwood projection rebuild`"
    )]
    Newer { path: PathBuf, version: i32 },
    #[error(
        "{path} has tables of version {version}, which an older program wrote: start the venue, or \
         make it anew with `buttonwood projection rebuild`"
    )]
    Older { path: PathBuf, version: i32 },
    #[error("there is no {path}: start the venue, or make it with `buttonwood projection rebuild`")]
    Missing { path: PathBuf },
    #[error("{path}: {error}")]
    Folder {
        path: PathBuf,
        #[source]
        error: std::io::Error,
    },
    /// What its database says, where it is none of the above.
    #[error("{path}: {error}")]
    Database {
        path: PathBuf,
        #[source]
        error: Box<dyn std::error::Error + Send + Sync>,
    },
    /// What a database on a server of its own does not do, as a whole sentence.
    #[error("{sentence}")]
    Server { standstill: Standstill, sentence: String },
    #[error("{0}")]
    Spool(#[source] SpoolError),
    /// Older events are there and cannot be read.
    #[error("history cannot take older events from the log: {0}")]
    Log(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl ProjectionError {
    pub(crate) fn is_damage(&self) -> bool {
        matches!(self, Self::Damaged { .. })
    }

    /// The same for clients.
    pub fn standstill(&self) -> Standstill {
        match self {
            Self::Locked { .. } => Standstill::Locked,
            Self::DiskFull { .. } => Standstill::DiskFull,
            Self::Damaged { .. } => Standstill::Damaged,
            Self::Missing { .. } => Standstill::Missing,
            Self::Newer { .. } | Self::Older { .. } => Standstill::OtherVersion,
            Self::Server { standstill, .. } => *standstill,
            Self::Folder { .. } | Self::Database { .. } | Self::Spool(_) | Self::Log(_) => {
                Standstill::Failed
            }
        }
    }

    /// Whether trying again may help without an operator's change to the file.
    pub(crate) fn may_pass(&self) -> bool {
        !matches!(self, Self::Newer { .. } | Self::Older { .. })
    }
}

/// Why the read model stands still. Displayed as the end of a sentence for clients, which names no
/// file.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Standstill {
    Opening,
    Missing,
    Locked,
    DiskFull,
    Damaged,
    OtherVersion,
    /// No connection to its server.
    Unreachable,
    /// Its server does not admit the venue, or lacks a right of it.
    Refused,
    OtherVenue,
    Failed,
}

impl fmt::Display for Standstill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Opening => "it is being opened or upgraded",
            Self::Missing => "its file was removed, and it is being rebuilt",
            Self::Locked => "another program locks its file",
            Self::DiskFull => "its disk is full",
            Self::Damaged => "its file was damaged, and it is being rebuilt",
            Self::OtherVersion => "its tables are of another version",
            Self::Unreachable => "its database cannot be reached",
            Self::Refused => "its database does not admit the venue",
            Self::OtherVenue => "its database is of another venue",
            Self::Failed => "its database fails",
        })
    }
}
