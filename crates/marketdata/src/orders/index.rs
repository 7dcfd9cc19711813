//! Where in the log the numbers of a day are: a place at every 1,000th number, from which to make
//! the messages again.

use types::{Event, InstrumentId, Phase, Reader, Wire};

use crate::orders::step::{Change, Step, StepKind, each_step};
use crate::orders::stream::OrderStream;

/// Messages between two marks, at first.
const EVERY: u64 = 1_000;
/// When there are more marks, every second one is dropped: 1 MiB is enough for 65 million messages.
const MARKS_MAX: usize = 1 << 16;
/// Changes that are kept. When there are more, the older half can only be read from the log.
const CHANGES_MAX: usize = 1 << 16;

/// The count of messages, and where to make each of this day again.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct OrderIndex {
    now: OrderStream,
    /// The command whose steps came last.
    last_sequence: u64,
    /// The state ahead of a command, from which all numbers that can be made again follow.
    base: (OrderStream, u64),
    /// What changed the state since, each with its command.
    changes: Vec<(u64, Change)>,
    /// The number of a command's first message, and the command.
    marks: Vec<(u64, u64)>,
    every: u64,
}

impl Default for OrderIndex {
    fn default() -> Self {
        Self {
            now: OrderStream::default(),
            last_sequence: 0,
            base: (OrderStream::default(), 1),
            changes: Vec::new(),
            marks: Vec::new(),
            every: EVERY,
        }
    }
}

/// The steps of some commands.
#[derive(Clone, Debug, Default)]
pub(crate) struct OrderUpdates(Vec<Step>);

impl OrderUpdates {
    #[inline]
    pub(crate) fn push(&mut self, sequence: u64, sequenced_ns: u64, events: &[Event]) {
        each_step((sequence, sequenced_ns), events, |step| self.0.push(step));
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}

impl OrderIndex {
    /// The state after the last command.
    pub fn stream(&self) -> &OrderStream {
        &self.now
    }

    /// From where to make a message of this day again: the state ahead of a command, and the
    /// command. `None` if that is not known any more, or the number is yet to come.
    pub fn place(&self, number: u64) -> Option<(OrderStream, u64)> {
        if number == 0 || number > self.now.count() {
            return None;
        }
        let after = self.marks.partition_point(|(marked, _)| *marked <= number);
        let Some((marked, sequence)) = after.checked_sub(1).map(|at| self.marks[at]) else {
            let (stream, sequence) = &self.base;
            let reaches = stream.day() != self.now.day() || stream.count() < number;
            return reaches.then(|| (stream.clone(), *sequence));
        };
        Some((self.stream_at(marked, sequence), sequence))
    }

    /// The state ahead of a command.
    fn stream_at(&self, number: u64, sequence: u64) -> OrderStream {
        let mut stream = self.base.0.clone();
        let before = self.changes.iter().take_while(|(at, _)| *at < sequence);
        before.for_each(|(_, change)| stream.change(*change));
        stream.set_count(number - 1);
        stream
    }

    pub(crate) fn command(&mut self, sequence: u64, sequenced_ns: u64, events: &[Event]) {
        each_step((sequence, sequenced_ns), events, |step| self.apply(&step));
    }

    pub(crate) fn update(&mut self, updates: &OrderUpdates) {
        updates.0.iter().for_each(|step| self.apply(step));
    }

    fn apply(&mut self, step: &Step) {
        if step.sequence != self.last_sequence {
            self.last_sequence = step.sequence;
            self.mark(step.sequence);
        }
        if let StepKind::Change(change) = step.kind {
            self.remember(step.sequence, change);
        }
        self.now.apply(step, &mut |_| {});
    }

    /// A command begins.
    fn mark(&mut self, sequence: u64) {
        let next = self.now.count() + 1;
        let last = self.marks.last().map_or(1, |(marked, _)| *marked);
        if next - last < self.every {
            return;
        }
        if self.marks.len() == MARKS_MAX {
            let mut at = 0;
            self.marks.retain(|_| {
                at += 1;
                at % 2 == 1
            });
            self.every *= 2;
        }
        self.marks.push((next, sequence));
    }

    fn remember(&mut self, sequence: u64, change: Change) {
        if !self.now.is_changed_by(change) {
            return;
        }
        if let Change::DayBegun(_) = change {
            self.base = (self.now.clone(), sequence);
            self.changes.clear();
            self.marks.clear();
            self.every = EVERY;
        }
        if self.changes.len() >= CHANGES_MAX {
            self.forget_half();
        }
        self.changes.push((sequence, change));
    }

    /// Moves the base to the first mark after the older half of the changes.
    fn forget_half(&mut self) {
        let (half, _) = self.changes[CHANGES_MAX / 2];
        let kept = self.marks.partition_point(|(_, sequence)| *sequence < half);
        // Nearly all changes are messages, and marks are closer than half of the changes.
        let Some(&(number, sequence)) = self.marks.get(kept) else { return };
        self.base = (self.stream_at(number, sequence), sequence);
        self.changes.retain(|(at, _)| *at >= sequence);
        self.marks.drain(..kept);
    }
}

impl Wire for Change {
    fn write(&self, out: &mut Vec<u8>) {
        match *self {
            Self::DayBegun(day) => (1_u8, day).write(out),
            Self::Listed(id, price_max) => {
                (2_u8, id).write(out);
                price_max.write(out);
            }
            Self::Phase(id, phase) => {
                (3_u8, id).write(out);
                phase.write(out);
            }
            Self::Delisted(id) => (4_u8, id).write(out),
            Self::Halt(level) => (5_u8, level).write(out),
        }
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        Some(match r.read::<u8>()? {
            1 => Self::DayBegun(r.read()?),
            2 => Self::Listed(r.read()?, r.read()?),
            3 => {
                let (id, phase): (InstrumentId, Phase) = r.read()?;
                Self::Phase(id, phase)
            }
            4 => Self::Delisted(r.read()?),
            5 => Self::Halt(r.read()?),
            _ => return None,
        })
    }
}

impl Wire for OrderIndex {
    fn write(&self, out: &mut Vec<u8>) {
        self.now.write(out);
        (self.last_sequence, self.every).write(out);
        self.base.write(out);
        self.changes.write(out);
        self.marks.write(out);
    }

    fn read(r: &mut Reader<'_>) -> Option<Self> {
        let now: OrderStream = r.read()?;
        let (last_sequence, every) = r.read()?;
        let (base, changes, marks) = (r.read()?, r.read()?, r.read()?);
        let index = Self { now, last_sequence, base, changes, marks, every };
        let is_sound = every >= EVERY
            && index.marks.len() <= MARKS_MAX
            && index.marks.is_sorted_by(|one, next| one.0 < next.0 && one.1 < next.1)
            && index.marks.first().is_none_or(|(number, _)| *number > 0)
            && index.marks.last().is_none_or(|(number, _)| *number <= index.now.count() + 1)
            && index.changes.is_sorted_by(|one, next| one.0 <= next.0)
            && index.lists_in_order();
        is_sound.then_some(index)
    }
}

impl OrderIndex {
    /// Whether the changes lead from the base to a state with the instruments of now.
    fn lists_in_order(&self) -> bool {
        let mut next = self.base.0.instrument_count();
        let in_order = self.changes.iter().all(|(_, change)| match change {
            Change::Listed(id, _) => {
                let is_next = id.0 as usize == next;
                next += 1;
                is_next
            }
            _ => true,
        });
        in_order && next == self.now.instrument_count()
    }
}
