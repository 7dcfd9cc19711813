//! A ring of frames with one writer and one reader, in different processes.
//!
//! A frame is a word with its length in bytes, then its bytes in whole words. Positions count words
//! and only grow; a position modulo the ring's size is the place of its word.
//!
//! # Invariants
//! - Each side's own position is its private copy: the shared one is for the other side only.
//! - Of the other side's position no more is believed than that it is within the ring; of a length,
//!   that the frame ends before what is written.
//! - A side that says that it sleeps and then finds nothing is woken by what comes next: both sides
//!   have a fence between their write and their read of the other's word.

use std::sync::Arc;

use crate::atomic::{AtomicU64, Ordering, fence};
use crate::memory::{Memory, WORD};

/// The longest frame, in bytes.
pub(crate) const FRAME_MAX: usize = 4_096;

/// The shared words of a ring, each in a cache line of its own, and where its frames begin.
const WRITTEN: usize = 0;
const READ: usize = 8;
const READER_SLEEPS: usize = 16;
const WRITER_SLEEPS: usize = 24;
const FRAMES: usize = 32;

/// The other side has written what no sound program writes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Broken;

#[derive(Clone, Debug)]
pub(crate) struct Ring {
    memory: Arc<Memory>,
    /// Where the ring begins in the memory.
    start: usize,
    /// Words for frames, a power of two.
    size: usize,
}

impl Ring {
    /// The words that a ring takes.
    pub(crate) const fn words(size: usize) -> usize {
        FRAMES + size
    }

    pub(crate) fn new(memory: Arc<Memory>, start: usize, size: usize) -> Self {
        assert!(size.is_power_of_two() && start + Self::words(size) <= memory.words().len());
        Self { memory, start, size }
    }

    fn shared(&self, word: usize) -> &AtomicU64 {
        &self.memory.words()[self.start + word]
    }

    fn frame(&self, position: u64) -> &AtomicU64 {
        let at = position as usize & (self.size - 1);
        &self.memory.words()[self.start + FRAMES + at]
    }

    /// Says that a side sleeps, and looks a last time: it need not sleep if there is `something`.
    fn sleep(
        &self,
        word: usize,
        something: impl FnOnce() -> Result<bool, Broken>,
    ) -> Result<bool, Broken> {
        self.shared(word).store(1, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        let sleeps = !something()?;
        if !sleeps {
            self.shared(word).store(0, Ordering::Relaxed);
        }
        Ok(sleeps)
    }

    /// Whether the other side slept: it must be woken.
    fn wake(&self, word: usize) -> bool {
        fence(Ordering::SeqCst);
        let sleeps = self.shared(word);
        sleeps.load(Ordering::Relaxed) != 0 && sleeps.swap(0, Ordering::Relaxed) != 0
    }
}

#[derive(Debug)]
pub(crate) struct Writer {
    ring: Ring,
    written: u64,
}

impl Writer {
    pub(crate) fn new(ring: Ring) -> Self {
        Self { ring, written: 0 }
    }

    /// Writes as many of the bytes as there is room for, in frames. Returns how many.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<usize, Broken> {
        let mut room = self.room()?;
        let mut rest = bytes;
        while room > 1 && !rest.is_empty() {
            let len = rest.len().min(FRAME_MAX).min((room - 1) * WORD);
            let (frame, after) = rest.split_at(len);
            room -= self.put(frame);
            rest = after;
        }
        let len = bytes.len() - rest.len();
        if len > 0 {
            self.ring.shared(WRITTEN).store(self.written, Ordering::Release);
        }
        Ok(len)
    }

    /// Whether the reader must be woken for what was written.
    pub(crate) fn must_wake(&self) -> bool {
        self.ring.wake(READER_SLEEPS)
    }

    /// Sleeps until there is room. `false` if there is some.
    pub(crate) fn sleep(&self) -> Result<bool, Broken> {
        self.ring.sleep(WRITER_SLEEPS, || Ok(self.room()? > 1))
    }

    /// The free words.
    fn room(&self) -> Result<usize, Broken> {
        let read = self.ring.shared(READ).load(Ordering::Acquire);
        let used = usize::try_from(self.written.wrapping_sub(read)).map_err(|_| Broken)?;
        self.ring.size.checked_sub(used).ok_or(Broken)
    }

    /// Puts one frame, and returns its words.
    fn put(&mut self, frame: &[u8]) -> usize {
        let begun = self.written;
        self.push(frame.len() as u64);
        for chunk in frame.chunks(WORD) {
            let mut word = [0; WORD];
            word[..chunk.len()].copy_from_slice(chunk);
            self.push(u64::from_le_bytes(word));
        }
        (self.written - begun) as usize
    }

    fn push(&mut self, word: u64) {
        self.ring.frame(self.written).store(word, Ordering::Relaxed);
        self.written += 1;
    }
}

#[derive(Debug)]
pub(crate) struct Reader {
    ring: Ring,
    read: u64,
}

impl Reader {
    pub(crate) fn new(ring: Ring) -> Self {
        Self { ring, read: 0 }
    }

    /// Takes the next frame. Returns its length, zero if there is none.
    pub(crate) fn take(&mut self, frame: &mut [u8; FRAME_MAX]) -> Result<usize, Broken> {
        let filled = self.filled()?;
        if filled == 0 {
            return Ok(0);
        }
        let len = usize::try_from(self.ring.frame(self.read).load(Ordering::Relaxed));
        let len = len.map_err(|_| Broken)?;
        let frame = frame.get_mut(..len).filter(|frame| !frame.is_empty()).ok_or(Broken)?;
        let words = 1 + len.div_ceil(WORD);
        if words > filled {
            return Err(Broken);
        }
        for (at, chunk) in (self.read + 1..).zip(frame.chunks_mut(WORD)) {
            let word = self.ring.frame(at).load(Ordering::Relaxed).to_le_bytes();
            chunk.copy_from_slice(&word[..chunk.len()]);
        }
        self.read += words as u64;
        self.ring.shared(READ).store(self.read, Ordering::Release);
        Ok(len)
    }

    /// Whether the writer must be woken for the room that there is.
    pub(crate) fn must_wake(&self) -> bool {
        self.ring.wake(WRITER_SLEEPS)
    }

    /// Sleeps until there is a frame. `false` if there is one.
    pub(crate) fn sleep(&self) -> Result<bool, Broken> {
        self.ring.sleep(READER_SLEEPS, || Ok(self.filled()? > 0))
    }

    /// The words that were written and not yet read.
    fn filled(&self) -> Result<usize, Broken> {
        let written = self.ring.shared(WRITTEN).load(Ordering::Acquire);
        let filled = usize::try_from(written.wrapping_sub(self.read)).map_err(|_| Broken)?;
        if filled > self.ring.size { Err(Broken) } else { Ok(filled) }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use proptest::prelude::*;

    use super::*;

    const SIZE: usize = 32;

    fn ring() -> Ring {
        let (memory, _) = Memory::create(Ring::words(SIZE)).unwrap();
        Ring::new(Arc::new(memory), 0, SIZE)
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_once_and_in_order(
            steps in prop::collection::vec(prop_oneof![
                prop::collection::vec(any::<u8>(), 0..400).prop_map(Some),
                Just(None),
            ], 0..200),
        ) {
            let ring = ring();
            let (mut writer, mut reader) = (Writer::new(ring.clone()), Reader::new(ring));
            let mut between = VecDeque::new();
            let mut frame = [0; FRAME_MAX];
            for step in steps {
                match step {
                    Some(bytes) => {
                        let len = writer.write(&bytes).unwrap();
                        prop_assert!(len == bytes.len() || writer.sleep().unwrap());
                        between.extend(&bytes[..len]);
                    }
                    None => {
                        let len = reader.take(&mut frame).unwrap();
                        prop_assert!(len > 0 || between.is_empty());
                        let expected: Vec<u8> = between.drain(..len).collect();
                        prop_assert_eq!(&frame[..len], expected);
                    }
                }
            }
        }

        /// What a hostile program writes into the memory costs it its own stream, no more.
        #[test]
        fn no_word_of_the_other_side_is_trusted(
            words in prop::collection::vec((0..Ring::words(SIZE), word()), 1..50),
            bytes in prop::collection::vec(any::<u8>(), 0..400),
        ) {
            let ring = ring();
            let (mut writer, mut reader) = (Writer::new(ring.clone()), Reader::new(ring.clone()));
            let mut frame = [0; FRAME_MAX];
            for (at, word) in words {
                ring.shared(at).store(word, Ordering::Relaxed);
                if let Ok(len) = writer.write(&bytes) {
                    prop_assert!(len <= bytes.len());
                }
                if let Ok(len) = reader.take(&mut frame) {
                    prop_assert!(len <= SIZE * WORD);
                }
                let _sound = (writer.sleep(), writer.must_wake());
                let _sound = (reader.sleep(), reader.must_wake());
            }
        }
    }

    fn word() -> impl Strategy<Value = u64> {
        prop_oneof![any::<u64>(), 0..100_u64, Just(u64::MAX), (0..64_u32).prop_map(|bit| 1 << bit)]
    }

    #[test]
    fn positions_and_lengths_that_cannot_be_are_errors() {
        let check = |at, word| {
            let ring = ring();
            let (mut writer, mut reader) = (Writer::new(ring.clone()), Reader::new(ring.clone()));
            writer.write(b"twelve bytes").unwrap();
            ring.shared(at).store(word, Ordering::Relaxed);
            (reader.take(&mut [0; FRAME_MAX]), writer.write(b"more"))
        };
        assert_eq!(check(FRAMES, 12), (Ok(12), Ok(4)));
        for len in [0, 17, FRAME_MAX as u64 + 1, u64::MAX] {
            assert_eq!(check(FRAMES, len), (Err(Broken), Ok(4)), "{len}");
        }
        assert_eq!(check(WRITTEN, 2).0, Err(Broken), "within the frame");
        assert_eq!(check(WRITTEN, SIZE as u64 + 1).0, Err(Broken));
        assert_eq!(check(WRITTEN, u64::MAX).0, Err(Broken));
        for read in [4, 1 << 63] {
            let ring = ring();
            let mut writer = Writer::new(ring.clone());
            writer.write(b"twelve bytes").unwrap();
            ring.shared(READ).store(read, Ordering::Relaxed);
            assert_eq!(writer.write(b"more"), Err(Broken), "{read}");
        }
    }

    #[test]
    fn a_side_that_sleeps_is_woken_once() {
        let ring = ring();
        let (mut writer, mut reader) = (Writer::new(ring.clone()), Reader::new(ring));
        assert!(!writer.must_wake());
        assert_eq!(reader.sleep(), Ok(true));
        writer.write(b"a").unwrap();
        assert_eq!((writer.must_wake(), writer.must_wake()), (true, false));
        assert_eq!(reader.sleep(), Ok(false), "there is a frame");
        assert!(!writer.must_wake());
        // 2 of 32 words are used: as many more as fit.
        assert_eq!(writer.write(&[1; 1_000]), Ok(29 * WORD));
        assert_eq!(writer.sleep(), Ok(true));
        reader.take(&mut [0; FRAME_MAX]).unwrap();
        assert_eq!((reader.must_wake(), reader.must_wake()), (true, false));
        assert_eq!(writer.sleep(), Ok(false));
    }
}
