//! Detection of a recording's format.

use std::io::{self, BufReader, Cursor, Read};
use std::path::Path;

use thiserror::Error;

use crate::columnar;
use crate::dbn;
use crate::fill::fill;
use crate::input::{Input, open};
use crate::lobster::{self, LINE_BYTES_MAX};
use crate::stream::sniff;

/// Enough for the longest first line that [`lobster`] accepts.
const HEAD_BYTES: usize = LINE_BYTES_MAX + 2;

/// A format of recorded markets.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Format {
    /// Order flow, read by [`obwl::read`](crate::obwl::read).
    Obwl,
    /// Order flow: a message file, read by [`lobster::messages`].
    Lobster,
    /// Databento's format; order flow is read by [`dbn::records`](crate::dbn::records).
    Dbn,
    /// Messages of Nasdaq TotalView-ITCH 5.0.
    Itch,
    /// Changes of levels and trades as CSV, with two clocks.
    Depth,
    /// An array of hftbacktest's events, `.npz` or `.npy`.
    Npz,
    /// Trades as CSV.
    Trades,
    /// Trades as LEAN stores them.
    Lean,
    /// Bars as CSV.
    Bars,
    /// Our own [columnar file](crate::columnar).
    Columnar,
}

/// Opens a file as [`open`] does, and detects its format.
pub fn open_detected(path: impl AsRef<Path>) -> Result<(Format, Input), DetectError> {
    let path = path.as_ref();
    let mut input = open(path).map_err(DetectError::Io)?;
    let mut head = vec![0; HEAD_BYTES];
    let head_size = fill(&mut input, &mut head).map_err(DetectError::Io)?;
    head.truncate(head_size);

    let file_name = path.file_name().unwrap_or_default().to_string_lossy();
    let format = Format::of(&head, &file_name)?;
    Ok((format, Box::new(BufReader::new(Cursor::new(head).chain(input)))))
}

impl Format {
    /// As a command line and a report name it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Obwl => "obwl",
            Self::Lobster => "lobster",
            Self::Dbn => "dbn",
            Self::Itch => "itch",
            Self::Depth => "depth",
            Self::Npz => "npz",
            Self::Trades => "trades",
            Self::Lean => "lean",
            Self::Bars => "bars",
            Self::Columnar => "bwd",
        }
    }

    /// Detects the format from the decompressed `head` of a file, by magic or by the shape of its
    /// first line. The name is checked last, so that the reader can report the fault of a damaged
    /// first line.
    pub fn of(head: &[u8], file_name: &str) -> Result<Self, DetectError> {
        // The last four letters of the magic repeat the version, which the reader checks.
        if head.starts_with(b"OBWL") {
            return Ok(Self::Obwl);
        }
        // The reader checks the version, the byte after the magic, too.
        if head.starts_with(dbn::MAGIC) {
            return Ok(Self::Dbn);
        }
        if head.starts_with(columnar::MAGIC) {
            return Ok(Self::Columnar);
        }
        if head.starts_with(sniff::NPY_MAGIC) {
            return Ok(Self::Npz);
        }
        if sniff::is_itch(head) {
            return Ok(Self::Itch);
        }
        let text = head.strip_prefix(lobster::BYTE_ORDER_MARK).unwrap_or(head);
        if text.iter().all(u8::is_ascii_whitespace) {
            return Err(if head.is_empty() { DetectError::Empty } else { DetectError::Blank });
        }
        if text.len() < head.len() && (text.starts_with(b"OBWL") || text.starts_with(dbn::MAGIC)) {
            return Err(DetectError::Marked);
        }
        let mut lines = text.split(|&byte| byte == b'\n');
        let mut next_line = || {
            let line = lines.next().unwrap_or_default();
            line.strip_suffix(b"\r").unwrap_or(line)
        };
        let first = next_line();
        let is_header = lobster::is_header(first);
        let line = if is_header { next_line() } else { first };
        if first.eq_ignore_ascii_case(lobster::MESSAGE_HEADER) {
            return Ok(Self::Lobster);
        }
        if lobster::Message::parse(line).is_ok() {
            return Ok(Self::Lobster);
        }
        if let Some(format) = sniff::table(first) {
            return Ok(format);
        }
        if sniff::is_lean(first) {
            return Ok(Self::Lean);
        }
        if lobster::BookRow::parse(line).is_ok() || file_name.contains("_orderbook_") {
            return Err(DetectError::LobsterBook);
        }
        if file_name.contains("_message_") {
            return Ok(Self::Lobster);
        }
        Err(DetectError::Unknown)
    }
}

/// The reason for which no [`Format`] was detected.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DetectError {
    #[error("{0}")]
    Io(#[source] io::Error),
    #[error("the file is empty")]
    Empty,
    #[error("the file has blank lines only")]
    Blank,
    /// An editor stored a binary file as text.
    #[error(
        "a binary file behind a byte order mark: a program has stored it as text, so its content \
         cannot be trusted"
    )]
    Marked,
    /// Levels after each message, which cannot be replayed without the messages.
    #[error(
        "this is a LOBSTER order book file, which holds no orders: \
         give the message file that belongs to it"
    )]
    LobsterBook,
    #[error(
        "unknown format: expected OBWL (starts with \"OBWL0001\"), DBN (starts with \"DBN\"), a \
         LOBSTER message file (time, type, order_id, size, price, direction), ITCH 5.0, an array of \
         hftbacktest (.npz), our columnar file, or CSV whose first line names the columns of bars \
         (open, high, low, close), trades (time, price, quantity) or depth (kind, side, price, qty)"
    )]
    Unknown,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(head: &str, file_name: &str, expect: &str) {
        let found = match Format::of(head.as_bytes(), file_name) {
            Ok(format) => format!("{format:?}"),
            Err(error) => format!("{error:?}"),
        };
        assert_eq!(found, expect, "{head:?} in {file_name}");
    }

    #[test]
    fn format_is_detected_by_magic_then_shape_then_name() {
        let message = "34200.004241176,1,16113575,18,5853300,1\n";
        check("OBWL0001", "w1.bin", "Obwl");
        check("OBWL0002", "w1.bin", "Obwl");
        check("OBWL0001", "A_message_1.csv", "Obwl");
        check("DBN\x03", "w1.bin", "Dbn");
        check("DBN\x09", "A_message_1.csv", "Dbn");
        check("\u{feff}OBWL0001", "w1.bin", "Marked");
        check("\u{feff}DBN\x03", "w1.bin", "Marked");
        check(message, "a.txt", "Lobster");
        check(message.trim_end(), "a.txt", "Lobster");
        check("34200.1,1,1,18,5853300,-1\r\nx", "a.txt", "Lobster");
        check("time,type,order_id,size,price,direction\n", "A_message_1.csv", "Lobster");
        check("\u{feff}34200.1,1,1,18,5853300,-1\r\n", "a.txt", "Lobster");
        let header = "time,type,order_id,size,price,direction\r\n";
        check(&format!("{header}{message}"), "a.txt", "Lobster");
        check(&format!("\u{feff}{header}{message}"), "a.txt", "Lobster");
        check(header, "a.txt", "Lobster");
        let header = "Time,Event Type,Order ID,Size,Price,Direction\n";
        check(&format!("{header}{message}"), "a.txt", "Lobster");
        check(&format!("{header}{header}"), "a.txt", "Trades");
        let header = "ask_price_1,ask_size_1,bid_price_1,bid_size_1\n";
        check(&format!("{header}5859400,200,5853300,18\n"), "a.txt", "LobsterBook");

        check("5859400,200,5853300,18\n", "a.txt", "LobsterBook");
        check("5859400,200,5853300,18\n", "A_message_1.csv", "LobsterBook");
        for name in ["A_message_1.csv", "A_orderbook_1.csv", "a.txt"] {
            check("", name, "Empty");
            check("\n", name, "Blank");
            check("\u{feff}\r\n\n", name, "Blank");
        }
        check("OBW", "a.bin", "Unknown");
        // Six columns too, but bars without a header.
        check("2021-12-31 00:00,1.5,2.5,1.0,2.0,10\n", "bars.csv", "Unknown");
        check("14400000,1678100,100,P,T,0\n", "trades.csv", "Lean");
        check("timestamp,open,high,low,close,volume\n", "bars.csv", "Bars");
        check(",Open,High,Low,Close,Volume\n", "bars.csv", "Bars");
        check("id,price,qty,quote_qty,time,is_buyer_maker\n", "trades.csv", "Trades");
        check("exch_ts_ns,local_ts_ns,kind,side,price,qty\n", "l2.csv", "Depth");
        check("\0\u{c}S\0\0\0\0\0\0\0\0\0\u{1}O", "day.NASDAQ_ITCH50", "Itch");
        check("\0\0S\0\0\0\0\0\0\0\0\0\u{1}O", "day.NASDAQ_ITCH50", "Itch");
        check("BWEVENTS", "a.csv", "Columnar");
    }

    #[test]
    fn detected_input_starts_at_the_first_byte() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("flow");
        let text = "34200.004241176,1,16113575,18,5853300,1\n".repeat(2_000);
        std::fs::write(&path, &text).unwrap();
        let (format, mut input) = open_detected(&path).unwrap();
        let mut content = String::new();
        input.read_to_string(&mut content).unwrap();
        assert_eq!(format, Format::Lobster);
        assert_eq!(content, text);
    }

    #[test]
    fn errors_name_a_remedy() {
        let text = DetectError::Unknown.to_string();
        assert!(text.contains("OBWL0001") && text.contains("LOBSTER"), "{text}");
        assert!(DetectError::LobsterBook.to_string().contains("message file"));
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(
            head in prop::collection::vec(any::<u8>(), 0..200),
            file_name in ".*",
        ) {
            let _ = Format::of(&head, &file_name);
        }
    }
}
