//! No bytes are a reason to panic for a reader of a state, and what is read goes on.
//!
//! The input is bytes to put into a state that is whole (place, byte, place, byte), behind a zero;
//! behind anything else it is a state itself.

#![no_main]

use engine::Engine;
use libfuzzer_sys::fuzz_target;
use types::Reader;

fuzz_target!(|bytes: &[u8]| {
    let Some((kind, rest)) = bytes.split_first() else { return };
    let mut state = rest.to_vec();
    if *kind == 0 {
        state.clear();
        fuzz::small_venue().write_state(&mut state);
        for patch in rest.chunks_exact(3) {
            let at = usize::from(u16::from_le_bytes([patch[0], patch[1]]));
            let len = state.len();
            state[at % len] = patch[2];
        }
    }
    let Some(engine) = Engine::read_state(Reader(&state)) else { return };
    engine.assert_consistent();
    let mut again = Vec::new();
    engine.write_state(&mut again);
    assert!(again == state, "the same state gives the same bytes");
});
