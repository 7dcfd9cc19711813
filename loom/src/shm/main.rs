//! Model checks of the ring in shared memory: what is written is read, once and in order, and a
//! side that sleeps is woken.
//!
//! The ring is the crate's own file. A wake-up is a channel of one place, as the socket is: a side
//! that is not woken waits for ever, which loom reports as a deadlock.
//!
//! # Known limits
//! The ring has 4 words, and the frames have up to 8 bytes.

#[path = "../check.rs"]
mod check;
mod memory;
#[path = "../../../crates/shm/src/ring.rs"]
mod ring;

use std::sync::Arc;

use loom::sync::{Condvar, Mutex};
use loom::thread;

use crate::check::check;
use crate::memory::Memory;
use crate::ring::{FRAME_MAX, Reader, Ring, Writer};

/// The atomics that the ring uses.
mod atomic {
    pub(crate) use loom::sync::atomic::{AtomicU64, Ordering};

    /// The planted bug is a ring without its fences.
    pub(crate) fn fence(order: Ordering) {
        if !cfg!(feature = "missing-fence") {
            loom::sync::atomic::fence(order);
        }
    }
}

const SIZE: usize = 4;

fn main() {
    check("a reader that sleeps is woken for each frame", 3, || transfer(&[b"one", b"two"]));
    check("a writer that sleeps is woken for room", 3, || transfer(&[b"one", b"two", b"three"]));
}

/// Passes frames from one thread to another. Each sleeps when it can do nothing.
fn transfer(frames: &'static [&'static [u8]]) {
    let memory = Arc::new(Memory::new(Ring::words(SIZE)));
    let ring = Ring::new(memory, 0, SIZE);
    let (mut writer, mut reader) = (Writer::new(ring.clone()), Reader::new(ring));
    let (for_reader, for_writer) = (Arc::new(Bell::default()), Arc::new(Bell::default()));
    let (of_writer, of_reader) = (Arc::clone(&for_writer), Arc::clone(&for_reader));
    let writing = thread::spawn(move || {
        for frame in frames {
            while writer.write(frame).unwrap() == 0 {
                if writer.sleep().unwrap() {
                    of_writer.wait();
                }
            }
            if writer.must_wake() {
                of_reader.ring();
            }
        }
    });
    let mut bytes = [0; FRAME_MAX];
    for frame in frames {
        let len = loop {
            match reader.take(&mut bytes).unwrap() {
                0 if reader.sleep().unwrap() => for_reader.wait(),
                0 => {}
                len => break len,
            }
        };
        assert_eq!(&bytes[..len], *frame);
        if reader.must_wake() {
            for_writer.ring();
        }
    }
    writing.join().unwrap();
}

/// A wake-up that stays until it is taken.
#[derive(Default)]
struct Bell {
    rung: Mutex<bool>,
    changed: Condvar,
}

impl Bell {
    fn ring(&self) {
        *self.rung.lock().unwrap() = true;
        self.changed.notify_one();
    }

    fn wait(&self) {
        let mut rung = self.rung.lock().unwrap();
        while !*rung {
            rung = self.changed.wait(rung).unwrap();
        }
        *rung = false;
    }
}
