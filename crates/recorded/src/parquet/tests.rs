//! Tests of tables in Parquet.

use std::fs;
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::data_type::ByteArray;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use tempfile::TempDir;

use super::*;

const SCHEMA: &str = "message trades {
    REQUIRED INT64 time (TIMESTAMP(MICROS,true));
    REQUIRED DOUBLE price;
    OPTIONAL INT32 qty (DECIMAL(9,2));
    REQUIRED BYTE_ARRAY side (UTF8);
    REQUIRED BYTE_ARRAY note (UTF8);
}";

/// Two groups of two rows, the last without a quantity.
fn file(compression: Compression) -> Vec<u8> {
    let mut bytes = Vec::new();
    let schema = Arc::new(parse_message_type(SCHEMA).unwrap());
    let properties = WriterProperties::builder().set_compression(compression).build();
    let mut writer = SerializedFileWriter::new(&mut bytes, schema, Arc::new(properties)).unwrap();
    for group in 0..2 {
        let mut rows = writer.next_row_group().unwrap();
        let mut column = rows.next_column().unwrap().unwrap();
        let times = [0, 1].map(|row| 1_640_991_660_000_000 + group * 2 + row);
        column.typed::<Int64Type>().write_batch(&times, None, None).unwrap();
        column.close().unwrap();
        let mut column = rows.next_column().unwrap().unwrap();
        column.typed::<DoubleType>().write_batch(&[0.1, 58_710.25], None, None).unwrap();
        column.close().unwrap();
        let mut column = rows.next_column().unwrap().unwrap();
        let (values, levels): (&[i32], [i16; 2]) =
            if group == 0 { (&[150, 7], [1, 1]) } else { (&[150], [1, 0]) };
        column.typed::<Int32Type>().write_batch(values, Some(&levels), None).unwrap();
        column.close().unwrap();
        for texts in [["buy", "sell"], ["a, b", "c"]] {
            let mut column = rows.next_column().unwrap().unwrap();
            let texts = texts.map(ByteArray::from);
            column.typed::<ByteArrayType>().write_batch(&texts, None, None).unwrap();
            column.close().unwrap();
        }
        rows.close().unwrap();
    }
    writer.close().unwrap();
    bytes
}

fn read(bytes: &[u8]) -> io::Result<String> {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.parquet");
    fs::write(&path, bytes).unwrap();
    let mut text = String::new();
    crate::open(path)?.read_to_string(&mut text)?;
    Ok(text)
}

#[test]
fn known_columns_become_lines() {
    let expect = "time,price,qty,side
1640991660000000000,0.1,1.50,buy
1640991660000001000,58710.25,0.07,sell
1640991660000002000,0.1,1.50,buy
1640991660000003000,58710.25,,sell
";
    for compression in [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(Default::default()),
        Compression::ZSTD(Default::default()),
    ] {
        assert_eq!(read(&file(compression)).unwrap(), expect, "{compression:?}");
    }
}

#[test]
fn a_cut_or_damaged_file_is_an_error_or_another_table() {
    let bytes = file(Compression::UNCOMPRESSED);
    for cut in MAGIC.len()..bytes.len() {
        assert!(read(&bytes[..cut]).is_err(), "cut at {cut}");
    }
    for at in MAGIC.len()..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x40;
        let _ = read(&damaged);
    }
}
