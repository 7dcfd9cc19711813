//! A read model made anew from the events of the log, whichever database keeps it.

use std::path::PathBuf;
use std::sync::Arc;

use crate::error::ProjectionError;
use crate::feed::backend::Store;
use spool::Applied;
use thiserror::Error;

/// Commands in one transaction.
const PAGE: usize = 20_000;

/// What a read model holds that was made anew.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Rebuilt {
    pub first_sequence: u64,
    pub last_sequence: u64,
}

#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RebuildError<E> {
    /// The events of the log cannot be had.
    #[error("{0}")]
    Events(E),
    #[error("{0}")]
    Projection(#[from] ProjectionError),
    /// What is there reaches farther back than the log.
    #[error(
        "{path} reaches back to command {first_sequence}, the log only to {log_first_sequence}: what \
         is before that would be gone for ever; say --forget if that is meant"
    )]
    WouldForget { path: PathBuf, first_sequence: u64, log_first_sequence: u64 },
    /// What is there cannot be read.
    #[error(
        "{error}. The log reaches back to command {log_first_sequence} only: what the file has of \
         before that would be gone for ever; say --forget if that is meant"
    )]
    MightForget {
        #[source]
        error: ProjectionError,
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
