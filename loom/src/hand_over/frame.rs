//! The size of a frame.

pub(crate) fn size(payload: usize) -> usize {
    payload
}
