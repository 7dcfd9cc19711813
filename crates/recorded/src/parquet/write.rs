//! Tables written as Parquet, row by row.
//!
//! Columns are required and uncompressed. Rows wait in memory until a group is full.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use super::invalid;

/// Rows of one group.
const ROWS_PER_GROUP: usize = 65_536;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    Text,
    Whole,
    Number,
    Flag,
    /// Nanoseconds since 1970 UTC.
    Time,
}

/// A value of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<'a> {
    Text(&'a str),
    Whole(i64),
    Number(f64),
    Flag(bool),
    Time(i64),
}

/// A file that is being written. It has no footer until [`finish`](Self::finish).
pub struct TableWriter {
    writer: SerializedFileWriter<File>,
    columns: Vec<Buffer>,
    rows: usize,
}

enum Buffer {
    Text(Vec<ByteArray>),
    /// Whole numbers and times.
    Whole(Vec<i64>),
    Number(Vec<f64>),
    Flag(Vec<bool>),
}

impl std::fmt::Debug for TableWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "TableWriter of {} columns", self.columns.len())
    }
}

impl TableWriter {
    pub fn create(path: &Path, name: &str, columns: &[(&str, ColumnKind)]) -> io::Result<Self> {
        let field = |(column, kind): &(&str, ColumnKind)| match kind {
            ColumnKind::Text => format!("REQUIRED BYTE_ARRAY {column} (STRING);"),
            ColumnKind::Whole => format!("REQUIRED INT64 {column};"),
            ColumnKind::Number => format!("REQUIRED DOUBLE {column};"),
            ColumnKind::Flag => format!("REQUIRED BOOLEAN {column};"),
            ColumnKind::Time => format!("REQUIRED INT64 {column} (TIMESTAMP(NANOS,true));"),
        };
        let fields: String = columns.iter().map(field).collect();
        let schema = parse_message_type(&format!("message {name} {{ {fields} }}"));
        let schema = Arc::new(schema.map_err(invalid)?);
        let properties = WriterProperties::builder().set_compression(Compression::UNCOMPRESSED);
        let file = File::create(path)?;
        let writer = SerializedFileWriter::new(file, schema, Arc::new(properties.build()));
        let buffer = |(_, kind): &(&str, ColumnKind)| match kind {
            ColumnKind::Text => Buffer::Text(Vec::new()),
            ColumnKind::Whole | ColumnKind::Time => Buffer::Whole(Vec::new()),
            ColumnKind::Number => Buffer::Number(Vec::new()),
            ColumnKind::Flag => Buffer::Flag(Vec::new()),
        };
        let columns = columns.iter().map(buffer).collect();
        Ok(Self { writer: writer.map_err(invalid)?, columns, rows: 0 })
    }

    /// Appends a row, whose cells are of the kinds of the columns.
    pub fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
        assert_eq!(cells.len(), self.columns.len(), "a cell for each column");
        for (column, cell) in self.columns.iter_mut().zip(cells) {
            match (column, *cell) {
                (Buffer::Text(texts), Cell::Text(text)) => texts.push(text.into()),
                (Buffer::Whole(numbers), Cell::Whole(number) | Cell::Time(number)) => {
                    numbers.push(number);
                }
                (Buffer::Number(numbers), Cell::Number(number)) => numbers.push(number),
                (Buffer::Flag(flags), Cell::Flag(flag)) => flags.push(flag),
                (_, cell) => unreachable!("{cell:?} in a column of another kind"),
            }
        }
        self.rows += 1;
        if self.rows < ROWS_PER_GROUP { Ok(()) } else { self.write_group().map_err(invalid) }
    }

    /// Writes what waits, and the footer.
    pub fn finish(mut self) -> io::Result<()> {
        self.write_group().map_err(invalid)?;
        self.writer.close().map(drop).map_err(invalid)
    }

    fn write_group(&mut self) -> Result<(), ParquetError> {
        if std::mem::take(&mut self.rows) == 0 {
            return Ok(());
        }
        let mut group = self.writer.next_row_group()?;
        for buffer in &mut self.columns {
            let mut column = group.next_column()?.expect("as many as the schema has");
            match buffer {
                Buffer::Text(all) => {
                    column.typed::<ByteArrayType>().write_batch(all, None, None)?;
                    all.clear();
                }
                Buffer::Whole(all) => {
                    column.typed::<Int64Type>().write_batch(all, None, None)?;
                    all.clear();
                }
                Buffer::Number(all) => {
                    column.typed::<DoubleType>().write_batch(all, None, None)?;
                    all.clear();
                }
                Buffer::Flag(all) => {
                    column.typed::<BoolType>().write_batch(all, None, None)?;
                    all.clear();
                }
            }
            column.close()?;
        }
        group.close().map(drop)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn a_written_table_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trades.parquet");
        // A column that no table of trades has is left out by the reader.
        let columns = [
            ("time", ColumnKind::Time),
            ("price", ColumnKind::Number),
            ("size", ColumnKind::Whole),
            ("side", ColumnKind::Text),
            ("is_own", ColumnKind::Flag),
        ];
        let mut table = TableWriter::create(&path, "trades", &columns).unwrap();
        let rows = ROWS_PER_GROUP as i64 + 2;
        for row in 0..rows {
            let time = Cell::Time(1_640_991_660_000_000_000 + row);
            let cells =
                [time, Cell::Number(0.1), Cell::Whole(row), Cell::Text("buy"), Cell::Flag(true)];
            table.row(&cells).unwrap();
        }
        table.finish().unwrap();
        let mut text = String::new();
        crate::open(path).unwrap().read_to_string(&mut text).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!((lines.len() as i64, lines[0]), (rows + 1, "time,price,size,side"));
        let last = format!("{},0.1,{},buy", 1_640_991_660_000_000_000 + rows - 1, rows - 1);
        assert_eq!(*lines.last().unwrap(), last);
    }
}
