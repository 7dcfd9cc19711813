//! Memory that a thread keeps: what one request leaves serves a later one.

use std::cell::RefCell;

/// Pieces that a thread keeps.
const PIECES_MAX: usize = 64;
/// Bytes of a piece that is worth keeping. Larger ones would be kept for good.
const PIECE_LEN_MAX: usize = 4 << 10;

/// Pieces of one kind, with what they had: a piece is cleared when it is taken.
pub(crate) struct Spare<T>(RefCell<Vec<T>>);

impl<T> Spare<T> {
    pub(crate) const fn new() -> Self {
        Self(RefCell::new(Vec::new()))
    }

    pub(crate) fn take(&self) -> Option<T> {
        self.0.borrow_mut().pop()
    }

    /// Keeps a piece of this many bytes, if it is worth it.
    pub(crate) fn keep(&self, piece: T, len: usize) {
        let mut pieces = self.0.borrow_mut();
        if (1..=PIECE_LEN_MAX).contains(&len) && pieces.len() < PIECES_MAX {
            pieces.push(piece);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_keeps_few_and_small_pieces() {
        let spare = Spare::new();
        spare.keep("empty", 0);
        spare.keep("large", PIECE_LEN_MAX + 1);
        assert_eq!(spare.take(), None);
        (0..2 * PIECES_MAX).for_each(|_| spare.keep("small", 1));
        assert_eq!((0..).take_while(|_| spare.take().is_some()).count(), PIECES_MAX);
    }
}
