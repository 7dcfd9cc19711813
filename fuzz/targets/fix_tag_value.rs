//! Whatever bytes come as FIX, they are refused, need more, or are a message whose fields, written
//! again, are read as the same fields.

#![no_main]

use libfuzzer_sys::fuzz_target;
use protocol::fix::tag_value::{Writer, read};

fuzz_target!(|bytes: &[u8]| {
    check(bytes);
    // Length and checksum are seldom right by chance.
    let mut framed = Vec::new();
    let body = [b"35=D\x01", bytes, b"\x01"].concat();
    framed.extend_from_slice(format!("8=FIX.4.4\x019={}\x01", body.len()).as_bytes());
    framed.extend_from_slice(&body);
    let sum = framed.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
    framed.extend_from_slice(format!("10={sum:03}\x01").as_bytes());
    check(&framed);
});

fn check(bytes: &[u8]) {
    let Ok(Some(message)) = read(bytes) else { return };
    assert!(message.size() <= bytes.len());
    let Ok(fields) = message.fields().collect::<Result<Vec<_>, _>>() else { return };
    let mut again = Vec::new();
    let mut writer = Writer::begin(&mut again, message.begin_string(), fields[0].value);
    fields[1..].iter().for_each(|field| writer.field(field.tag, field.value));
    writer.finish();
    let again = read(&again).expect("it is sound").expect("it is whole");
    assert_eq!(again.fields().collect::<Result<Vec<_>, _>>().as_deref(), Ok(&fields[..]));
}
