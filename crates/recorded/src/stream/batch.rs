//! The buffer between a source and the stream.

use crate::event::Event;
use crate::fault::{Fault, ReadError};

/// Events that a source reads at a time, a few more if one of its records has several.
const EVENTS: usize = 2_048;

/// Reads one file.
pub(crate) trait Source: Send {
    /// Appends events until the batch is full; false at the end of the file. After an error that
    /// [may be skipped](Fault::is_skippable) the next call reads on behind the wrong row.
    fn read(&mut self, batch: &mut Batch) -> Result<bool, ReadError>;

    /// Where in the file it reads, if it does not read it from begin to end through
    /// [`open_counted`](crate::input::open_counted).
    fn position(&self) -> Option<u64> {
        None
    }
}

#[derive(Debug)]
pub(crate) struct Batch {
    pub(crate) events: Vec<Event>,
    /// Of the instruments in the file, by their positions there.
    pub(crate) names: Vec<String>,
    /// The latest times so far.
    exchange_ns: i64,
    local_ns: i64,
    /// Whether a time of the exchange has run backwards: the file is in the order of receipt.
    is_by_local: bool,
}

impl Batch {
    pub(crate) fn new() -> Self {
        Self {
            events: Vec::with_capacity(EVENTS + 64),
            names: Vec::new(),
            exchange_ns: i64::MIN,
            local_ns: i64::MIN,
            is_by_local: false,
        }
    }

    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.events.len() >= EVENTS
    }

    /// The position of a new instrument.
    pub(crate) fn add_instrument(&mut self, name: impl Into<String>) -> Result<u16, Fault> {
        let position = u16::try_from(self.names.len())
            .map_err(|_| Fault::Form("more than 65536 instruments".to_owned()))?;
        self.names.push(name.into());
        Ok(position)
    }

    #[inline]
    pub(crate) fn push(&mut self, event: Event) -> Result<(), Fault> {
        if event.exchange_ns < self.exchange_ns || self.is_by_local {
            self.check_local(&event)?;
        }
        self.exchange_ns = self.exchange_ns.max(event.exchange_ns);
        self.local_ns = self.local_ns.max(event.local_ns);
        self.events.push(event);
        Ok(())
    }

    /// A file in the order of receipt has all of it in that order.
    fn check_local(&mut self, event: &Event) -> Result<(), Fault> {
        if event.local_ns < self.local_ns {
            return Err(Fault::OutOfOrder { found_ns: event.local_ns, last_ns: self.local_ns });
        }
        self.is_by_local = true;
        Ok(())
    }
}
