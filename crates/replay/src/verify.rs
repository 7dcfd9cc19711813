//! Recorded books, and comparisons with the replayed one.

use std::fmt;

use recorded::lobster::{BookRow, Level};
use serde::Serialize;
use thiserror::Error;
use types::Side;

/// The rows of a LOBSTER book file, and the messages that they belong to.
#[derive(Debug)]
pub(crate) struct BookFile {
    pub(crate) rows: Vec<BookRow>,
    pub(crate) kind: RowKind,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum RowKind {
    /// Row k is the book after message k.
    PerMessage,
    /// A row for each change of a best quote, and for each message of type 5 or 7.
    PerQuote,
}

/// One comparison. Rows and messages count from 0.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Check {
    pub(crate) row: usize,
    pub(crate) message: usize,
}

/// The reason for which a book file does not match a message file. Rows and messages count from 1.
#[derive(Debug, Eq, Error, PartialEq)]
pub(crate) enum BookFileError {
    #[error("the book file has no rows")]
    Empty,
    #[error(
        "the book file ends after row {rows}, but the message file has {messages} messages: a book \
         of {depth} levels has a row for each message"
    )]
    Shorter { depth: usize, rows: usize, messages: usize },
    #[error(
        "the book file has {rows} rows, but the message file ends after message {messages}: a book \
         of {depth} levels has a row for each message"
    )]
    Longer { depth: usize, rows: usize, messages: usize },
    #[error(
        "the book file ends after row {rows}, but message {message} of {messages} needs a further \
         row: a book of one level has a row for each message, or for each change of a best quote"
    )]
    QuotesEnd { rows: usize, message: usize, messages: usize },
}

impl BookFile {
    pub(crate) fn new(rows: Vec<BookRow>, messages: usize) -> Result<Self, BookFileError> {
        let depth = rows.first().map_or(0, |row| row.levels.len());
        let kind = match rows.len() {
            0 => return Err(BookFileError::Empty),
            count if count == messages => RowKind::PerMessage,
            _ if depth == 1 => RowKind::PerQuote,
            rows if rows < messages => {
                return Err(BookFileError::Shorter { depth, rows, messages });
            }
            rows => return Err(BookFileError::Longer { depth, rows, messages }),
        };
        Ok(Self { rows, kind })
    }

    /// Levels in a row.
    pub(crate) fn depth(&self) -> usize {
        self.rows.first().map_or(0, |row| row.levels.len())
    }

    /// Whether a row equals the book at every known level. Levels that moved up from below the
    /// previous row's depth appear in no message.
    pub(crate) fn is_equal(
        &self,
        row: usize,
        side: Side,
        levels: &[(i64, u64)],
        price_unit: u64,
    ) -> bool {
        let expected = side_of(&self.rows[row], side, price_unit);
        let mut known = None;
        if self.kind == RowKind::PerMessage && row > 0 {
            let before = side_of(&self.rows[row - 1], side, price_unit);
            known = before.last().filter(|_| before.len() == self.depth()).map(|(price, _)| *price);
        }
        let is_known = |(price, _): &&(i64, u64)| match (known, side) {
            (None, _) => true,
            (Some(worst), Side::Buy) => *price >= worst,
            (Some(worst), Side::Sell) => *price <= worst,
        };
        let found = levels.iter().take(self.depth()).filter(is_known);
        expected.iter().filter(is_known).eq(found)
    }
}

/// The levels of a row's side as ticks and lots, best first.
pub(crate) fn side_of(row: &BookRow, side: Side, price_unit: u64) -> Vec<(i64, u64)> {
    let of_side = row.levels.iter().filter_map(|level| match side {
        Side::Buy => level.bid,
        Side::Sell => level.ask,
    });
    let unit = price_unit.cast_signed();
    of_side.map(|Level { price, size }| (price / unit, size)).collect()
}

#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) verified_rows: u64,
    pub(crate) equal_rows: u64,
    pub(crate) first_mismatch: Option<Mismatch>,
}

/// Two books in the form of the file.
#[derive(Debug, Serialize)]
pub(crate) struct Mismatch {
    /// In the book file, from 1; a header is no row.
    row: usize,
    /// In the message file, from 1: the one after which the books differ.
    message: usize,
    expected: String,
    found: String,
}

impl Outcome {
    pub(crate) fn record(
        &mut self,
        book: &BookFile,
        check: Check,
        levels: impl Fn(Side, usize) -> Vec<(i64, u64)>,
        price_unit: u64,
    ) {
        let bids = levels(Side::Buy, book.depth());
        let asks = levels(Side::Sell, book.depth());
        let equal = book.is_equal(check.row, Side::Buy, &bids, price_unit)
            && book.is_equal(check.row, Side::Sell, &asks, price_unit);
        self.verified_rows += 1;
        self.equal_rows += u64::from(equal);
        if !equal && self.first_mismatch.is_none() {
            let row = &book.rows[check.row];
            let expected_bids = side_of(row, Side::Buy, price_unit);
            let expected_asks = side_of(row, Side::Sell, price_unit);
            self.first_mismatch = Some(Mismatch {
                row: check.row + 1,
                message: check.message + 1,
                expected: row_text(&expected_bids, &expected_asks, book.depth(), price_unit),
                found: row_text(&bids, &asks, book.depth(), price_unit),
            });
        }
    }
}

/// Levels as LOBSTER prints them: ask price, ask size, bid price, bid size.
fn row_text(bids: &[(i64, u64)], asks: &[(i64, u64)], depth: usize, price_unit: u64) -> String {
    let unit = price_unit.cast_signed();
    let level = |side: &[(i64, u64)], at: usize, empty: i64| match side.get(at) {
        Some((price, qty)) => format!("{},{qty}", price * unit),
        None => format!("{empty},0"),
    };
    let levels = (0..depth).map(|at| {
        format!("{},{}", level(asks, at, 9_999_999_999), level(bids, at, -9_999_999_999))
    });
    levels.collect::<Vec<_>>().join(",")
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { row, message, expected, found } = self;
        write!(f, "row {row} after message {message}: expected {expected}, found {found}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn book(rows: &[&str], messages: usize) -> Result<BookFile, BookFileError> {
        let rows = rows.iter().map(|row| BookRow::parse(row.as_bytes()).unwrap()).collect();
        BookFile::new(rows, messages)
    }

    #[test]
    fn shape_of_a_book_file_determines_the_kind_of_its_rows() {
        let (one, two) = ("4,1,3,1", "4,1,3,1,5,1,2,1");
        assert_eq!(book(&[two, two], 2).unwrap().kind, RowKind::PerMessage);
        assert_eq!(book(&[one, one], 2).unwrap().kind, RowKind::PerMessage);
        assert_eq!(book(&[one, one], 9).unwrap().kind, RowKind::PerQuote);
        let wrong = |rows: &[&str], messages| book(rows, messages).unwrap_err();
        let (depth, rows) = (2, 2);
        assert_eq!(wrong(&[two, two], 9), BookFileError::Shorter { depth, rows, messages: 9 });
        assert_eq!(wrong(&[two, two], 1), BookFileError::Longer { depth, rows, messages: 1 });
        assert_eq!(wrong(&[], 9), BookFileError::Empty);
    }

    #[test]
    fn levels_from_below_the_previous_row_are_not_compared() {
        let rows = ["40,1,30,1,50,1,20,1", "50,1,30,1,60,7,20,1"];
        let file = book(&rows, 2).unwrap();
        let equal = |side, levels: &[_]| file.is_equal(1, side, levels, 1);
        assert!(equal(Side::Sell, &[(50, 1)]));
        assert!(equal(Side::Sell, &[(50, 1), (70, 9)]));
        assert!(!equal(Side::Sell, &[(50, 2)]));
        assert!(!equal(Side::Sell, &[(40, 1), (50, 1)]));
        assert!(equal(Side::Buy, &[(30, 1), (20, 1), (10, 5)]));
        assert!(!equal(Side::Buy, &[(30, 1)]));
    }

    #[test]
    fn a_row_that_is_not_full_is_the_whole_side() {
        let empty = "9999999999,0,-9999999999,0";
        let rows = [format!("40,1,30,1,{empty}"), format!("40,1,30,1,{empty}")];
        let file = book(&rows.each_ref().map(String::as_str), 2).unwrap();
        assert!(file.is_equal(1, Side::Sell, &[(40, 1)], 1));
        assert!(!file.is_equal(1, Side::Sell, &[(40, 1), (60, 1)], 1));
        assert!(!file.is_equal(1, Side::Sell, &[], 1));
    }
}
