//! The room of a disk.

#[allow(dead_code, reason = "the model's disk is never full")]
pub(crate) enum Room {
    Enough,
    Left(u64),
}
