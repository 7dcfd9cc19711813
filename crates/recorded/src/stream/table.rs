//! Tables as CSV whose first line names the columns.

use std::io::BufRead;

use crate::fault::{Fault, ReadError};
use crate::lines::{Columns, Lines};
use crate::moment::parse_time;
use crate::names::Names;
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
    pub(super) fn time(&self, column: Column) -> Result<i64, Fault> {
        parse_time(self.text(column)).ok_or_else(|| self.wrong(column, "a time"))
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

    /// A column that the format cannot be read without.
    pub(super) fn needed(&self, names: Names) -> Result<Column, ReadError> {
        self.column(names).ok_or_else(|| {
            let text = format!("no column {}: the first line must name it", names.join(", "));
            self.lines.place().fault(Fault::Form(text))
        })
    }
}

/// Names in lower case.
pub(crate) fn header_names(header: &[u8]) -> Vec<String> {
    let lower = |name: &[u8]| String::from_utf8_lossy(name.trim_ascii()).to_ascii_lowercase();
    Columns::new(header).map(lower).collect()
}

pub(crate) fn find(found: &[String], names: Names) -> Option<Column> {
    names.iter().find_map(|name| found.iter().position(|found| found == name))
}
