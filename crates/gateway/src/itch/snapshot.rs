//! Snapshots: the displayed orders at a number of the feed, as packets of SoupBinTCP.

use std::time::Instant;

use marketdata::{Fact, OrderMessage, Said, ShownOrders};
use protocol::soup::{Server, SessionName};

use crate::itch::encode::{put_message, put_order};
use crate::itch::encoder::ItchEncoder;

/// The last message of a snapshot: the number of the feed's next message, in 20 characters.
const END_OF_SNAPSHOT: u8 = b'G';

#[derive(Debug)]
pub(super) struct Snapshot {
    pub(super) session: SessionName,
    /// Whole packets.
    pub(super) packets: Vec<u8>,
    pub(super) taken: Instant,
}

impl Snapshot {
    /// Of all that the messages so far have left.
    pub(super) fn take(encoder: &ItchEncoder, orders: &ShownOrders, sequenced_ns: u64) -> Self {
        let (stream, names) = (encoder.stream(), encoder.names());
        let mut packets = Vec::new();
        let mut put =
            |write: &dyn Fn(&mut Vec<u8>)| Server::message(&mut packets, |out| write(out));
        for (id, status) in stream.listed() {
            for fact in [Fact::Listed, Fact::Status(status)] {
                let (day, said) = (stream.day(), Said::Of(id, fact));
                let message = OrderMessage { day, number: 0, sequenced_ns, said };
                put(&|out| put_message(&message, names, out));
            }
            for order in orders.orders(id) {
                put(&|out| put_order(id, order, sequenced_ns, names, out));
            }
        }
        put(&|out| {
            out.push(END_OF_SNAPSHOT);
            out.extend(format!("{:<20}", stream.count() + 1).bytes());
        });
        let session = SessionName::numbered(stream.day());
        Self { session, packets, taken: Instant::now() }
    }
}
