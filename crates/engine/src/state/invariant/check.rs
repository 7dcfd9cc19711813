//! One thing that must hold, and what to say if it does not.

pub(super) fn check(holds: bool, contradiction: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(contradiction()) }
}
