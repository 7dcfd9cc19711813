//! Client order ids for requests that have none.

use std::cell::RefCell;

use types::ClOrdId;

/// A random client order id.
pub(crate) fn generate() -> ClOrdId {
    thread_local! {
        static RANDOM: RefCell<RandomBytes> = const { RefCell::new(RandomBytes::NONE) };
    }
    ClOrdId::generated(RANDOM.with_borrow_mut(RandomBytes::next))
}

/// A buffer of random bytes: one system call costs more than the rest of an id.
struct RandomBytes {
    bytes: [[u8; 16]; 64],
    left: usize,
}

impl RandomBytes {
    const NONE: Self = Self { bytes: [[0; 16]; 64], left: 0 };

    fn next(&mut self) -> [u8; 16] {
        if self.left == 0 {
            let bytes = self.bytes.as_flattened_mut();
            getrandom::fill(bytes).expect("the operating system gives random bytes");
            self.left = self.bytes.len();
        }
        self.left -= 1;
        self.bytes[self.left]
    }
}
