//! Tests of the LOBSTER reader.

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
    check_message("34200.1,1,99999999999999999999,1,1,1", "column 3 (order_id) is out of range");
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
    check_book("9999999999,7,1,1", "column 2 (ask_size) is not zero although the level is empty");
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

/// The lines of a message file, or the error that ends it.
fn read_messages(text: &str) -> Result<usize, String> {
    let read = messages(text.as_bytes()).collect::<Result<Vec<_>, _>>();
    read.map(|messages| messages.len()).map_err(|error| error.to_string())
}

fn read_rows(text: &str) -> Result<usize, String> {
    let read = book_rows(text.as_bytes()).collect::<Result<Vec<_>, _>>();
    read.map(|rows| rows.len()).map_err(|error| error.to_string())
}

#[test]
fn blank_lines_end_a_file_and_are_an_error_before_other_lines() {
    for end in ["", "\n", "\n\n", "\r\n\r\n\r\n"] {
        assert_eq!(read_messages(&format!("{MESSAGES}{end}")), Ok(3), "{end:?}");
        assert_eq!(read_rows(&format!("2,1,1,1{end}")), Ok(1), "{end:?}");
        assert_eq!(read_messages(end), Ok(0), "{end:?}");
        assert_eq!(read_rows(end), Ok(0), "{end:?}");
    }
    let blank = |line| Err(format!("line {line}: is blank, and lines follow"));
    assert_eq!(read_messages(&format!("\n{MESSAGES}")), blank(1));
    assert_eq!(read_messages(&format!("{MESSAGES}\n\r\n\n{MESSAGES}")), blank(4));
    assert_eq!(read_rows("2,1,1,1\n\n2,1,1,1\n"), blank(2));
}

#[test]
fn a_header_and_a_byte_order_mark_are_skipped_and_counted() {
    for header in ["time,type,order_id,size,price,direction", "Time,Event Type,ID,\"Size\",Px,Dir"]
    {
        for mark in ["", "\u{feff}"] {
            for line_end in ["\n", "\r\n"] {
                let text = format!("{mark}{header}{line_end}");
                assert_eq!(read_messages(&text), Ok(0), "{text:?}");
                assert_eq!(read_messages(&format!("{text}{MESSAGES}")), Ok(3), "{text:?}");
                let error = read_messages(&format!("{text}34200.1,9,1,1,1,1\n")).unwrap_err();
                assert_eq!(error, "line 2: column 2 (type) is out of range", "{text:?}");
            }
        }
    }
    assert_eq!(read_messages(&format!("\u{feff}{MESSAGES}")), Ok(3));
    assert_eq!(
        read_rows("\u{feff}ask_price_1,ask_size_1,bid_price_1,bid_size_1\r\n2,1,1,1"),
        Ok(1)
    );
    // Only the first line can be a header.
    let twice = "time,type,order_id,size,price,direction\n".repeat(2);
    assert_eq!(read_messages(&twice), Err("line 2: column 1 (time) is not a number".into()));
    let error = read_messages("x,1,1,1,1,1\n").unwrap_err();
    assert_eq!(error, "line 1: column 1 (time) is not a number");
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
