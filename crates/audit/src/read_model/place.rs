//! The read model that a tool is to use: the file of the data folder, or a database.

use std::path::Path;
use std::sync::Arc;

use clap::Args;
use cli::Failure;
use projection::sqlite;
use projection::{ProjectionError, RebuildError, Rebuilt};
use server::{HistoryPlace, read_history_place};
use spool::Applied;

use super::Held;

const URL_VARIABLE: &str = "BUTTONWOOD_HISTORY";
const PASSWORD_FILE_VARIABLE: &str = "BUTTONWOOD_HISTORY_PASSWORD_FILE";

#[derive(Args, Debug)]
pub(super) struct Named {
    /// Where history is kept, as `serve` takes it: one database or several, with commas
    /// [default: sqlite] [env: BUTTONWOOD_HISTORY]
    #[arg(long, value_name = "URL")]
    history: Option<String>,

    /// File with the password of the database that --history names
    /// [env: BUTTONWOOD_HISTORY_PASSWORD_FILE]
    #[arg(long, value_name = "FILE")]
    history_password_file: Option<String>,
}

impl Named {
    /// Its sentence names no password.
    pub(super) fn place(&self) -> Result<HistoryPlace, Failure> {
        let variable = |name| std::env::var(name).ok();
        let url = self.history.clone().or_else(|| variable(URL_VARIABLE));
        let file = self.history_password_file.clone();
        let file = file.or_else(|| variable(PASSWORD_FILE_VARIABLE));
        let url = url.as_deref().unwrap_or("sqlite");
        Ok(read_history_place(url, file.as_deref())?)
    }
}

/// One of the databases that have the read model.
#[derive(Debug)]
pub(super) enum Database {
    Sqlite,
    #[cfg(feature = "postgres")]
    Postgres(sinks::postgres::Address),
}

pub(super) fn databases(place: &HistoryPlace) -> Vec<Database> {
    match place {
        HistoryPlace::Sqlite => vec![Database::Sqlite],
        #[cfg(feature = "postgres")]
        HistoryPlace::Postgres { databases, .. } => {
            databases.iter().cloned().map(Database::Postgres).collect()
        }
    }
}

pub(super) fn name(database: &Database) -> String {
    match database {
        Database::Sqlite => "sqlite".to_owned(),
        #[cfg(feature = "postgres")]
        Database::Postgres(address) => address.to_string(),
    }
}

pub(super) fn held(database: &Database, dir: &Path) -> Result<Held, ProjectionError> {
    match database {
        Database::Sqlite => {
            let sqlite::Status { schema_version, progress, gaps, rows, bytes } =
                sqlite::status(dir)?;
            Ok(Held { schema_version, progress, gaps, rows, bytes })
        }
        #[cfg(feature = "postgres")]
        Database::Postgres(address) => {
            let sinks::postgres::Status { schema_version, progress, gaps, bytes } =
                sinks::postgres::status(address)?;
            Ok(Held { schema_version, progress, gaps, rows: Vec::new(), bytes })
        }
    }
}

pub(super) fn rebuild<E>(
    place: &HistoryPlace,
    dir: &Path,
    log_first_sequence: u64,
    events: impl IntoIterator<Item = Result<Arc<Applied>, E>>,
    may_forget: bool,
) -> Result<Rebuilt, RebuildError<E>> {
    match place {
        HistoryPlace::Sqlite => sqlite::rebuild(dir, log_first_sequence, events, may_forget),
        #[cfg(feature = "postgres")]
        HistoryPlace::Postgres { databases, .. } => {
            let all = projection::HistoryRetention::ALL;
            sinks::postgres::rebuild(databases, &all, log_first_sequence, events, may_forget)
        }
    }
}
