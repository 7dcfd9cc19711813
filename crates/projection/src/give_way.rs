//! Work of low priority that lets other threads go first.

const ROWS_AT_ONCE: usize = 8;

/// Between rows, and not at each, lets threads that wait for this processor go first. A thread of
/// low priority is not interrupted at once when another wakes, but may go on for milliseconds,
/// which orders would wait for.
pub fn give_way(row: usize) {
    if row.is_multiple_of(ROWS_AT_ONCE) {
        std::thread::yield_now();
    }
}
