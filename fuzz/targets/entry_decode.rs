//! What can be read as an entry is written as it was.

#![no_main]

use libfuzzer_sys::fuzz_target;
use types::{Entry, Reader, Wire};

fuzz_target!(|bytes: &[u8]| {
    let mut reader = Reader(bytes);
    if let Some(entry) = Entry::read(&mut reader) {
        let mut written = Vec::new();
        entry.write(&mut written);
        assert_eq!(written, bytes[..bytes.len() - reader.0.len()]);
    }
});
