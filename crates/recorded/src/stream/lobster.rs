//! LOBSTER messages as events.

use std::io::BufRead;

use super::{Batch, Known, Source};
use crate::event::{Event, Kind};
use crate::fault::{Fault, ReadError};
use crate::lines::Lines;
use crate::lobster::{EventType, Message, is_header};
use crate::units::{Decimal, Units};

/// Prices are dollars times 10,000.
const PRICE_DECIMALS: u8 = 4;

#[derive(Debug)]
pub(super) struct Lobster<R> {
    lines: Lines<R>,
    midnight_ns: i64,
    units: Units,
    is_first: bool,
}

impl<R: BufRead> Lobster<R> {
    pub(super) fn open(source: R, units: Units, known: &Known, batch: &mut Batch) -> Self {
        batch.names.push(known.name.clone());
        let midnight_ns = known.day.new_york_midnight_ns();
        Self { lines: Lines::new(source), midnight_ns, units, is_first: true }
    }
}

impl<R: BufRead + Send> Source for Lobster<R> {
    fn read(&mut self, batch: &mut Batch) -> Result<bool, ReadError> {
        while !batch.is_full() {
            let Some(line) = self.lines.next()? else { return Ok(false) };
            let is_first = std::mem::take(&mut self.is_first);
            if is_first && is_header(line) {
                continue;
            }
            let event = Message::parse(line)
                .map_err(|error| Fault::Row(error.to_string()))
                .and_then(|message| event(&message, self.midnight_ns, self.units));
            let pushed = event.and_then(|event| event.map_or(Ok(()), |event| batch.push(event)));
            pushed.map_err(|fault| self.lines.place().fault(fault))?;
        }
        Ok(true)
    }
}

/// `None` for a message without an effect on a book and without a trade.
fn event(message: &Message, midnight_ns: i64, units: Units) -> Result<Option<Event>, Fault> {
    let (kind, side) = match message.event_type {
        EventType::New => (Kind::Add, Some(message.side)),
        EventType::PartialCancel => (Kind::Cancel, Some(message.side)),
        EventType::Delete => (Kind::Delete, Some(message.side)),
        EventType::VisibleExecution => (Kind::Execute, Some(message.side)),
        EventType::HiddenExecution => (Kind::Trade, Some(message.side.opposite())),
        EventType::Cross if message.size > 0 && message.price > 0 => (Kind::Trade, None),
        EventType::Cross | EventType::Halt => return Ok(None),
    };
    let time_ns = midnight_ns + message.time_ns.cast_signed();
    let order = if kind == Kind::Trade { 0 } else { message.order_id.unsigned_abs() };
    let price = Decimal { units: message.price, decimals: PRICE_DECIMALS };
    Ok(Some(Event {
        exchange_ns: time_ns,
        local_ns: time_ns,
        order,
        price: units.price(price)?,
        quantity: units.quantity(Decimal::whole(message.size.into()))?,
        instrument: 0,
        kind,
        side,
    }))
}
