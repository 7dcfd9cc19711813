//! Numbered commands: a repeated one, as after a lost connection, is not carried out again.
//!
//! # Invariants
//! - A number is called a repeat only if a command with it was applied.

use std::cmp::Ordering;
use std::collections::VecDeque;

use types::{Reader, Wire};

/// Limit of the commands whose sequences are kept.
const REMEMBERED_MAX: usize = 4_096;

/// The numbers of one login, or of one session without a login.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct Numbered {
    /// The client's numbers, ascending, and the sequences of their commands. The last number is the
    /// highest.
    recent: VecDeque<(u64, u64)>,
    /// A number was dropped: what is below all that are kept may have been used.
    has_dropped: bool,
}

/// What a number is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Number {
    New,
    /// The command with it was applied at this sequence.
    Repeats(u64),
    /// Below the highest, and no command had it.
    Passed,
    /// So far below the highest that it is not known.
    Forgotten,
}

impl Numbered {
    /// Finds out what a number is, and records a new one.
    pub(crate) fn admit(&mut self, number: u64, sequence: u64) -> Number {
        if self.highest() < number {
            if self.recent.len() == REMEMBERED_MAX {
                self.recent.pop_front();
                self.has_dropped = true;
            }
            self.recent.push_back((number, sequence));
            return Number::New;
        }
        match self.recent.binary_search_by_key(&number, |(used, _)| *used) {
            Ok(at) => Number::Repeats(self.recent[at].1),
            Err(0) if self.has_dropped => Number::Forgotten,
            Err(_) => Number::Passed,
        }
    }

    /// The lowest number that is still known; zero before the first.
    pub(crate) fn oldest(&self) -> u64 {
        self.recent.front().map_or(0, |(number, _)| *number)
    }

    /// Zero before the first number.
    pub(crate) fn highest(&self) -> u64 {
        self.recent.back().map_or(0, |(number, _)| *number)
    }
}

impl Wire for Numbered {
    fn write(&self, out: &mut Vec<u8>) {
        (self.recent.len() as u32).write(out);
        self.recent.iter().for_each(|numbers| numbers.write(out));
        self.has_dropped.write(out);
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        let count: u32 = r.read()?;
        let mut recent = VecDeque::new();
        for _ in 0..count {
            let next: (u64, u64) = r.read()?;
            let is_later = recent.back().is_none_or(|last: &(u64, u64)| {
                (last.0.cmp(&next.0), last.1.cmp(&next.1)) == (Ordering::Less, Ordering::Less)
            });
            if !is_later || next.0 == 0 {
                return None;
            }
            recent.push_back(next);
        }
        let has_dropped: bool = r.read()?;
        let is_sound =
            recent.len() <= REMEMBERED_MAX && (!has_dropped || recent.len() == REMEMBERED_MAX);
        is_sound.then_some(Self { recent, has_dropped })
    }
}
