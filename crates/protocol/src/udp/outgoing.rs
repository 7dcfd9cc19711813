//! Messages that go: kept until they are acknowledged, and sent again when they are lost.

use std::collections::{BTreeSet, VecDeque};

use crate::udp::frame::{self, Ack};
use crate::udp::pace::Pace;

/// Messages that are not acknowledged, at most, and their bytes.
const KEPT_MAX: usize = 65_536;
const KEPT_BYTES_MAX: usize = 16 << 20;
/// Datagrams with messages that are on their way: what a socket's buffer holds.
const ON_WAY_MAX: usize = 64;
/// A datagram is lost when this number of later ones has arrived.
const OVERTAKEN_BY: u64 = 3;

#[derive(Clone, Debug)]
pub(super) struct Outgoing {
    /// The number of the first message that is kept.
    first: u64,
    kept: VecDeque<Kept>,
    kept_bytes: usize,
    /// The number of the first message that was never sent.
    unsent: u64,
    /// Lost messages, to be sent again.
    lost: BTreeSet<u64>,
    /// By their sequences.
    on_way: VecDeque<OnWay>,
    pace: Pace,
    sent_again: u64,
    /// Since when messages are out and no acknowledgement has come.
    unanswered_us: Option<u64>,
}

#[derive(Clone, Debug)]
struct Kept {
    message: Vec<u8>,
    is_acked: bool,
    /// The last datagram that had it.
    datagram: u64,
}

/// A datagram.
#[derive(Clone, Debug)]
struct OnWay {
    sequence: u64,
    sent_us: u64,
    /// Runs of the numbers in it.
    runs: Vec<(u64, u64)>,
}

impl Outgoing {
    pub(super) fn new(first: u64) -> Self {
        Self {
            first,
            kept: VecDeque::new(),
            kept_bytes: 0,
            unsent: first,
            lost: BTreeSet::new(),
            on_way: VecDeque::new(),
            pace: Pace::default(),
            sent_again: 0,
            unanswered_us: None,
        }
    }

    /// Keeps a message for sending; `false` if there is no room.
    pub(super) fn push(&mut self, message: &[u8]) -> bool {
        let bytes = self.kept_bytes + message.len();
        if self.kept.len() == KEPT_MAX || bytes > KEPT_BYTES_MAX {
            return false;
        }
        self.kept_bytes = bytes;
        let kept = Kept { message: message.to_vec(), is_acked: false, datagram: 0 };
        self.kept.push_back(kept);
        true
    }

    /// The number of the next message that is pushed.
    pub(super) fn next(&self) -> u64 {
        self.first + self.kept.len() as u64
    }

    /// Messages that are not acknowledged.
    pub(super) fn waiting(&self) -> usize {
        self.kept.len()
    }

    pub(super) fn sent_again(&self) -> u64 {
        self.sent_again
    }

    pub(super) fn round_trip_us(&self) -> Option<u64> {
        self.pace.smooth_us()
    }

    /// Since when messages are out and no acknowledgement has come.
    pub(super) fn unanswered_us(&self) -> Option<u64> {
        self.unanswered_us
    }

    /// Whether a message may be sent now.
    pub(super) fn is_ready(&self) -> bool {
        let has_message = !self.lost.is_empty() || self.unsent < self.next();
        has_message && self.on_way.len() < ON_WAY_MAX
    }

    /// Appends frames with messages while there is room, as those of this datagram.
    pub(super) fn fill(&mut self, sequence: u64, size_max: usize, now_us: u64, out: &mut Vec<u8>) {
        let mut runs: Vec<(u64, u64)> = Vec::new();
        let mut count_at = 0;
        while let Some(number) = self.lost.first().copied().or(self.unsent_one()) {
            let kept = &mut self.kept[(number - self.first) as usize];
            let follows = runs.last().is_some_and(|(_, last)| last + 1 == number);
            let head = if follows { 0 } else { frame::MESSAGES_HEAD };
            let size = head + frame::LENGTH_SIZE + kept.message.len();
            if out.len() + size > size_max {
                break;
            }
            match runs.last_mut() {
                Some((_, last)) if follows => *last = number,
                _ => {
                    count_at = frame::put_messages_head(number, out);
                    runs.push((number, number));
                }
            }
            frame::put_message(&kept.message, count_at, out);
            kept.datagram = sequence;
            if self.lost.remove(&number) {
                self.sent_again += 1;
            } else {
                self.unsent += 1;
            }
        }
        if !runs.is_empty() {
            self.on_way.push_back(OnWay { sequence, sent_us: now_us, runs });
            self.unanswered_us.get_or_insert(now_us);
        }
    }

    fn unsent_one(&self) -> Option<u64> {
        (self.unsent < self.next()).then_some(self.unsent)
    }

    /// Takes an acknowledgement; `false` if it is of messages that were never sent.
    pub(super) fn acked(&mut self, ack: &Ack<'_>, now_us: u64) -> bool {
        let is_sent = |number: u64| number <= self.unsent;
        if !is_sent(ack.next) || !ack.ranges().all(|(_, last)| last < self.unsent) {
            return false;
        }
        let mut is_progress = self.first < ack.next;
        while self.first < ack.next {
            self.drop_first();
        }
        for (first, last) in ack.ranges() {
            for number in first.max(self.first)..=last {
                let kept = &mut self.kept[(number - self.first) as usize];
                is_progress |= !kept.is_acked;
                kept.is_acked = true;
                self.lost.remove(&number);
            }
        }
        while self.kept.front().is_some_and(|kept| kept.is_acked) {
            self.drop_first();
        }
        if is_progress {
            self.unanswered_us = (self.first < self.unsent).then_some(now_us);
        }
        self.follow_datagrams(ack.largest, now_us);
        true
    }

    fn drop_first(&mut self) {
        let kept = self.kept.pop_front().expect("what was sent is kept");
        self.kept_bytes -= kept.message.len();
        self.lost.remove(&self.first);
        self.first += 1;
    }

    /// Datagrams up to the largest that has come are there, or lost.
    fn follow_datagrams(&mut self, largest: u64, now_us: u64) {
        for datagram in std::mem::take(&mut self.on_way) {
            if !self.has_unacked(&datagram) {
                self.pace.measured(now_us.saturating_sub(datagram.sent_us));
            } else if datagram.sequence.saturating_add(OVERTAKEN_BY) <= largest {
                self.lose(&datagram);
            } else {
                self.on_way.push_back(datagram);
            }
        }
    }

    /// Whether a message that went with it last is not acknowledged.
    fn has_unacked(&self, datagram: &OnWay) -> bool {
        let mut numbers = datagram.runs.iter().flat_map(|(first, last)| *first..=*last);
        numbers.any(|number| self.is_out(number, datagram.sequence))
    }

    fn is_out(&self, number: u64, sequence: u64) -> bool {
        let at = number.checked_sub(self.first).and_then(|at| self.kept.get(at as usize));
        at.is_some_and(|kept| !kept.is_acked && kept.datagram == sequence)
    }

    fn lose(&mut self, datagram: &OnWay) {
        for number in datagram.runs.iter().flat_map(|(first, last)| *first..=*last) {
            if self.is_out(number, datagram.sequence) {
                self.lost.insert(number);
            }
        }
    }

    /// Takes what has been on its way for too long as lost.
    pub(super) fn tick(&mut self, now_us: u64) {
        if self.deadline_us().is_none_or(|deadline_us| now_us < deadline_us) {
            return;
        }
        let patience_us = self.pace.patience_us();
        while let Some(oldest) = self.on_way.front() {
            if now_us < oldest.sent_us + patience_us {
                break;
            }
            let oldest = self.on_way.pop_front().expect("it is there");
            self.lose(&oldest);
        }
        self.pace.is_late();
    }

    /// When something has been on its way for too long.
    pub(super) fn deadline_us(&self) -> Option<u64> {
        self.on_way.front().map(|oldest| oldest.sent_us + self.pace.patience_us())
    }
}
