//! What can be read as an event is written as it was.

#![no_main]

use libfuzzer_sys::fuzz_target;
use types::{Event, Reader, Wire};

fuzz_target!(|bytes: &[u8]| {
    let mut reader = Reader(bytes);
    if let Some(event) = Event::read(&mut reader) {
        let mut written = Vec::new();
        event.write(&mut written);
        assert_eq!(written, bytes[..bytes.len() - reader.0.len()]);
    }
});
