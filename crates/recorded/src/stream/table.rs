//! Tables as CSV whose first line names the columns.

use std::io::BufRead;

use crate::fault::{Fault, ReadError};
use crate::lines::{Columns, Lines};
use crate::moment::{parse_time, parse_time_in};
use crate::names::{Names, without_unit};
use crate::units::Decimal;

/// Columns beyond these are not looked at.
const COLUMNS_MAX: usize = 32;

/// A row's columns.
pub(super) struct Row<'a> {
    columns: [&'a [u8]; COLUMNS_MAX],
    count: usize,
}

/// The position of a column.
pub(super) type Column = usize;

/// A column of times, and the nanoseconds of its unit if its name states one.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimeColumn {
    at: Column,
    unit_ns: Option<i64>,
}

impl<'a> Row<'a> {
    #[inline]
    pub(super) fn new(line: &'a [u8]) -> Self {
        let mut row = Row { columns: [&[]; COLUMNS_MAX], count: 0 };
        for column in Columns::new(line) {
            if row.count < COLUMNS_MAX {
                row.columns[row.count] = column;
            }
            row.count += 1;
        }
        row
    }

    pub(super) fn expect_columns(&self, expected: usize) -> Result<(), Fault> {
        if self.count == expected {
            return Ok(());
        }
        let found = self.count;
        Err(Fault::Row(format!("{found} columns where {expected} are expected")))
    }

    #[inline]
    pub(super) fn text(&self, column: Column) -> &'a [u8] {
        self.columns[column]
    }

    #[inline]
    pub(super) fn decimal(&self, column: Column) -> Result<Decimal, Fault> {
        Decimal::parse(self.text(column)).ok_or_else(|| self.wrong(column, "a decimal"))
    }

    #[inline]
    pub(super) fn time(&self, column: TimeColumn) -> Result<i64, Fault> {
        let text = self.text(column.at);
        let time = match column.unit_ns {
            Some(unit_ns) => parse_time_in(text, unit_ns),
            None => parse_time(text),
        };
        time.ok_or_else(|| self.wrong(column.at, "a time"))
    }

    /// Both times of a row, which are one column where a table has no local times.
    #[inline]
    pub(super) fn times(
        &self,
        exchange: TimeColumn,
        local: TimeColumn,
    ) -> Result<(i64, i64), Fault> {
        let exchange_ns = self.time(exchange)?;
        let local_ns = if local.at == exchange.at { exchange_ns } else { self.time(local)? };
        Ok((exchange_ns, local_ns))
    }

    #[cold]
    pub(super) fn wrong(&self, column: Column, expected: &str) -> Fault {
        let text = self.text(column).escape_ascii();
        Fault::Row(format!("column {}: \"{text}\" is not {expected}", column + 1))
    }
}

/// A table's lines behind its header.
#[derive(Debug)]
pub(super) struct Table<R> {
    pub(super) lines: Lines<R>,
    pub(super) names: Vec<String>,
}

impl<R: BufRead> Table<R> {
    pub(super) fn open(source: R) -> Result<Self, ReadError> {
        let mut lines = Lines::new(source);
        let Some(header) = lines.next()? else {
            return Err(lines.place().fault(Fault::Form("the file is empty".to_owned())));
        };
        let names: Vec<String> = header_names(header);
        if names.len() > COLUMNS_MAX {
            let text = format!("{} columns are above the limit of {COLUMNS_MAX}", names.len());
            return Err(lines.place().fault(Fault::Form(text)));
        }
        Ok(Self { lines, names })
    }

    pub(super) fn column(&self, names: Names) -> Option<Column> {
        find(&self.names, names)
    }

    /// A column of times, whose name may have a unit at its end.
    pub(super) fn time_column(&self, names: Names) -> Option<TimeColumn> {
        find_time(&self.names, names)
    }

    /// The column of times that the format cannot be read without.
    pub(super) fn needed_time(&self, names: Names) -> Result<TimeColumn, ReadError> {
        self.time_column(names).ok_or_else(|| self.missing(names))
    }

    /// A column that the format cannot be read without.
    pub(super) fn needed(&self, names: Names) -> Result<Column, ReadError> {
        self.column(names).ok_or_else(|| self.missing(names))
    }

    fn missing(&self, names: Names) -> ReadError {
        let text = format!("no column {}: the first line must name it", names.join(", "));
        self.lines.place().fault(Fault::Form(text))
    }
}

/// Names in lower case.
pub(crate) fn header_names(header: &[u8]) -> Vec<String> {
    let lower = |name: &[u8]| String::from_utf8_lossy(name.trim_ascii()).to_ascii_lowercase();
    Columns::new(header).map(lower).collect()
}

/// The column of times by its name, with or without a unit at its end.
pub(super) fn find_time(found: &[String], names: Names) -> Option<TimeColumn> {
    names.iter().find_map(|name| {
        let at = found.iter().position(|found| found == name || without_unit(found).0 == *name)?;
        Some(TimeColumn { at, unit_ns: without_unit(&found[at]).1 })
    })
}

pub(crate) fn find(found: &[String], names: Names) -> Option<Column> {
    names.iter().find_map(|name| found.iter().position(|found| found == name))
}
