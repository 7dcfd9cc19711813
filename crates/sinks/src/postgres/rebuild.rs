//! Makes the read model of a stopped venue anew.

use std::path::PathBuf;
use std::sync::Arc;

use projection::{HistoryRetention, RebuildError, Rebuilt, Store, fill};
use spool::Applied;

use crate::postgres::address::Address;
use crate::postgres::partition::span_ns;
use crate::postgres::routes::Routes;
use crate::postgres::store::PostgresStore;

/// Makes all of it anew, in one transaction: a failure leaves the old one as it was. `events` is
/// all that the log has, and begins with the command `log_first_sequence`. If the old read model
/// reaches farther back than the log it is kept, unless it may be forgotten.
///
/// The caller holds the lock of the data folder, so that no venue is running on it.
pub fn rebuild<E>(
    addresses: &[Address],
    retention: &HistoryRetention,
    log_first_sequence: u64,
    events: impl IntoIterator<Item = Result<Arc<Applied>, E>>,
    may_forget: bool,
) -> Result<Rebuilt, RebuildError<E>> {
    let partition_ns = span_ns(retention);
    let routes = Arc::new(Routes::to(addresses.len()));
    let mut store = PostgresStore::connect(addresses, Arc::default(), routes)?;
    if !may_forget {
        check_older(addresses, &store, log_first_sequence)?;
    }
    store.begin_anew(partition_ns)?;
    fill(&mut store, log_first_sequence, events)?;
    let progress = store.progress();
    store.finish()?;
    Ok(Rebuilt { first_sequence: progress.first_sequence, last_sequence: progress.sequence })
}

fn check_older<E>(
    addresses: &[Address],
    store: &PostgresStore,
    log_first_sequence: u64,
) -> Result<(), RebuildError<E>> {
    for (address, progress) in addresses.iter().zip(store.positions()) {
        let has_any = progress.sequence >= progress.first_sequence;
        if has_any && progress.first_sequence < log_first_sequence {
            return Err(RebuildError::WouldForget {
                path: PathBuf::from(address.to_string()),
                first_sequence: progress.first_sequence,
                log_first_sequence,
            });
        }
    }
    Ok(())
}
