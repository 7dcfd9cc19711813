//! Order flow by order.
//!
//! A file reports an execution as a trade of the aggressor, a fill of each resting order, and then
//! the filled orders' new states. The fills become [`Kind::Execute`]; a trade is left out if fills
//! report it, and so is the part of a cancel that takes off what a fill of its event has.

use std::io::Read;

use ::dbn::MboMsg;
use types::Qty;

use super::super::{Batch, Source};
use super::{NO_PRICE, RecordReader, check_gap, form, price, time};
use crate::dbn::{Action, Record};
use crate::event::{Event, Kind};
use crate::fault::{Fault, Place, ReadError};
use crate::units::{Decimal, Units};

#[derive(Debug)]
pub(super) struct Orders<R> {
    record: RecordReader<R>,
    in_event: InEvent,
}

/// What the records of one event have reported so far.
#[derive(Debug, Default)]
struct InEvent {
    /// A trade that no fill has reported yet, and its aggressor.
    trade: Option<Event>,
    aggressor: u64,
    /// Executed quantities that no cancel has taken off yet, by order.
    filled: Vec<(u64, u64)>,
}

impl<R: Read> Orders<R> {
    pub(super) fn new(record: RecordReader<R>) -> Self {
        Self { record, in_event: InEvent::default() }
    }
}

impl<R: Read + Send> Source for Orders<R> {
    fn read(&mut self, batch: &mut Batch) -> Result<bool, ReadError> {
        let RecordReader { file, units, instruments } = &mut self.record;
        while !batch.is_full() {
            let place = Place::Record(file.record);
            let Some(message) = file.next::<MboMsg>().map_err(form)? else {
                let end = self.in_event.end(batch);
                return end.map(|()| false).map_err(|fault| place.fault(fault));
            };
            let pushed = (|| {
                let record =
                    Record::new(&message).map_err(|error| Fault::Row(error.to_string()))?;
                let instrument = instruments.position(&message.hd, batch)?;
                let exchange_ns = time(message.hd.ts_event)?;
                let event = event(&record, exchange_ns, instrument, *units)?;
                self.in_event.push(event, record.order_id, record.action, batch)?;
                if record.is_last {
                    self.in_event.end(batch)?;
                }
                check_gap(message.flags)
            })();
            pushed.map_err(|fault| place.fault(fault))?;
        }
        Ok(true)
    }
}

impl InEvent {
    fn push(
        &mut self,
        mut event: Event,
        order: u64,
        action: Action,
        batch: &mut Batch,
    ) -> Result<(), Fault> {
        match action {
            Action::Trade => {
                self.end_trade(batch)?;
                self.trade = Some(event);
                self.aggressor = order;
                return Ok(());
            }
            Action::Fill => {
                let trade = self.trade.take();
                let is_aggressor = trade
                    .is_some_and(|trade| trade.side.is_some() && trade.side == event.side)
                    || order != 0 && order == self.aggressor;
                if is_aggressor {
                    // Its later record has what is left. The trade waits for the other side's fill.
                    self.trade = trade;
                    return Ok(());
                }
                self.filled.push((order, event.quantity.lots()));
            }
            Action::Cancel => {
                let filled = self.filled.iter_mut().find(|(filled, _)| *filled == order);
                if let Some((_, filled)) = filled {
                    let reported = event.quantity.lots().min(*filled);
                    *filled -= reported;
                    event.quantity = Qty::from_lots(event.quantity.lots() - reported);
                    if event.quantity.is_zero() {
                        return Ok(());
                    }
                }
            }
            Action::None => return Ok(()),
            Action::Add | Action::Modify | Action::Clear => {}
        }
        batch.push(event)
    }

    fn end(&mut self, batch: &mut Batch) -> Result<(), Fault> {
        self.filled.clear();
        self.aggressor = 0;
        self.end_trade(batch)
    }

    /// A trade without fills is of hidden orders, or of an auction.
    fn end_trade(&mut self, batch: &mut Batch) -> Result<(), Fault> {
        match self.trade.take() {
            Some(trade) if !trade.quantity.is_zero() => batch.push(trade),
            _ => Ok(()),
        }
    }
}

fn event(record: &Record, exchange_ns: i64, instrument: u16, units: Units) -> Result<Event, Fault> {
    let kind = match record.action {
        Action::Add => Kind::Add,
        Action::Cancel => Kind::Cancel,
        Action::Modify => Kind::Modify,
        Action::Trade => Kind::Trade,
        Action::Fill => Kind::Execute,
        Action::Clear | Action::None => Kind::Clear,
    };
    let has_price = kind != Kind::Clear && record.price != NO_PRICE;
    Ok(Event {
        exchange_ns,
        local_ns: time(record.received_ns)?,
        order: if matches!(kind, Kind::Trade | Kind::Clear) { 0 } else { record.order_id },
        price: price(units, if has_price { record.price } else { 0 })?,
        quantity: units.quantity(Decimal::whole(record.size.into()))?,
        instrument,
        kind,
        side: record.side,
    })
}
