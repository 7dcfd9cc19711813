//! One invariant, and the message for its violation.

pub(super) fn check(holds: bool, contradiction: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(contradiction()) }
}
