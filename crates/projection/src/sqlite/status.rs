//! What the read model of a venue holds, for its operator. The venue may run.

use std::path::Path;

use rusqlite::Connection;

use crate::error::ProjectionError;
use crate::progress::Progress;
use crate::sqlite::column::Columns;
use crate::sqlite::failure;
use crate::sqlite::files;
use crate::sqlite::schema;
use crate::sqlite::store::{read_gaps, read_progress};

#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Status {
    pub schema_version: i32,
    pub progress: Progress,
    /// The first and the last command of each hole.
    pub gaps: Vec<(u64, u64)>,
    /// How many rows each table has.
    pub rows: Vec<(&'static str, u64)>,
    pub bytes: u64,
}

const COUNTED: [&str; 10] = [
    "orders",
    "amendments",
    "trades",
    "fills",
    "candles",
    "prevented_matches",
    "order_lists",
    "balance_changes",
    "transfers",
    "audit",
];

/// Of the venue in this folder.
pub fn status(data_dir: &Path) -> Result<Status, ProjectionError> {
    of(&files::path(data_dir))
}

pub(crate) fn of(path: &Path) -> Result<Status, ProjectionError> {
    let connection = schema::open_to_read(path)?;
    read(&connection).map_err(failure::at(path))
}

fn read(connection: &Connection) -> rusqlite::Result<Status> {
    let count = |table: &'static str| {
        let select = format!("SELECT count(*) FROM {table}");
        connection.query_row(&select, [], |row| Ok((table, row.uint(0)?)))
    };
    let pages: i64 = connection.pragma_query_value(None, "page_count", |row| row.get(0))?;
    let page_size: i64 = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
    Ok(Status {
        schema_version: schema::SCHEMA_VERSION,
        progress: read_progress(connection)?,
        gaps: read_gaps(connection)?,
        rows: COUNTED.into_iter().map(count).collect::<Result<_, _>>()?,
        bytes: u64::try_from(pages * page_size).unwrap_or_default(),
    })
}
