//! Whatever commands a log has, the engine goes on: no panic, no overflow, no work without end.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut engine = fuzz::small_venue();
    fuzz::apply_all(&mut engine, bytes);
});
