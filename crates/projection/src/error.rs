//! Why the read model cannot be written or read.

use std::fmt;
use std::path::PathBuf;

use spool::SpoolError;

/// Why the read model cannot be written or read. None of these concerns orders: they go on.
#[derive(Debug)]
#[non_exhaustive]
pub enum ProjectionError {
    /// Another process holds the file.
    Locked {
        path: PathBuf,
    },
    DiskFull {
        path: PathBuf,
    },
    /// It is no database, not one of ours, or something in it cannot be.
    Damaged {
        path: PathBuf,
        damage: String,
    },
    Newer {
        path: PathBuf,
        version: i32,
    },
    Older {
        path: PathBuf,
        version: i32,
    },
    Missing {
        path: PathBuf,
    },
    Folder {
        path: PathBuf,
        error: std::io::Error,
    },
    /// What its database says, where it is none of the above.
    Database {
        path: PathBuf,
        error: Box<dyn std::error::Error + Send + Sync>,
    },
    Spool(SpoolError),
}

impl ProjectionError {
    pub(crate) fn is_damage(&self) -> bool {
        matches!(self, Self::Damaged { .. })
    }

    /// Whether trying again may help without an operator's change to the file.
    pub(crate) fn may_pass(&self) -> bool {
        !matches!(self, Self::Newer { .. } | Self::Older { .. })
    }
}

impl fmt::Display for ProjectionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Locked { path } => write!(
                f,
                "{} is locked by another program: close whatever has it open for writing",
                path.display()
            ),
            Self::DiskFull { path } => {
                write!(f, "there is no room to write {}: make room on its disk", path.display())
            }
            Self::Damaged { path, damage } => write!(
                f,
                "{} is damaged ({damage}): stop the venue and make it anew with `buttonwood \
                 projection rebuild`",
                path.display()
            ),
            Self::Newer { path, version } => write!(
                f,
                "{} has tables of version {version}, which a newer program wrote: use that one, \
                 or make it anew with `buttonwood projection rebuild`",
                path.display()
            ),
            Self::Older { path, version } => write!(
                f,
                "{} has tables of version {version}, which an older program wrote: start the \
                 venue, or make it anew with `buttonwood projection rebuild`",
                path.display()
            ),
            Self::Missing { path } => write!(
                f,
                "there is no {}: start the venue, or make it with `buttonwood projection rebuild`",
                path.display()
            ),
            Self::Folder { path, error } => write!(f, "{}: {error}", path.display()),
            Self::Database { path, error } => write!(f, "{}: {error}", path.display()),
            Self::Spool(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ProjectionError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Folder { error, .. } => Some(error),
            Self::Database { error, .. } => Some(&**error),
            Self::Spool(error) => Some(error),
            _ => None,
        }
    }
}
