//! No bytes are a reason to panic for a reader of a state, and what is read goes on.
//!
//! Behind a zero, the input is bytes to put into a state that is whole, as [`fuzz::patch`] takes
//! them; behind anything else it is a state itself.

#![no_main]

use std::sync::OnceLock;

use engine::Engine;
use libfuzzer_sys::fuzz_target;
use types::Reader;

fuzz_target!(|bytes: &[u8]| {
    let Some((kind, rest)) = bytes.split_first() else { return };
    let mut state = rest.to_vec();
    if *kind == 0 {
        state = whole().to_vec();
        fuzz::patch(&mut state, rest);
    }
    let Some(mut engine) = Engine::read_state(Reader(&state)) else { return };
    let mut again = Vec::new();
    engine.write_state(&mut again);
    assert!(again == state, "the same state gives the same bytes");
    fuzz::go_on(&mut engine);
});

fn whole() -> &'static [u8] {
    static WHOLE: OnceLock<Vec<u8>> = OnceLock::new();
    WHOLE.get_or_init(|| {
        let mut state = Vec::new();
        fuzz::busy_venue().write_state(&mut state);
        state
    })
}
