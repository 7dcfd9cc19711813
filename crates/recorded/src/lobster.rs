//! LOBSTER: reconstructed NASDAQ order flow as CSV without a header.
//!
//! A message file has one event per line; the order book file beside it has the best levels after
//! each event. Prices are dollars times 10,000, sizes are shares.
//!
//! The iterators end after their first error, because an order flow without one of its lines is
//! another flow.
//!
//! # Known limits
//! - Lines are not compared with each other: time may run backwards, and levels may be unsorted.
//! - A plain order book file with a cut inside its last number looks complete, because LOBSTER does
//!   not always end the last line. A cut of a compressed file is found.

use std::fmt;
use std::io::{self, BufRead, Read};
use std::ops::RangeInclusive;

use types::Side;

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
        self.lines.next_parsed(Message::parse)
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
        self.lines.next_parsed(|line| {
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
        parse: impl FnOnce(&[u8]) -> Result<T, LineError>,
    ) -> Option<Result<T, ReadError>> {
        if self.ended {
            return None;
        }
        self.line_number += 1;
        let line = self.line_number;
        let parsed = match self.read_line() {
            Ok(Some(text)) => parse(text).map_err(|error| ReadError::Line { line, error }),
            Ok(None) => {
                self.ended = true;
                return None;
            }
            Err(error) => Err(error),
        };
        self.ended = parsed.is_err();
        Some(parsed)
    }

    /// The next line without its end, or `None` after the last.
    fn read_line(&mut self) -> Result<Option<&[u8]>, ReadError> {
        let line = self.line_number;
        let with_line_end = LINE_BYTES_MAX + 2;
        self.line.clear();
        self.source
            .by_ref()
            .take(with_line_end as u64)
            .read_until(b'\n', &mut self.line)
            .map_err(|error| ReadError::Io { line, error })?;
        if self.line.is_empty() {
            return Ok(None);
        }
        let text = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        if text.len() > LINE_BYTES_MAX {
            return Err(ReadError::Line { line, error: LineError::TooLong });
        }
        Ok(Some(text))
    }
}

/// The reason for which reading ended. Lines count from 1.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReadError {
    /// Damaged compressed files end with this error too.
    Io {
        line: u64,
        error: io::Error,
    },
    Line {
        line: u64,
        error: LineError,
    },
}

/// The fault of one line. Columns count from 1.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum LineError {
    TooLong,
    ColumnCount { expected: usize, found: usize },
    BookColumnCount { found: usize },
    Column { column: usize, name: &'static str, error: ColumnError },
}

/// The fault of one column.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum ColumnError {
    NotANumber,
    OutOfRange,
    FinerThanNanosecond,
    SizeAtEmptyLevel,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { line, error } => write!(f, "line {line}: {error}"),
            Self::Line { line, error } => write!(f, "line {line}: {error}"),
        }
    }
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong => write!(f, "longer than {LINE_BYTES_MAX} bytes"),
            Self::ColumnCount { expected, found } => {
                write!(f, "{found} columns where {expected} are expected")
            }
            Self::BookColumnCount { found } => {
                write!(f, "{found} columns, which is not a number of levels times four")
            }
            Self::Column { column, name, error } => write!(f, "column {column} ({name}) {error}"),
        }
    }
}

impl fmt::Display for ColumnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotANumber => "is not a number",
            Self::OutOfRange => "is out of range",
            Self::FinerThanNanosecond => "is finer than a nanosecond",
            Self::SizeAtEmptyLevel => "is not zero although the level is empty",
        })
    }
}

impl std::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { error, .. } => Some(error),
            Self::Line { error, .. } => Some(error),
        }
    }
}

impl std::error::Error for LineError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Column { error, .. } => Some(error),
            _ => None,
        }
    }
}

impl std::error::Error for ColumnError {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check_message(line: &str, expect: &str) {
        let found = match Message::parse(line.as_bytes()) {
            Ok(Message { time_ns, order_id, price, size, event_type, side }) => {
                format!("{time_ns} {event_type:?} {order_id} {size} @ {price} {side:?}")
            }
            Err(error) => error.to_string(),
        };
        assert_eq!(found, expect, "{line:?}");
    }

    #[track_caller]
    fn check_time(text: &str, expect: Result<u64, ColumnError>) {
        assert_eq!(parse_time(text.as_bytes()), expect, "{text:?}");
    }

    /// A book as `ask size@price / bid size@price`, level by level.
    #[track_caller]
    fn check_book(line: &str, expect: &str) {
        let level = |level: Option<Level>| match level {
            Some(Level { price, size }) => format!("{size}@{price}"),
            None => "-".to_owned(),
        };
        let found = match BookRow::parse(line.as_bytes()) {
            Ok(row) => row
                .levels
                .iter()
                .map(|BookLevel { ask, bid }| format!("{} / {}", level(*ask), level(*bid)))
                .collect::<Vec<_>>()
                .join(", "),
            Err(error) => error.to_string(),
        };
        assert_eq!(found, expect, "{line:?}");
    }

    #[test]
    fn messages_of_every_type_are_read() {
        check_message(
            "34200.004241176,1,16113575,18,5853300,1",
            "34200004241176 New 16113575 18 @ 5853300 Buy",
        );
        check_message(
            "34200.02,2,16113575,8,5853300,-1",
            "34200020000000 PartialCancel 16113575 8 @ 5853300 Sell",
        );
        check_message("34200,3,1,1,1,1", "34200000000000 Delete 1 1 @ 1 Buy");
        check_message(
            "0.000000001,4,9223372036854775807,4294967295,9999999998,-1",
            "1 VisibleExecution 9223372036854775807 4294967295 @ 9999999998 Sell",
        );
        check_message(
            "34200.275072491,5,0,100,5857900,-1",
            "34200275072491 HiddenExecution 0 100 @ 5857900 Sell",
        );
        check_message(
            "34200.190226476,6,-1,208,1186500,-1",
            "34200190226476 Cross -1 208 @ 1186500 Sell",
        );
        check_message("57600.5,6,-2,0,0,1", "57600500000000 Cross -2 0 @ 0 Buy");
        check_message("40000.1,7,0,0,-1,-1", "40000100000000 Halt 0 0 @ -1 Sell");
        check_message("40000.2,7,0,0,0,-1", "40000200000000 Halt 0 0 @ 0 Sell");
        check_message("40000.3,7,0,0,1,-1", "40000300000000 Halt 0 0 @ 1 Sell");
    }

    #[test]
    fn bad_messages_name_the_column() {
        check_message("", "1 columns where 6 are expected");
        check_message("34200.1,1,1,1,1", "5 columns where 6 are expected");
        check_message("34200.1,1,1,1,1,1,1", "7 columns where 6 are expected");
        check_message("34200.1,1,1,1,1,1,", "7 columns where 6 are expected");
        check_message(",,,,,", "column 1 (time) is not a number");
        check_message("time,type,order_id,size,price,direction", "column 1 (time) is not a number");
        check_message("34200.1,0,1,1,1,1", "column 2 (type) is out of range");
        check_message("34200.1,8,1,1,1,1", "column 2 (type) is out of range");
        check_message("34200.1,,1,1,1,1", "column 2 (type) is not a number");
        check_message("34200.1,1,0,1,1,1", "column 3 (order_id) is out of range");
        check_message("34200.1,4,-1,1,1,1", "column 3 (order_id) is out of range");
        check_message("34200.1,5,-1,1,1,1", "column 3 (order_id) is out of range");
        check_message("34200.1,1,9223372036854775808,1,1,1", "column 3 (order_id) is out of range");
        check_message(
            "34200.1,1,99999999999999999999,1,1,1",
            "column 3 (order_id) is out of range",
        );
        check_message("34200.1,1,1e5,1,1,1", "column 3 (order_id) is not a number");
        check_message("34200.1,1,1,0,1,1", "column 4 (size) is out of range");
        check_message("34200.1,1,1,-1,1,1", "column 4 (size) is out of range");
        check_message("34200.1,1,1,4294967296,1,1", "column 4 (size) is out of range");
        check_message("34200.1,1,1, 1,1,1", "column 4 (size) is not a number");
        check_message("34200.1,1,1,+1,1,1", "column 4 (size) is not a number");
        check_message("34200.1,1,1,1,0,1", "column 5 (price) is out of range");
        check_message("34200.1,1,1,1,-1,1", "column 5 (price) is out of range");
        check_message("34200.1,1,1,1,9999999999,1", "column 5 (price) is out of range");
        check_message("34200.1,1,1,1,58.5,1", "column 5 (price) is not a number");
        check_message("34200.1,6,-1,1,-1,1", "column 5 (price) is out of range");
        check_message("34200.1,7,0,0,2,1", "column 5 (price) is out of range");
        check_message("34200.1,1,1,1,1,0", "column 6 (direction) is out of range");
        check_message("34200.1,1,1,1,1,2", "column 6 (direction) is out of range");
        check_message("34200.1,1,1,1,1,-", "column 6 (direction) is not a number");
        check_message("34200.1,1,1,1,1,1 ", "column 6 (direction) is not a number");
    }

    #[test]
    fn time_is_exact_to_the_nanosecond() {
        check_time("0", Ok(0));
        check_time("34200", Ok(34_200_000_000_000));
        check_time("34200.0", Ok(34_200_000_000_000));
        check_time("34200.000000001", Ok(34_200_000_000_001));
        check_time("34200.00426064", Ok(34_200_004_260_640));
        check_time("34200.123456789000000000", Ok(34_200_123_456_789));
        check_time("86399.999999999", Ok(86_399_999_999_999));
        check_time("86400", Err(ColumnError::OutOfRange));
        check_time("18446744073709551616.5", Err(ColumnError::OutOfRange));
        check_time("-1.5", Err(ColumnError::OutOfRange));
        for text in ["", ".", ".5", "1.", "1.5.5", "1.-5", "1,5", "3.42e4", "34200.1s", "nan"] {
            check_time(text, Err(ColumnError::NotANumber));
        }
    }

    #[test]
    fn time_printed_from_a_double_is_rounded_to_its_nanosecond() {
        check_time("35821.088778456004", Ok(35_821_088_778_456));
        check_time("35821.088778455997", Ok(35_821_088_778_456));
        check_time("35821.9999999999927", Ok(35_822_000_000_000));
        check_time("35821.0887784561", Err(ColumnError::FinerThanNanosecond));
        check_time("35821.088778456011", Err(ColumnError::FinerThanNanosecond));
        check_time("35821.0887784565", Err(ColumnError::FinerThanNanosecond));
        check_time("35821.0000000000000000000", Err(ColumnError::FinerThanNanosecond));
    }

    #[test]
    fn empty_levels_are_none() {
        check_book("5859400,200,5853300,18", "200@5859400 / 18@5853300");
        check_book("2,1,1,1,3,4,-9999999999,0", "1@2 / 1@1, 4@3 / -");
        check_book("9999999999,0,1,18446744073709551615", "- / 18446744073709551615@1");
        check_book("9999999999,0,-9999999999,0", "- / -");
    }

    #[test]
    fn bad_book_rows_name_the_column() {
        check_book("", "1 columns, which is not a number of levels times four");
        check_book("1,1,1", "3 columns, which is not a number of levels times four");
        check_book("2,1,1,1,3", "5 columns, which is not a number of levels times four");
        check_book("x,1,1,1", "column 1 (ask_price) is not a number");
        check_book("-9999999999,0,1,1", "column 1 (ask_price) is out of range");
        check_book("0,1,1,1", "column 1 (ask_price) is out of range");
        check_book("10000000000,1,1,1", "column 1 (ask_price) is out of range");
        check_book("2,0,1,1", "column 2 (ask_size) is out of range");
        check_book("2,1,9999999999,0", "column 3 (bid_price) is out of range");
        check_book(
            "9999999999,7,1,1",
            "column 2 (ask_size) is not zero although the level is empty",
        );
        check_book("2,1,1,1,3,1,1,", "column 8 (bid_size) is not a number");
    }

    const MESSAGES: &str = "34200.004241176,1,16113575,18,5853300,1\n\
                            34200.1,3,16113575,18,5853300,1\r\n\
                            34200.2,1,2,18,5853300,-1";

    #[test]
    fn errors_name_the_line_and_end_the_iterator() {
        let text = MESSAGES.replace("34200.1,3", "34200.1,9");
        let mut messages = messages(text.as_bytes());
        assert!(messages.next().unwrap().is_ok());
        let error = messages.next().unwrap().unwrap_err();
        assert_eq!(error.to_string(), "line 2: column 2 (type) is out of range");
        assert!(messages.next().is_none());

        let mut rows = book_rows(&b"2,1,1,1\n2,1,1,1,3,1,1,1\n"[..]);
        assert!(rows.next().unwrap().is_ok());
        let error = rows.next().unwrap().unwrap_err();
        assert_eq!(error.to_string(), "line 2: 8 columns where 4 are expected");
        assert!(rows.next().is_none());
    }

    #[test]
    fn blank_line_is_an_error_and_an_empty_file_is_not() {
        assert_eq!(messages(&b""[..]).count(), 0);
        assert_eq!(book_rows(&b""[..]).count(), 0);
        let error = messages(&b"\n"[..]).next().unwrap().unwrap_err();
        assert_eq!(error.to_string(), "line 1: 1 columns where 6 are expected");
    }

    #[test]
    fn line_without_an_end_takes_bounded_memory() {
        let mut messages = messages(io::BufReader::new(io::repeat(b'1')));
        let error = messages.next().unwrap().unwrap_err();
        assert_eq!(error.to_string(), "line 1: longer than 16384 bytes");
        assert!(messages.next().is_none());
        assert!(messages.lines.line.capacity() < 4 * LINE_BYTES_MAX);

        let longest = "1".repeat(LINE_BYTES_MAX) + "\r\n";
        let error = book_rows(longest.as_bytes()).next().unwrap().unwrap_err();
        assert!(error.to_string().contains("columns"), "{error}");
    }

    #[test]
    fn message_file_cut_at_any_byte_reads_whole_lines_or_fails() {
        let whole: Vec<_> = messages(MESSAGES.as_bytes()).map(Result::unwrap).collect();
        assert_eq!(whole.len(), 3);
        for cut in 0..MESSAGES.len() {
            let read: Vec<_> = messages(&MESSAGES.as_bytes()[..cut]).collect();
            for (at, message) in read.iter().enumerate() {
                match message {
                    Ok(message) => assert_eq!(*message, whole[at], "cut at {cut}"),
                    Err(ReadError::Line { line, .. }) => {
                        assert_eq!(*line, read.len() as u64, "cut at {cut}");
                    }
                    Err(error) => panic!("cut at {cut}: {error}"),
                }
            }
        }
    }

    #[test]
    fn book_file_cut_before_the_last_column_fails() {
        let line = "5859400,200,5853300,18,9999999999,0,5853000,150";
        for cut in 1..=line.rfind(',').unwrap() {
            let row = BookRow::parse(&line.as_bytes()[..cut]);
            // The number of columns in the earlier rows reveals a cut between two levels.
            let rows: Vec<_> = book_rows(format!("{line}\n{}", &line[..cut]).as_bytes()).collect();
            assert!(rows[1].is_err(), "cut at {cut}: {row:?}");
        }
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            for message in messages(&bytes[..]) {
                let _ = message.map_err(|error| error.to_string());
            }
            for row in book_rows(&bytes[..]) {
                let _ = row.map_err(|error| error.to_string());
            }
        }

        #[test]
        fn arbitrary_csv_never_panics(text in "([-0-9.,\r\n]|,-?[0-9]{1,20}){0,60}") {
            for message in messages(text.as_bytes()) {
                let _ = message.map_err(|error| error.to_string());
            }
            for row in book_rows(text.as_bytes()) {
                let _ = row.map_err(|error| error.to_string());
            }
        }

        #[test]
        fn time_reads_back_with_any_number_of_decimals(
            time_ns in 0..SECONDS_PER_DAY * NS_PER_SECOND,
            zeros in 0..=9_usize,
        ) {
            let (seconds, fraction) = (time_ns / NS_PER_SECOND, time_ns % NS_PER_SECOND);
            let text = format!("{seconds}.{fraction:09}{}", "0".repeat(zeros));
            prop_assert_eq!(parse_time(text.as_bytes()), Ok(time_ns));
            let double = format!("{:.12}", text.parse::<f64>().unwrap());
            prop_assert_eq!(parse_time(double.as_bytes()), Ok(time_ns));
        }
    }
}
