//! The replay window: which of the last sequences of datagrams have come.

/// Sequences that are known apart; older ones count as having arrived.
const SIZE: u64 = 1_024;
const WORDS: usize = (SIZE / 64) as usize;

#[derive(Clone, Debug, Default)]
pub(super) struct Window {
    /// The largest that has come; zero is none.
    largest: u64,
    bits: [u64; WORDS],
}

impl Window {
    pub(super) fn largest(&self) -> u64 {
        self.largest
    }

    /// Whether a sequence has arrived, or is too old to know.
    pub(super) fn has(&self, sequence: u64) -> bool {
        if sequence > self.largest {
            return false;
        }
        sequence == 0 || self.largest - sequence >= SIZE || self.bit(sequence)
    }

    /// Takes a sequence that has not come, of a datagram that is genuine.
    pub(super) fn take(&mut self, sequence: u64) {
        if sequence > self.largest {
            let skipped = sequence - self.largest;
            if skipped >= SIZE {
                self.bits = [0; WORDS];
            } else {
                for between in self.largest + 1..sequence {
                    self.clear(between);
                }
            }
            self.largest = sequence;
        }
        let (word, bit) = place(sequence);
        self.bits[word] |= bit;
    }

    fn bit(&self, sequence: u64) -> bool {
        let (word, bit) = place(sequence);
        self.bits[word] & bit != 0
    }

    fn clear(&mut self, sequence: u64) {
        let (word, bit) = place(sequence);
        self.bits[word] &= !bit;
    }
}

fn place(sequence: u64) -> (usize, u64) {
    let at = sequence % SIZE;
    ((at / 64) as usize, 1 << (at % 64))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn each_sequence_comes_once(steps in prop::collection::vec(0..3_000_u64, 1..400)) {
            let (mut window, mut seen) = (Window::default(), BTreeSet::new());
            let mut base = 1_u64;
            for step in steps {
                // Near the largest, with jumps beyond the window.
                let sequence = (base + step).saturating_sub(1_200).max(1);
                let largest = seen.last().copied().unwrap_or(0);
                let too_old = largest >= SIZE && sequence <= largest - SIZE;
                prop_assert_eq!(window.has(sequence), seen.contains(&sequence) || too_old);
                if !window.has(sequence) {
                    window.take(sequence);
                    seen.insert(sequence);
                }
                base = base.max(sequence);
                prop_assert_eq!(window.largest(), *seen.last().unwrap());
            }
        }
    }
}
