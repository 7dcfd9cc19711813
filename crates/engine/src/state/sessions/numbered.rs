//! Numbered commands of sessions: a repeated command, as after a lost connection, is not carried
//! out again.

use std::collections::VecDeque;

use types::{Reader, Wire};

/// Limit of the commands of a session whose sequences are kept. For an older repeat the engine only
/// knows that it was carried out.
const REMEMBERED_MAX: usize = 1_024;

/// The numbered commands of one session.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct Numbered {
    /// The client's numbers, ascending, and the sequences of their commands.
    recent: VecDeque<(u64, u64)>,
}

impl Numbered {
    /// The sequence of the command with this number: zero if it is no longer kept. `None` for a new
    /// number, which is recorded.
    pub(crate) fn first_sequence(&mut self, client_seq: u64, sequence: u64) -> Option<u64> {
        if self.recent.back().is_none_or(|(last, _)| *last < client_seq) {
            if self.recent.len() == REMEMBERED_MAX {
                self.recent.pop_front();
            }
            self.recent.push_back((client_seq, sequence));
            return None;
        }
        let found = self.recent.binary_search_by_key(&client_seq, |(number, _)| *number);
        Some(found.map_or(0, |at| self.recent[at].1))
    }
}

impl Wire for Numbered {
    fn write(&self, out: &mut Vec<u8>) {
        (self.recent.len() as u32).write(out);
        self.recent.iter().for_each(|numbers| numbers.write(out));
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        let count: u32 = r.read()?;
        let mut recent = VecDeque::new();
        for _ in 0..count {
            let next: (u64, u64) = r.read()?;
            let is_later =
                recent.back().is_none_or(|last: &(u64, u64)| last.0 < next.0 && last.1 < next.1);
            if !is_later || next.0 == 0 {
                return None;
            }
            recent.push_back(next);
        }
        (recent.len() <= REMEMBERED_MAX).then_some(Self { recent })
    }
}
