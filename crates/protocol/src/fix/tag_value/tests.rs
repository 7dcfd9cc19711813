//! Tests of the tag-value encoding. `|` stands for the end of a field.

use proptest::prelude::*;

use super::*;

fn bytes(text: &str) -> Vec<u8> {
    text.replace('|', "\u{1}").into_bytes()
}

/// A message with a right length and checksum around these fields.
fn framed(body: &str) -> Vec<u8> {
    let mut message = bytes(&format!("8=FIX.4.4|9={}|{body}", bytes(body).len()));
    let sum = message.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
    message.extend(bytes(&format!("10={sum:03}|")));
    message
}

#[track_caller]
fn check(message: &[u8], expect: &str) {
    let found = match read(message) {
        Ok(None) => "more".to_owned(),
        Err(error) => error.to_string(),
        Ok(Some(message)) => {
            let fields = message.fields().map(|field| match field {
                Ok(Field { tag, value }) => {
                    format!("{tag}={}", String::from_utf8_lossy(value).replace('\u{1}', "|"))
                }
                Err(error) => error.to_string(),
            });
            fields.collect::<Vec<_>>().join(" ")
        }
    };
    assert_eq!(found, expect, "{}", String::from_utf8_lossy(message).replace('\u{1}', "|"));
}

#[test]
fn fields_are_read_in_their_order() {
    check(&framed("35=D|11=a-1|55=BTCUSDT|44=58710.2|"), "35=D 11=a-1 55=BTCUSDT 44=58710.2");
    let message = framed("35=AE|55=X|");
    let read = read(&message).unwrap().unwrap();
    assert_eq!(read.msg_type(), b"AE");
    assert_eq!(read.begin_string(), b"FIX.4.4");
    assert_eq!(read.size(), message.len());
    assert_eq!((read.find(55), read.find(56)), (Some(&b"X"[..]), None));
}

#[test]
fn a_message_of_the_specification_is_read() {
    // The example in volume 2 of FIX 4.2's errata has this checksum.
    let text = "8=FIX.4.2|9=65|35=A|49=SERVER|56=CLIENT|34=177|52=20090107-18:15:16|98=0|108=30|\
                10=062|";
    let expect = "35=A 49=SERVER 56=CLIENT 34=177 52=20090107-18:15:16 98=0 108=30";
    check(&bytes(text), expect);
}

#[test]
fn data_may_have_the_end_of_a_field() {
    check(&framed("35=A|95=5|96=a|b=c|58=x|"), "35=A 95=5 96=a|b=c 58=x");
    check(
        &framed("35=A|95=9|96=a|b=c|"),
        "35=A 95=9 a field at byte 10 of the body is not a tag \
        and a value",
    );
    check(&framed("35=A|95=9|58=a|"), "35=A 95=9 58=a");
}

#[test]
fn a_cut_message_needs_more() {
    let message = framed("35=D|11=a-1|55=BTCUSDT|44=58710.2|");
    for cut in 0..message.len() {
        check(&message[..cut], "more");
    }
    let two = [message.clone(), message.clone()].concat();
    assert_eq!(read(&two).unwrap().unwrap().size(), message.len());
}

#[test]
fn what_is_not_a_message_is_refused() {
    check(b"9=FIX", "a message begins with \"8=FIX\"");
    check(b"8=FIX.4.4.4.4.4.4.4.4", "a message begins with \"8=FIX\"");
    let length = "the body length is not a number of at most 65536 bytes";
    for wrong in ["8=FIX.4.4|35=D", "8=FIX.4.4|9=|", "8=FIX.4.4|9=-5|", "8=FIX.4.4|9=65537|"] {
        check(&bytes(wrong), length);
    }
    let mut message = framed("35=D|11=a|");
    let end = "the body does not end where its length states";
    let wrong: String = String::from_utf8(message.clone()).unwrap().replace("9=10", "9=09");
    check(wrong.as_bytes(), end);
    message[20] ^= 2;
    check(&message, "the checksum is 230, and 228 is stated");
    check(&framed("11=a|35=D|"), "the body does not begin with its type, tag 35");
    check(&framed("35=|11=a|"), "the body does not begin with its type, tag 35");
    let field =
        |at: usize| format!("35=D a field at byte {at} of the body is not a tag and a value");
    for wrong in ["11|", "=a|", "11=|", "x=a|", "011=a|", "1234567=a|", "-1=a|"] {
        check(&framed(&format!("35=D|{wrong}")), &field(5));
    }
}

#[test]
fn messages_are_written_with_length_and_checksum() {
    let mut out = b"before".to_vec();
    let mut writer = Writer::begin(&mut out, b"FIX.4.4", b"D");
    writer.field(11, b"a-1");
    writer.number(38, 100);
    writer.decimal(44, 5_871_020, 2);
    writer.decimal(99, -5, 3);
    writer.decimal(140, 7, 0);
    writer.finish();
    let expect = framed("35=D|11=a-1|38=100|44=58710.20|99=-0.005|140=7|");
    assert_eq!(&out[..6], b"before");
    assert_eq!(out[6..], expect, "{}", String::from_utf8_lossy(&out));
    for size in [1, 90, 100, 990, 1_000, 20_000] {
        let mut out = Vec::new();
        let mut writer = Writer::begin(&mut out, b"FIX.4.4", b"D");
        writer.field(58, &vec![b'x'; size]);
        writer.finish();
        check(&out, &format!("35=D 58={}", "x".repeat(size)));
    }
}

#[test]
fn a_message_that_is_not_finished_leaves_nothing() {
    let mut out = b"before".to_vec();
    Writer::begin(&mut out, b"FIX.4.4", b"D").field(11, b"a-1");
    assert_eq!(out, b"before");
}

#[test]
fn numbers_are_parsed_exactly_or_refused() {
    let check =
        |text: &str, expect| assert_eq!(parse_decimal(text.as_bytes(), 2), expect, "{text}");
    check("58710.2", Some(5_871_020));
    check("58710.2000", Some(5_871_020));
    check("-0.05", Some(-5));
    check("007", Some(700));
    for wrong in ["", "-", ".5", "5.", "1.005", "1.2.3", "1e5", "+1", "99999999999999999999"] {
        check(wrong, None);
    }
    assert_eq!(parse_u64(b"18446744073709551615"), Some(u64::MAX));
    for wrong in ["", "18446744073709551616", "-1", "1x"] {
        assert_eq!(parse_u64(wrong.as_bytes()), None);
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read(
        fields in prop::collection::vec((1_u32..90, "[ -~]{1,20}"), 0..30),
        number in any::<u64>(),
        units in any::<i64>(),
        decimals in 0_u8..19,
    ) {
        let mut out = Vec::with_capacity(2_048);
        let mut writer = Writer::begin(&mut out, b"FIX.4.4", b"D");
        fields.iter().for_each(|(tag, value)| writer.field(*tag, value.as_bytes()));
        writer.number(5_000, number);
        writer.decimal(5_001, units, decimals);
        writer.finish();
        let message = read(&out).unwrap().unwrap();
        prop_assert_eq!(message.size(), out.len());
        let found: Vec<Field<'_>> = message.fields().collect::<Result<_, _>>().unwrap();
        let (number, decimal) =
            (number.to_string(), types::format_decimal(units.into(), decimals, decimals));
        let expect = [(35, "D")].into_iter()
            .chain(fields.iter().map(|(tag, value)| (*tag, &**value)))
            .chain([(5_000, &*number), (5_001, &*decimal)]);
        let expect: Vec<Field<'_>> =
            expect.map(|(tag, value)| Field { tag, value: value.as_bytes() }).collect();
        prop_assert_eq!(found, expect);
        for cut in 0..out.len() {
            prop_assert_eq!(read(&out[..cut]), Ok(None));
        }
    }

    #[test]
    fn the_first_end_is_found(bytes in prop::collection::vec(0_u8..4, 0..40), high in any::<u8>()) {
        let bytes: Vec<u8> =
            bytes.iter().map(|byte| if *byte == 3 { high } else { *byte }).collect();
        let expect = bytes.iter().position(|byte| *byte == SOH);
        prop_assert_eq!(find_soh(&bytes), expect);
    }

    #[test]
    fn arbitrary_bytes_never_panic(noise in prop::collection::vec(any::<u8>(), 0..80)) {
        let _ = read(&noise);
        let text = noise.iter().map(|byte| char::from(byte % 64 + 32)).collect::<String>();
        let message = framed(&format!("35={text}|"));
        if let Ok(Some(message)) = read(&message) {
            message.fields().for_each(drop);
        }
    }
}
