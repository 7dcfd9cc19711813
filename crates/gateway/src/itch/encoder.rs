//! From commands to the bytes of messages.

use std::sync::Arc;

use marketdata::{OrderMessage, OrderStream, ShownOrder};
use spool::Applied;
use types::{Event, InstrumentId};

use crate::itch::encode::{put_message, put_order};
use crate::itch::names::Names;

/// Makes the messages of commands, one after the other, from the first command of a venue.
#[derive(Debug, Default)]
pub struct ItchEncoder {
    stream: OrderStream,
    names: Arc<Names>,
    /// The message under way.
    bytes: Vec<u8>,
}

impl ItchEncoder {
    /// From where a stream stands.
    pub(super) fn at(stream: OrderStream, names: Arc<Names>) -> Self {
        Self { stream, names, bytes: Vec::new() }
    }

    /// Calls `each` with the messages of a command, which must be the next one.
    pub fn command(&mut self, applied: &Applied, mut each: impl FnMut(&OrderMessage, &[u8])) {
        let Applied { sequence, sequenced_ns, events, .. } = applied;
        for event in events {
            if let Event::InstrumentListed(listed) = event {
                // Whether it is kept out is known from the stream, too.
                let _kept_out = Arc::make_mut(&mut self.names).list(&listed.instrument);
            }
        }
        let Self { stream, names, bytes } = self;
        stream.command(*sequence, *sequenced_ns, events, |message| {
            bytes.clear();
            put_message(&message, names, bytes);
            each(&message, bytes);
        });
    }

    /// The message that adds an order which stands.
    pub fn standing(
        &mut self,
        instrument: InstrumentId,
        order: &ShownOrder,
        sequenced_ns: u64,
    ) -> &[u8] {
        self.bytes.clear();
        put_order(instrument, order, sequenced_ns, &self.names, &mut self.bytes);
        &self.bytes
    }

    pub fn stream(&self) -> &OrderStream {
        &self.stream
    }

    pub(super) fn names(&self) -> &Names {
        &self.names
    }
}
