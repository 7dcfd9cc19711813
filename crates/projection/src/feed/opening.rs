//! How a read model is opened: gone on with where it is of this spool, else made anew.

use crate::error::ProjectionError;
use crate::feed::backend::{Backend, Store};
use crate::progress::Progress;
use spool::{SpoolError, SpoolReader};

/// Opens what is there, or a new one in place of one that is of no use.
pub(crate) fn open<B: Backend>(
    backend: &B,
    spool: &SpoolReader,
) -> Result<B::Store, ProjectionError> {
    match backend.open() {
        Ok(store) if is_of(&store, spool)? => {
            if !can_be_filled(&store, spool)? {
                return Ok(store);
            }
            drop(store);
            tracing::warn!(
                file = %backend,
                "history had holes, and the spool has their events by now: it is made anew"
            );
            open_new(backend)
        }
        Ok(store) => {
            drop(store);
            backend.keep_beside()?; // A server's is left alone, and that is an error.
            backend.open()
        }
        Err(ProjectionError::Older { version, .. }) => {
            tracing::warn!(
                file = %backend,
                version,
                "the read model was of an older version: it is made anew from the log and the spool"
            );
            open_new(backend)
        }
        Err(error) if error.is_damage() => {
            backend.set_aside(&error)?;
            backend.open()
        }
        Err(error) => Err(error),
    }
}

fn open_new<B: Backend>(backend: &B) -> Result<B::Store, ProjectionError> {
    backend.remove()?;
    backend.open()
}

/// Whether there are holes that the spool could fill, with all else that is in the read model.
/// While its disk was full the spool was without what the log had, until it was made anew at this
/// start.
fn can_be_filled(store: &impl Store, spool: &SpoolReader) -> Result<bool, ProjectionError> {
    let (gaps, progress) = (store.gaps()?, store.progress());
    if gaps.is_empty() {
        return Ok(false);
    }
    let ends = gaps.iter().flat_map(|(first, last)| [*first, *last]);
    for sequence in ends.chain([progress.first_sequence]) {
        match spool.read_from(sequence, 1) {
            Ok(page) if page.first().is_some_and(|applied| applied.sequence == sequence) => {}
            Ok(_) | Err(SpoolError::Gone { .. }) => return Ok(false),
            Err(error) => return Err(ProjectionError::Spool(error)),
        }
    }
    Ok(true)
}

/// Whether the last command in each part is the one that the spool has under that number, as far
/// as the spool can show.
fn is_of(store: &impl Store, spool: &SpoolReader) -> Result<bool, ProjectionError> {
    for progress in store.positions() {
        if !is_known(progress, spool)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn is_known(progress: Progress, spool: &SpoolReader) -> Result<bool, ProjectionError> {
    if progress.sequence == 0 {
        return Ok(true);
    }
    match spool.read_from(progress.sequence, 1) {
        // Behind a hole the time is not known.
        Ok(page) => Ok(page.first().is_some_and(|applied| {
            progress.sequenced_ns == 0 || applied.sequenced_ns == progress.sequenced_ns
        })),
        Err(SpoolError::Gone { .. }) => Ok(true),
        Err(error) => Err(ProjectionError::Spool(error)),
    }
}
