//! Tables in Parquet, as the CSV that the readers of tables take. `write.rs` writes tables.
//!
//! The columns that a table of trades, bars or depth may have are printed row by row; all others
//! are left out. A float becomes the shortest decimal that reads as it, a time the nanoseconds
//! since 1970, a null an empty column.
//!
//! # Known limits
//! - Nested columns are left out. Of the compressions, Snappy, gzip and zstd can be read.
//! - The library panics at some damaged pages. The panic becomes an error.

mod write;

use std::cell;
use std::fs::File;
use std::io::{self, Read, Write};
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use parquet::basic::{ConvertedType, LogicalType, TimeUnit};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{
    BoolType, ByteArrayType, DataType, DoubleType, FixedLenByteArrayType, FloatType, Int32Type,
    Int64Type, Int96Type,
};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;
use types::format_decimal;

pub use self::write::{Cell, ColumnKind, TableWriter};
use crate::names::{is_column, without_unit};

pub(crate) const MAGIC: &[u8] = b"PAR1";
const ROWS_PER_READ: usize = 2_048;
/// The index of a table that pandas wrote, which is nearly always its time.
const PANDAS_INDEX: &str = "__index_level_0__";
const NS_PER_DAY: i64 = 24 * 60 * 60 * 1_000_000_000;

/// See [`open`].
pub(crate) struct Csv {
    file: SerializedFileReader<File>,
    columns: Vec<Column>,
    /// The next group of rows.
    group: usize,
    text: Vec<u8>,
    at: usize,
}

/// A column that is printed.
struct Column {
    position: usize,
    kind: Kind,
    is_optional: bool,
    reader: Option<ColumnReader>,
    cells: Cells,
}

#[derive(Clone, Copy)]
enum Kind {
    Plain,
    /// With the nanoseconds of a unit.
    Time(i64),
    /// With a number of places.
    Decimal(u8),
}

/// The cells of some rows, one text after the other.
#[derive(Default)]
struct Cells {
    text: Vec<u8>,
    ends: Vec<usize>,
    levels: Vec<i16>,
}

/// Reads the footer; the table's text follows, beginning with the names of its columns.
pub(crate) fn open(file: File) -> io::Result<Csv> {
    caught(|| open_table(file))
}

fn open_table(file: File) -> io::Result<Csv> {
    let file = SerializedFileReader::new(file).map_err(invalid)?;
    let schema = file.metadata().file_metadata().schema_descr_ptr();
    let mut names = Vec::new();
    let mut columns = Vec::new();
    for (position, column) in schema.columns().iter().enumerate() {
        let path = column.path().string();
        let name = if path == PANDAS_INDEX { "timestamp" } else { &*path };
        if column.max_rep_level() == 0 && column.max_def_level() <= 1 && is_column(name) {
            let kind = Kind::of(column);
            // A time is printed in nanoseconds, whatever the unit in the column's name.
            let is_time = matches!(kind, Kind::Time(_));
            names.push(if is_time { without_unit(name).0 } else { name }.to_owned());
            columns.push(Column {
                position,
                kind,
                is_optional: column.max_def_level() == 1,
                reader: None,
                cells: Cells::default(),
            });
        }
    }
    if columns.is_empty() {
        return Err(invalid_text("no column of trades, bars or depth"));
    }
    let text = format!("{}\n", names.join(",")).into_bytes();
    Ok(Csv { file, columns, group: 0, text, at: 0 })
}

impl Kind {
    fn of(column: &ColumnDescriptor) -> Self {
        let unit = |unit: &TimeUnit| match unit {
            TimeUnit::MILLIS => 1_000_000,
            TimeUnit::MICROS => 1_000,
            TimeUnit::NANOS => 1,
        };
        match (column.logical_type_ref(), column.converted_type()) {
            (Some(LogicalType::Timestamp(stamp)), _) => return Self::Time(unit(&stamp.unit)),
            (Some(LogicalType::Date), _) | (_, ConvertedType::DATE) => {
                return Self::Time(NS_PER_DAY);
            }
            (_, ConvertedType::TIMESTAMP_MILLIS) => return Self::Time(1_000_000),
            (_, ConvertedType::TIMESTAMP_MICROS) => return Self::Time(1_000),
            _ => {}
        }
        match u8::try_from(column.type_scale()) {
            Ok(scale) if scale > 0 => Self::Decimal(scale),
            _ => Self::Plain,
        }
    }
}

impl Read for Csv {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.text.len() {
            if !caught(|| self.print_rows())? {
                return Ok(0);
            }
        }
        let read = (&self.text[self.at..]).read(buffer)?;
        self.at += read;
        Ok(read)
    }
}

impl Csv {
    /// Prints the next rows; false after the last.
    fn print_rows(&mut self) -> io::Result<bool> {
        self.text.clear();
        self.at = 0;
        loop {
            if self.columns[0].reader.is_none() {
                if self.group == self.file.num_row_groups() {
                    return Ok(false);
                }
                let group = self.file.get_row_group(self.group).map_err(invalid)?;
                for column in &mut self.columns {
                    let reader = group.get_column_reader(column.position).map_err(invalid)?;
                    column.reader = Some(reader);
                }
                self.group += 1;
            }
            let mut rows = None;
            for column in &mut self.columns {
                let found = column.read()?;
                if *rows.get_or_insert(found) != found {
                    return Err(invalid_text("columns have different numbers of rows"));
                }
            }
            match rows {
                Some(rows) if rows > 0 => {
                    (0..rows).for_each(|row| self.print_row(row));
                    return Ok(true);
                }
                _ => self.columns.iter_mut().for_each(|column| column.reader = None),
            }
        }
    }

    fn print_row(&mut self, row: usize) {
        for column in &self.columns {
            self.text.extend_from_slice(column.cells.get(row));
            self.text.push(b',');
        }
        self.text.pop();
        self.text.push(b'\n');
    }
}

impl Column {
    /// Reads the cells of some rows, and returns their number.
    fn read(&mut self) -> io::Result<usize> {
        let (kind, is_optional, cells) = (self.kind, self.is_optional, &mut self.cells);
        let whole = |number: i64, out: &mut Vec<u8>| print_number(kind, number.into(), out);
        match self.reader.as_mut().expect("a group was begun") {
            ColumnReader::BoolColumnReader(reader) => {
                cells.read::<BoolType>(reader, is_optional, |value, out| write!(out, "{value}"))
            }
            ColumnReader::Int32ColumnReader(reader) => {
                cells.read::<Int32Type>(reader, is_optional, |value, out| {
                    whole((*value).into(), out)
                })
            }
            ColumnReader::Int64ColumnReader(reader) => {
                cells.read::<Int64Type>(reader, is_optional, |value, out| whole(*value, out))
            }
            ColumnReader::Int96ColumnReader(reader) => {
                cells.read::<Int96Type>(reader, is_optional, |value, out| {
                    write!(out, "{}", value.to_nanos())
                })
            }
            ColumnReader::FloatColumnReader(reader) => {
                cells.read::<FloatType>(reader, is_optional, |value, out| write!(out, "{value}"))
            }
            ColumnReader::DoubleColumnReader(reader) => {
                cells.read::<DoubleType>(reader, is_optional, |value, out| write!(out, "{value}"))
            }
            ColumnReader::ByteArrayColumnReader(reader) => {
                cells.read::<ByteArrayType>(reader, is_optional, |value, out| match kind {
                    Kind::Decimal(_) => print_big(kind, value.data(), out),
                    _ => print_text(value.data(), out),
                })
            }
            ColumnReader::FixedLenByteArrayColumnReader(reader) => cells
                .read::<FixedLenByteArrayType>(reader, is_optional, |value, out| {
                    print_big(kind, value.data(), out)
                }),
        }
    }
}

impl Cells {
    fn read<T: DataType>(
        &mut self,
        reader: &mut ColumnReaderImpl<T>,
        is_optional: bool,
        print: impl Fn(&T::T, &mut Vec<u8>) -> io::Result<()>,
    ) -> io::Result<usize> {
        self.text.clear();
        self.ends.clear();
        self.levels.clear();
        let mut values = Vec::new();
        let levels = is_optional.then_some(&mut self.levels);
        let (rows, ..) =
            reader.read_records(ROWS_PER_READ, levels, None, &mut values).map_err(invalid)?;
        let mut values = values.iter();
        for row in 0..rows {
            if !is_optional || self.levels.get(row) == Some(&1) {
                let value = values.next().ok_or_else(|| invalid_text("a column is cut"))?;
                print(value, &mut self.text)?;
            }
            self.ends.push(self.text.len());
        }
        Ok(rows)
    }

    fn get(&self, row: usize) -> &[u8] {
        let begin = if row == 0 { 0 } else { self.ends[row - 1] };
        &self.text[begin..self.ends[row]]
    }
}

fn print_number(kind: Kind, number: i128, out: &mut Vec<u8>) -> io::Result<()> {
    match kind {
        Kind::Plain => write!(out, "{number}"),
        Kind::Time(unit_ns) => write!(out, "{}", number * i128::from(unit_ns)),
        Kind::Decimal(places) => write!(out, "{}", format_decimal(number, places, places)),
    }
}

/// A decimal in two's complement, the highest byte first.
fn print_big(kind: Kind, bytes: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
    if bytes.len() > size_of::<i128>() {
        return Err(invalid_text("a decimal of more than 128 bits"));
    }
    let sign = if bytes.first().is_some_and(|high| high & 0x80 > 0) { -1 } else { 0 };
    let number = bytes.iter().fold(sign, |number: i128, byte| number << 8 | i128::from(*byte));
    print_number(kind, number, out)
}

fn print_text(text: &[u8], out: &mut Vec<u8>) -> io::Result<()> {
    if text.iter().any(|byte| matches!(byte, b',' | b'\n' | b'\r' | b'"')) {
        return Err(invalid_text("a text with a comma, a quote or an end of a line"));
    }
    out.write_all(text)
}

thread_local! {
    /// Whether this thread is in the library's code.
    static IS_INSIDE: cell::Cell<bool> = const { cell::Cell::new(false) };
}

/// Runs the library's code. After an error nothing is read on, so that it does not matter in which
/// state a panic leaves the table.
fn caught<T>(read: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    static HOOK: Once = Once::new();
    // A panic in there is an error of the file, which the caller reports: no other line of it.
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !IS_INSIDE.get() {
                before(panic);
            }
        }));
    });
    IS_INSIDE.set(true);
    let caught = catch_unwind(AssertUnwindSafe(read));
    IS_INSIDE.set(false);
    caught.unwrap_or_else(|_| Err(invalid_text("the file is damaged")))
}

fn invalid(error: ParquetError) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}

fn invalid_text(text: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("Parquet: {text}"))
}

#[cfg(test)]
mod tests;
