//! A read model made anew from the events of the log, whichever database keeps it.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use crate::error::ProjectionError;
use crate::feed::backend::Store;
use spool::Applied;

/// Commands in one transaction.
const PAGE: usize = 20_000;

/// What a read model holds that was made anew.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Rebuilt {
    pub first_sequence: u64,
    pub last_sequence: u64,
}

#[derive(Debug)]
#[non_exhaustive]
pub enum RebuildError<E> {
    /// The events of the log cannot be had.
    Events(E),
    Projection(ProjectionError),
    /// What is there reaches farther back than the log.
    WouldForget {
        path: PathBuf,
        first_sequence: u64,
        log_first_sequence: u64,
    },
}

/// Fills a new read model, which begins with the command `first_sequence`.
pub fn fill<E>(
    store: &mut impl Store,
    first_sequence: u64,
    events: impl IntoIterator<Item = Result<Arc<Applied>, E>>,
) -> Result<(), RebuildError<E>> {
    if first_sequence > 1 {
        store.pass_over(first_sequence)?;
    }
    let mut page: Vec<Arc<Applied>> = Vec::with_capacity(PAGE);
    for applied in events {
        page.push(applied.map_err(RebuildError::Events)?);
        if page.len() >= PAGE {
            store.add(page.iter().map(|applied| &**applied))?;
            page.clear();
        }
    }
    store.add(page.iter().map(|applied| &**applied))?;
    Ok(())
}

impl<E> From<ProjectionError> for RebuildError<E> {
    fn from(error: ProjectionError) -> Self {
        Self::Projection(error)
    }
}

impl<E: fmt::Display> fmt::Display for RebuildError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Events(error) => error.fmt(f),
            Self::Projection(error) => error.fmt(f),
            Self::WouldForget { path, first_sequence, log_first_sequence } => write!(
                f,
                "{} reaches back to command {first_sequence}, the log only to {log_first_sequence}: \
                 what is before that would be gone for ever; say --forget if that is meant",
                path.display()
            ),
        }
    }
}

impl<E: fmt::Debug + fmt::Display> std::error::Error for RebuildError<E> {}
