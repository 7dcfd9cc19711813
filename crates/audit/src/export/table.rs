//! Tables on disk, as CSV or as Parquet.
//!
//! In both, prices, quantities and amounts are exact decimal texts. Parquet's DECIMAL has one scale
//! for a column, and 38 digits in most readers. Here each asset and each instrument has its own
//! scale, and amounts have up to 37 digits before the point.

use std::fmt::Display;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cli::Failure;
use cli::moment::format_time;
use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use super::create_new;

/// Rows in memory until they are written as one group.
const ROWS_PER_GROUP: usize = 65_536;

#[derive(Clone, Copy, Debug)]
pub(super) enum Format {
    Csv,
    Parquet,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Text,
    /// 64 bits.
    Number,
    /// RFC 3339 in CSV, nanoseconds since 1970 in Parquet.
    Time,
}

pub(super) type Column = (&'static str, Kind);

/// A value of a row and a column. `Empty` is empty in a CSV file, and null in a Parquet file.
#[derive(Clone, Debug)]
pub(super) enum Cell {
    Empty,
    Text(String),
    Number(u64),
    TimeNs(u64),
}

impl Cell {
    pub(super) fn text(text: impl Display) -> Self {
        Self::Text(text.to_string())
    }

    pub(super) fn optional(text: Option<impl Display>) -> Self {
        text.map_or(Self::Empty, Self::text)
    }

    pub(super) fn number(number: impl Into<u64>) -> Self {
        Self::Number(number.into())
    }
}

pub(super) struct Table {
    path: PathBuf,
    columns: &'static [Column],
    rows: u64,
    sink: Sink,
}

enum Sink {
    Csv(csv::Writer<File>),
    Parquet { writer: SerializedFileWriter<File>, group: Vec<Vec<Cell>> },
}

impl Table {
    pub(super) fn create(
        dir: &Path,
        name: &str,
        format: Format,
        columns: &'static [Column],
    ) -> Result<Self, Failure> {
        let extension = match format {
            Format::Csv => "csv",
            Format::Parquet => "parquet",
        };
        let path = dir.join(format!("{name}.{extension}"));
        let file = create_new(&path).map_err(|error| cannot_write(&path, &error))?;
        let sink = match format {
            Format::Csv => {
                let mut writer = csv::Writer::from_writer(file);
                let header = columns.iter().map(|(name, _)| name);
                writer.write_record(header).map_err(|error| cannot_write(&path, &error))?;
                Sink::Csv(writer)
            }
            Format::Parquet => {
                let writer = parquet_writer(file, name, columns);
                let writer = writer.map_err(|error| cannot_write(&path, &error))?;
                Sink::Parquet { writer, group: vec![Vec::new(); columns.len()] }
            }
        };
        Ok(Self { path, columns, rows: 0, sink })
    }

    pub(super) fn write<const N: usize>(&mut self, row: [Cell; N]) -> Result<(), Failure> {
        assert_eq!(N, self.columns.len(), "a cell for each column");
        self.rows += 1;
        match &mut self.sink {
            Sink::Csv(writer) => writer
                .write_record(row.map(csv_text))
                .map_err(|error| cannot_write(&self.path, &error)),
            Sink::Parquet { writer, group } => {
                for (column, cell) in group.iter_mut().zip(row) {
                    column.push(cell);
                }
                if group[0].len() < ROWS_PER_GROUP {
                    return Ok(());
                }
                write_group(writer, self.columns, group)
                    .map_err(|error| cannot_write(&self.path, &error))
            }
        }
    }

    /// Returns the number of rows once they are on stable storage.
    pub(super) fn finish(self) -> Result<u64, Failure> {
        let Self { path, columns, rows, sink } = self;
        let file = match sink {
            Sink::Csv(writer) => {
                writer.into_inner().map_err(|error| cannot_write(&path, &error.into_error()))?
            }
            Sink::Parquet { mut writer, mut group } => {
                write_group(&mut writer, columns, &mut group)
                    .and_then(|()| writer.into_inner())
                    .map_err(|error| cannot_write(&path, &error))?
            }
        };
        file.sync_all().map_err(|error| cannot_write(&path, &error))?;
        Ok(rows)
    }
}

fn cannot_write(path: &Path, error: &dyn Display) -> Failure {
    Failure::new(format!(
        "writing {} failed: {error}; remove its folder and export again",
        path.display()
    ))
}

fn csv_text(cell: Cell) -> String {
    match cell {
        Cell::Empty => String::new(),
        Cell::Text(text) => text,
        Cell::Number(number) => number.to_string(),
        Cell::TimeNs(time_ns) => format_time(time_ns),
    }
}

fn parquet_writer(
    file: File,
    name: &str,
    columns: &[Column],
) -> Result<SerializedFileWriter<File>, ParquetError> {
    let fields = columns.iter().map(|(column, kind)| match kind {
        Kind::Text => format!("OPTIONAL BYTE_ARRAY {column} (STRING);"),
        Kind::Number => format!("OPTIONAL INT64 {column};"),
        Kind::Time => format!("OPTIONAL INT64 {column} (TIMESTAMP(NANOS,true));"),
    });
    let schema = format!("message {name} {{ {} }}", fields.collect::<String>());
    let properties = WriterProperties::builder().set_compression(Compression::UNCOMPRESSED);
    SerializedFileWriter::new(
        file,
        Arc::new(parse_message_type(&schema)?),
        Arc::new(properties.build()),
    )
}

fn write_group(
    writer: &mut SerializedFileWriter<File>,
    columns: &[Column],
    group: &mut [Vec<Cell>],
) -> Result<(), ParquetError> {
    if group[0].is_empty() {
        return Ok(());
    }
    let mut row_group = writer.next_row_group()?;
    for ((_, kind), cells) in columns.iter().zip(group) {
        let mut column = row_group.next_column()?.expect("as many as the schema has");
        let is_there: Vec<i16> =
            cells.iter().map(|cell| i16::from(!matches!(cell, Cell::Empty))).collect();
        match kind {
            Kind::Text => {
                let texts: Vec<ByteArray> = cells.drain(..).filter_map(text).collect();
                column.typed::<ByteArrayType>().write_batch(&texts, Some(&is_there), None)?;
            }
            Kind::Number | Kind::Time => {
                let numbers: Vec<i64> = cells.drain(..).filter_map(number).collect();
                column.typed::<Int64Type>().write_batch(&numbers, Some(&is_there), None)?;
            }
        }
        column.close()?;
    }
    row_group.close().map(drop)
}

fn text(cell: Cell) -> Option<ByteArray> {
    match cell {
        Cell::Text(text) => Some(text.into_bytes().into()),
        Cell::Empty => None,
        other => unreachable!("{other:?} is no text"),
    }
}

fn number(cell: Cell) -> Option<i64> {
    match cell {
        // Parquet's are signed; ids and times before 2262 are below 2^63.
        Cell::Number(number) | Cell::TimeNs(number) => Some(number.cast_signed()),
        Cell::Empty => None,
        Cell::Text(text) => unreachable!("{text} is no number"),
    }
}
