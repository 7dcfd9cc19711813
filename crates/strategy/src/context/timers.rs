//! Timers of a strategy, earliest first and in the order in which they were set.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

#[derive(Clone, Debug, Default)]
pub(crate) struct Timers {
    heap: BinaryHeap<Reverse<(i64, u64, u32)>>,
    set: u64,
}

impl Timers {
    pub(crate) fn set(&mut self, at_ns: i64, timer: u32) {
        self.set += 1;
        self.heap.push(Reverse((at_ns, self.set, timer)));
    }

    /// The earliest time, `i64::MAX` where none is set.
    #[inline]
    pub(crate) fn next_ns(&self) -> i64 {
        self.heap.peek().map_or(i64::MAX, |Reverse((at_ns, ..))| *at_ns)
    }

    pub(crate) fn pop(&mut self) -> Option<(i64, u32)> {
        self.heap.pop().map(|Reverse((at_ns, _, timer))| (at_ns, timer))
    }
}
