//! Rows that are inserted several at a time: most of what a row costs is its statement.

use rusqlite::{CachedStatement, ToSql, Transaction};

use crate::give_way::give_way;

/// Rows of one statement. Threads that wait for the processor wait for no more than these.
const ROWS_AT_ONCE: usize = 16;

/// Inserts rows, or puts them in place of those with their key. `into` is the table, `values` the
/// values of a row with a mark for each that `bind` binds.
pub(crate) fn insert<T>(
    transaction: &Transaction<'_>,
    into: &str,
    values: &str,
    rows: &[T],
    bind: impl Fn(&mut Row<'_, '_>, &T) -> rusqlite::Result<()>,
) -> rusqlite::Result<()> {
    let prepare = |count| {
        let values = vec![values; count].join(", ");
        transaction.prepare_cached(&format!("INSERT OR REPLACE INTO {into} VALUES {values}"))
    };
    let run = |statement: &mut CachedStatement<'_>, rows: &[T]| {
        let mut bound = Row { statement, next: 1 };
        rows.iter().try_for_each(|row| bind(&mut bound, row))?;
        statement.raw_execute().map(|_| ())
    };
    let (many, rest) = rows.as_chunks::<ROWS_AT_ONCE>();
    if !many.is_empty() {
        let mut statement = prepare(ROWS_AT_ONCE)?;
        for rows in many {
            give_way(0);
            run(&mut statement, rows)?;
        }
    }
    let mut statement = prepare(1)?;
    for (at, row) in rest.iter().enumerate() {
        give_way(at);
        run(&mut statement, std::slice::from_ref(row))?;
    }
    Ok(())
}

/// Takes the values of rows, one row after the other.
pub(crate) struct Row<'a, 'b> {
    statement: &'a mut CachedStatement<'b>,
    next: usize,
}

impl Row<'_, '_> {
    pub(crate) fn bind(&mut self, values: &[&dyn ToSql]) -> rusqlite::Result<()> {
        for value in values {
            self.statement.raw_bind_parameter(self.next, value)?;
            self.next += 1;
        }
        Ok(())
    }
}
