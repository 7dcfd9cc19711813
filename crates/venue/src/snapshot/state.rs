//! The engine's state as bytes, for snapshots, and for comparisons of two engines.

use engine::Engine;

pub(crate) fn encode(engine: &Engine) -> Vec<u8> {
    let mut state = Vec::new();
    engine.write_state(&mut state);
    state
}
