//! Messages that come: released in order, and acknowledged.

use std::collections::BTreeMap;

use crate::udp::frame::RANGES_MAX;

/// Messages that wait for one before them, at most, and their bytes.
const WAITING_MAX: usize = 8_192;
const WAITING_BYTES_MAX: usize = 4 << 20;

#[derive(Clone, Debug)]
pub(super) struct Incoming {
    /// The number of the next message to deliver.
    next: u64,
    waiting: BTreeMap<u64, Vec<u8>>,
    waiting_bytes: usize,
}

impl Incoming {
    pub(super) fn new(next: u64) -> Self {
        Self { next, waiting: BTreeMap::new(), waiting_bytes: 0 }
    }

    pub(super) fn next(&self) -> u64 {
        self.next
    }

    /// Whether a message is missing.
    pub(super) fn has_gap(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Takes a message; `false` if it has come before, or has no room.
    pub(super) fn take(
        &mut self,
        number: u64,
        message: &[u8],
        deliver: &mut impl FnMut(u64, &[u8]),
    ) -> bool {
        if number < self.next || self.waiting.contains_key(&number) {
            return false;
        }
        if number > self.next {
            let bytes = self.waiting_bytes + message.len();
            if self.waiting.len() == WAITING_MAX || bytes > WAITING_BYTES_MAX {
                return false;
            }
            self.waiting.insert(number, message.to_vec());
            self.waiting_bytes = bytes;
            return true;
        }
        deliver(number, message);
        self.next += 1;
        while let Some(first) = self.waiting.first_entry() {
            if *first.key() != self.next {
                break;
            }
            let message = first.remove();
            self.waiting_bytes -= message.len();
            deliver(self.next, &message);
            self.next += 1;
        }
        true
    }

    /// The first and the last number of each range that has come beyond the next message.
    pub(super) fn ranges(&self) -> Vec<(u64, u64)> {
        let mut ranges: Vec<(u64, u64)> = Vec::new();
        for number in self.waiting.keys() {
            let count = ranges.len();
            match ranges.last_mut() {
                Some((_, last)) if *last + 1 == *number => *last = *number,
                _ if count == RANGES_MAX => break,
                _ => ranges.push((*number, *number)),
            }
        }
        ranges
    }
}
