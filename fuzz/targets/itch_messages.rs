//! Whatever bytes come as a message of ITCH, they are refused, or written again as the same bytes.

#![no_main]

use libfuzzer_sys::fuzz_target;
use protocol::itch::Message;

fuzz_target!(|bytes: &[u8]| {
    let Ok(read) = Message::read(bytes) else { return };
    let mut again = Vec::new();
    read.write(&mut again);
    assert_eq!(again, bytes);
});
