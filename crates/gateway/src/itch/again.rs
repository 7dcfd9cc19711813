//! Messages made again, from the event spool.

use std::ops::Range;
use std::sync::Arc;

use marketdata::{OrderMessage, OrderStream};
use protocol::mold::Sender;
use spool::{SpoolError, SpoolReader};

use crate::itch::encoder::ItchEncoder;
use crate::itch::feed::session;
use crate::itch::names::Names;

/// Messages of one answer, at most: 30 packets of the longest, some 1 ms of reading.
pub(super) const ANSWER_MAX: u64 = 1_024;
/// Commands that are read at once.
const PAGE: usize = 256;

/// From where to read.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) day: u32,
    /// The state ahead of a command.
    pub(super) stream: OrderStream,
    pub(super) sequence: u64,
    pub(super) spool: SpoolReader,
    pub(super) names: Arc<Names>,
}

/// Packets with messages that were sent before.
#[derive(Debug, Default)]
pub(super) struct Packets {
    pub(super) packets: Vec<Vec<u8>>,
    pub(super) messages: u64,
}

impl Place {
    /// The packets with these messages, or with as many as there are.
    pub(super) fn packets(self, wanted: Range<u64>) -> Result<Packets, SpoolError> {
        let Self { day, stream, mut sequence, spool, names } = self;
        let mut encoder = ItchEncoder::at(stream, names);
        let sender = Sender::new(session(day), wanted.start, 0);
        let mut again = Again { day, wanted, sender, packets: Packets::default() };
        loop {
            let taken = spool.each_from(sequence, PAGE, |command| {
                sequence = command.sequence + 1;
                encoder.command(command, |message, bytes| again.take(message, bytes));
            })?;
            if again.wanted.is_empty() || !taken.has_more {
                return Ok(again.end());
            }
        }
    }
}

struct Again {
    day: u32,
    wanted: Range<u64>,
    sender: Sender,
    packets: Packets,
}

impl Again {
    fn take(&mut self, message: &OrderMessage, bytes: &[u8]) {
        // The command that begins a day has the last messages of the day before, too.
        if message.day != self.day || !self.wanted.contains(&message.number) {
            return;
        }
        let Self { wanted, sender, packets, .. } = self;
        debug_assert_eq!(message.number, sender.next());
        sender.message(bytes, 0, |packet| packets.packets.push(packet.to_vec()));
        packets.messages += 1;
        wanted.start = message.number + 1;
    }

    fn end(mut self) -> Packets {
        let packets = &mut self.packets.packets;
        self.sender.flush(0, |packet| packets.push(packet.to_vec()));
        self.packets
    }
}
