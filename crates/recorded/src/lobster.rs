//! LOBSTER: reconstructed NASDAQ order flow as CSV.
//!
//! A message file has one event per line; the order book file beside it has the best levels after
//! each event. Prices are dollars times 10,000, sizes are shares.
//!
//! The iterators end after their first error, because an order flow without one of its lines is
//! another flow.
//!
//! LOBSTER writes neither a header nor a byte order mark, but programs that store the files again
//! do. A byte order mark, a line of column names as the first line, and blank lines after the last
//! line are skipped; line numbers count them.
//!
//! # Known limits
//! - Lines are not compared with each other: time may run backwards, and levels may be unsorted.
//! - A plain order book file with a cut inside its last number looks complete, because LOBSTER does
//!   not always end the last line. A cut of a compressed file is found.

use std::io::{self, BufRead, Read};
use std::ops::RangeInclusive;

use thiserror::Error;
use types::Side;

/// The byte order mark of UTF-8.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
/// Suffices for more than 300 levels; LOBSTER sells up to 200.
pub const LINE_BYTES_MAX: usize = 16 << 10;
/// One below the value for "no price" in an order book file.
pub const PRICE_MAX: i64 = EMPTY_ASK_PRICE - 1;
const EMPTY_ASK_PRICE: i64 = 9_999_999_999;
const EMPTY_BID_PRICE: i64 = -EMPTY_ASK_PRICE;

const SECONDS_PER_DAY: u64 = 24 * 60 * 60;
const NS_PER_SECOND: u64 = 1_000_000_000;
const PS_PER_NS: u64 = 1_000;
const TIME_DECIMALS_MAX: usize = 18;
const TIME_DECIMALS_READ: usize = 12;
/// LOBSTER prints some times from a double, as in `35821.088778456004`. A double errs by up to 8
/// picoseconds late in the day, so that any other time must be a whole nanosecond.
const TIME_NOISE_PS_MAX: u64 = 10;

const MESSAGE_COLUMNS: [&str; 6] = ["time", "type", "order_id", "size", "price", "direction"];
pub(crate) const MESSAGE_HEADER: &[u8] = b"time,type,order_id,size,price,direction";
const LEVEL_COLUMNS: [&str; 4] = ["ask_price", "ask_size", "bid_price", "bid_size"];

/// The event of a [`Message`]. The numbers are those of the file.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[repr(u8)]
pub enum EventType {
    New = 1,
    /// `size` is the canceled quantity; the order keeps its place.
    PartialCancel = 2,
    /// `size` is the remaining quantity.
    Delete = 3,
    VisibleExecution = 4,
    /// Does not change the visible book.
    HiddenExecution = 5,
    /// An auction in one line; the executions of its visible orders have lines of their own.
    Cross = 6,
    /// `price` is -1 when trading halts, 0 when quoting resumes and 1 when trading resumes.
    Halt = 7,
}

/// One line of a message file.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Message {
    /// Since midnight in New York.
    pub time_ns: u64,
    /// Positive if the event concerns a visible order. A hidden execution may have 0; a cross has
    /// -1 at the open, -2 at the close and other negative numbers in between.
    pub order_id: i64,
    /// Dollars times 10,000, except for [`EventType::Halt`].
    pub price: i64,
    /// Shares.
    pub size: u32,
    pub event_type: EventType,
    /// Side of the resting order: a seller caused an execution with [`Side::Buy`]. Without meaning
    /// for a cross or a halt.
    pub side: Side,
}

const _: () = assert!(size_of::<Message>() == 32);

/// One line of an order book file: the book after the message of the same line number.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct BookRow {
    /// Best first; each row has the depth that the file was ordered with.
    pub levels: Vec<BookLevel>,
}

/// The n-th best ask and bid, if the book is that deep.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct BookLevel {
    pub ask: Option<Level>,
    pub bid: Option<Level>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Level {
    /// Dollars times 10,000.
    pub price: i64,
    /// Shares.
    pub size: u64,
}

/// Reads a message file line by line.
pub fn messages<R: BufRead>(source: R) -> Messages<R> {
    Messages { lines: Lines::new(source) }
}

/// Reads an order book file line by line.
pub fn book_rows<R: BufRead>(source: R) -> BookRows<R> {
    BookRows { lines: Lines::new(source), columns: None }
}

/// See [`messages`].
#[derive(Debug)]
pub struct Messages<R> {
    lines: Lines<R>,
}

impl<R: BufRead> Iterator for Messages<R> {
    type Item = Result<Message, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.lines.next_parsed(is_message_header, Message::parse)
    }
}

/// See [`book_rows`].
#[derive(Debug)]
pub struct BookRows<R> {
    lines: Lines<R>,
    /// Set by the first row.
    columns: Option<usize>,
}

impl<R: BufRead> Iterator for BookRows<R> {
    type Item = Result<BookRow, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let columns = &mut self.columns;
        self.lines.next_parsed(is_book_header, |line| {
            let found = column_count(line);
            let expected = *columns.get_or_insert(found);
            if found != expected {
                return Err(LineError::ColumnCount { expected, found });
            }
            BookRow::parse(line)
        })
    }
}

impl Message {
    /// Parses a line without its line end.
    pub fn parse(line: &[u8]) -> Result<Self, LineError> {
        let expected = MESSAGE_COLUMNS.len();
        let found = column_count(line);
        if found != expected {
            return Err(LineError::ColumnCount { expected, found });
        }
        let mut r = Columns::new(line, &MESSAGE_COLUMNS);
        let time_ns = r.next(parse_time)?;
        let event_type = r.next(parse_event_type)?;
        let ranges = Ranges::of(event_type);
        Ok(Self {
            time_ns,
            event_type,
            order_id: r.next(|text| parse_in(text, &ranges.order_id))?,
            size: r.next(|text| parse_in(text, &ranges.size))?,
            price: r.next(|text| parse_in(text, &ranges.price))?,
            side: r.next(parse_direction)?,
        })
    }
}

/// The valid ranges of a message, which depend on its type.
struct Ranges {
    order_id: RangeInclusive<i64>,
    size: RangeInclusive<u32>,
    price: RangeInclusive<i64>,
}

impl Ranges {
    fn of(event_type: EventType) -> Self {
        let any_size = 0..=u32::MAX;
        let any_id = i64::MIN..=i64::MAX;
        match event_type {
            EventType::New
            | EventType::PartialCancel
            | EventType::Delete
            | EventType::VisibleExecution => {
                Self { order_id: 1..=i64::MAX, size: 1..=u32::MAX, price: 1..=PRICE_MAX }
            }
            EventType::HiddenExecution => {
                Self { order_id: 0..=i64::MAX, size: 1..=u32::MAX, price: 1..=PRICE_MAX }
            }
            EventType::Cross => Self { order_id: any_id, size: any_size, price: 0..=PRICE_MAX },
            EventType::Halt => Self { order_id: any_id, size: any_size, price: -1..=1 },
        }
    }
}

impl BookRow {
    /// Parses a line without its line end.
    pub fn parse(line: &[u8]) -> Result<Self, LineError> {
        let found = column_count(line);
        if !found.is_multiple_of(LEVEL_COLUMNS.len()) {
            return Err(LineError::BookColumnCount { found });
        }
        let mut r = Columns::new(line, &LEVEL_COLUMNS);
        let mut levels = Vec::with_capacity(found / LEVEL_COLUMNS.len());
        while levels.len() < found / LEVEL_COLUMNS.len() {
            let ask = parse_level(&mut r, EMPTY_ASK_PRICE)?;
            let bid = parse_level(&mut r, EMPTY_BID_PRICE)?;
            levels.push(BookLevel { ask, bid });
        }
        Ok(Self { levels })
    }
}

fn parse_level(r: &mut Columns<'_>, empty_price: i64) -> Result<Option<Level>, LineError> {
    let price = r.next(|text| {
        let price = parse_in(text, &(i64::MIN..=i64::MAX))?;
        if price != empty_price && !(1..=PRICE_MAX).contains(&price) {
            return Err(ColumnError::OutOfRange);
        }
        Ok(price)
    })?;
    let is_empty = price == empty_price;
    let size = r.next(|text| {
        let size = parse_in(text, &(0..=u64::MAX))?;
        match (is_empty, size) {
            (true, 1..) => Err(ColumnError::SizeAtEmptyLevel),
            (false, 0) => Err(ColumnError::OutOfRange),
            _ => Ok(size),
        }
    })?;
    Ok((!is_empty).then_some(Level { price, size }))
}

/// Exact, except that digits beyond nanoseconds must be noise.
fn parse_time(text: &[u8]) -> Result<u64, ColumnError> {
    let point = text.iter().position(|&byte| byte == b'.');
    let (whole, decimals) = match point {
        Some(at) => (&text[..at], &text[at + 1..]),
        None => (text, b"0" as &[u8]),
    };
    let seconds: u64 = parse_in(whole, &(0..=u64::MAX))?;
    if decimals.is_empty() || !decimals.iter().all(u8::is_ascii_digit) {
        return Err(ColumnError::NotANumber);
    }
    if decimals.len() > TIME_DECIMALS_MAX {
        return Err(ColumnError::FinerThanNanosecond);
    }
    if seconds >= SECONDS_PER_DAY {
        return Err(ColumnError::OutOfRange);
    }
    let digit = |at| decimals.get(at).map_or(0, |&byte| u64::from(byte - b'0'));
    let fraction_ps = (0..TIME_DECIMALS_READ).fold(0, |ps, at| ps * 10 + digit(at));
    let fraction_ns = (fraction_ps + PS_PER_NS / 2) / PS_PER_NS;
    if fraction_ps.abs_diff(fraction_ns * PS_PER_NS) > TIME_NOISE_PS_MAX {
        return Err(ColumnError::FinerThanNanosecond);
    }
    Ok(seconds * NS_PER_SECOND + fraction_ns)
}

fn parse_event_type(text: &[u8]) -> Result<EventType, ColumnError> {
    Ok(match parse_in(text, &(1..=7))? {
        1 => EventType::New,
        2 => EventType::PartialCancel,
        3 => EventType::Delete,
        4 => EventType::VisibleExecution,
        5 => EventType::HiddenExecution,
        6 => EventType::Cross,
        _ => EventType::Halt,
    })
}

fn parse_direction(text: &[u8]) -> Result<Side, ColumnError> {
    match parse_in(text, &(-1..=1))? {
        1 => Ok(Side::Buy),
        -1 => Ok(Side::Sell),
        _ => Err(ColumnError::OutOfRange),
    }
}

/// Parses digits, with a minus for negative numbers; no plus, space or exponent.
fn parse_in<N>(text: &[u8], range: &RangeInclusive<N>) -> Result<N, ColumnError>
where
    N: PartialOrd + TryFrom<i128>,
{
    let (negative, digits) = match text.strip_prefix(b"-") {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(ColumnError::NotANumber);
    }
    let magnitude = digits
        .iter()
        .try_fold(0_u64, |number, &byte| {
            number.checked_mul(10)?.checked_add(u64::from(byte - b'0'))
        })
        .ok_or(ColumnError::OutOfRange)?;
    let number = if negative { -i128::from(magnitude) } else { i128::from(magnitude) };
    N::try_from(number).ok().filter(|number| range.contains(number)).ok_or(ColumnError::OutOfRange)
}

fn column_count(line: &[u8]) -> usize {
    1 + line.iter().filter(|&&byte| byte == b',').count()
}

/// Whether a first line has names of columns. Their spelling varies, so any names that begin with a
/// letter are a header; the reader checks their number.
pub(crate) fn is_header(line: &[u8]) -> bool {
    let is_name = |column: &[u8]| {
        let name = column.trim_ascii();
        let name = name.strip_prefix(b"\"").unwrap_or(name);
        name.len() > 1 && name[0].is_ascii_alphabetic()
    };
    line.split(|&byte| byte == b',').all(is_name)
}

fn is_message_header(line: &[u8]) -> bool {
    column_count(line) == MESSAGE_COLUMNS.len() && is_header(line)
}

fn is_book_header(line: &[u8]) -> bool {
    column_count(line).is_multiple_of(LEVEL_COLUMNS.len()) && is_header(line)
}

/// Takes the columns of a line from left to right, and names the wrong one in its error.
struct Columns<'a> {
    rest: &'a [u8],
    /// Repeated over the length of the line.
    names: &'static [&'static str],
    taken: usize,
}

impl<'a> Columns<'a> {
    fn new(line: &'a [u8], names: &'static [&'static str]) -> Self {
        Self { rest: line, names, taken: 0 }
    }

    /// Columns beyond the last are empty; callers check the count first.
    fn next<T>(
        &mut self,
        parse: impl FnOnce(&'a [u8]) -> Result<T, ColumnError>,
    ) -> Result<T, LineError> {
        let end = self.rest.iter().position(|&byte| byte == b',').unwrap_or(self.rest.len());
        let text = &self.rest[..end];
        self.rest = self.rest.get(end + 1..).unwrap_or_default();
        let name = self.names[self.taken % self.names.len()];
        self.taken += 1;
        let column = self.taken;
        parse(text).map_err(|error| LineError::Column { column, name, error })
    }
}

#[derive(Debug)]
struct Lines<R> {
    source: R,
    line: Vec<u8>,
    /// The number of the last line; counts from 1.
    line_number: u64,
    ended: bool,
}

impl<R: BufRead> Lines<R> {
    fn new(source: R) -> Self {
        Self { source, line: Vec::new(), line_number: 0, ended: false }
    }

    fn next_parsed<T>(
        &mut self,
        is_header: impl Fn(&[u8]) -> bool,
        parse: impl FnOnce(&[u8]) -> Result<T, LineError>,
    ) -> Option<Result<T, ReadError>> {
        if self.ended {
            return None;
        }
        let parsed = self.advance(is_header).and_then(|has_line| {
            let line = self.line_number;
            let parse = || parse(&self.line).map_err(|error| ReadError::Line { line, error });
            has_line.then(parse).transpose()
        });
        self.ended = !matches!(parsed, Ok(Some(_)));
        parsed.transpose()
    }

    /// Reads the next line that is neither a header nor at the blank end; false after the last.
    fn advance(&mut self, is_header: impl Fn(&[u8]) -> bool) -> Result<bool, ReadError> {
        let mut has_line = self.read_line()?;
        if has_line && self.line_number == 1 && is_header(&self.line) {
            has_line = self.read_line()?;
        }
        if !has_line || !self.line.is_empty() {
            return Ok(has_line);
        }
        let line = self.line_number;
        while self.read_line()? {
            if !self.line.is_empty() {
                return Err(ReadError::Line { line, error: LineError::Blank });
            }
        }
        Ok(false)
    }

    /// Reads the next line without its end; false after the last.
    fn read_line(&mut self) -> Result<bool, ReadError> {
        self.line_number += 1;
        let line = self.line_number;
        let with_line_end = LINE_BYTES_MAX + 2;
        self.line.clear();
        self.source
            .by_ref()
            .take(with_line_end as u64)
            .read_until(b'\n', &mut self.line)
            .map_err(|error| ReadError::Io { line, error })?;
        if self.line.is_empty() {
            return Ok(false);
        }
        if self.line.ends_with(b"\n") {
            self.line.pop();
        }
        if self.line.ends_with(b"\r") {
            self.line.pop();
        }
        if line == 1 && self.line.starts_with(BYTE_ORDER_MARK) {
            self.line.drain(..BYTE_ORDER_MARK.len());
        }
        if self.line.len() > LINE_BYTES_MAX {
            return Err(ReadError::Line { line, error: LineError::TooLong });
        }
        Ok(true)
    }
}

/// The reason for which reading ended. Lines count from 1.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// Damaged compressed files end with this error too.
    #[error("line {line}: {error}")]
    Io {
        line: u64,
        #[source]
        error: io::Error,
    },
    #[error("line {line}: {error}")]
    Line {
        line: u64,
        #[source]
        error: LineError,
    },
}

/// The fault of one line. Columns count from 1.
#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
#[non_exhaustive]
pub enum LineError {
    #[error("longer than {LINE_BYTES_MAX} bytes")]
    TooLong,
    #[error("is blank, and lines follow")]
    Blank,
    #[error("{found} columns where {expected} are expected")]
    ColumnCount { expected: usize, found: usize },
    #[error("{found} columns, which is not a number of levels times four")]
    BookColumnCount { found: usize },
    #[error("column {column} ({name}) {error}")]
    Column {
        column: usize,
        name: &'static str,
        #[source]
        error: ColumnError,
    },
}

/// The fault of one column.
#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
#[non_exhaustive]
pub enum ColumnError {
    #[error("is not a number")]
    NotANumber,
    #[error("is out of range")]
    OutOfRange,
    #[error("is finer than a nanosecond")]
    FinerThanNanosecond,
    #[error("is not zero although the level is empty")]
    SizeAtEmptyLevel,
}

#[cfg(test)]
mod tests;
