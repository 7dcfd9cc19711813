//! ITCH files as messages of LOBSTER, whose records are made of ITCH: one instrument of the file.
//!
//! An execution has the price of its order, also in an auction: what counts is which order it took
//! quantity off. Times count from the first event.

use std::collections::HashMap;
use std::path::Path;

use recorded::lobster::{EventType, Message};
use recorded::{Day, Event, Format, Kind, Options, Recording, Stream};
use types::{Increment, Side};

/// A price of LOBSTER counts units of 10^-4, as one of ITCH does.
const TICK: Increment = Increment { units: 1, decimals: 4 };
const LOT: Increment = Increment { units: 1, decimals: 0 };

/// The messages of an instrument: of the one with this name, or else of that with the most orders.
pub(crate) fn messages(file: &Path, symbol: Option<&str>) -> Result<Vec<Message>, String> {
    let recording = Recording { path: file.to_path_buf(), name: None };
    let day = Day::new(1970, 1, 1);
    let (format, tick, lot) = (Some(Format::Itch), Some(TICK), Some(LOT));
    let options = Options { format, tick, lot, day, lenient: false };
    let mut stream =
        Stream::open(&[recording], &options).map_err(|error| error.error.to_string())?;
    let mut begun_ns = None;
    let mut of_instruments: HashMap<u16, Translated> = HashMap::new();
    loop {
        let batch = stream.next_batch().map_err(|error| error.error.to_string())?;
        if batch.is_empty() {
            break;
        }
        for event in batch {
            let begun_ns = *begun_ns.get_or_insert(event.exchange_ns);
            of_instruments.entry(event.instrument).or_default().take(event, begun_ns)?;
        }
    }
    let position = |name: &str| stream.instruments().iter().position(|of| of.name == name);
    let found = match symbol {
        None => of_instruments.into_values().max_by_key(|of| of.last_id),
        Some(name) => {
            let at = position(name).ok_or_else(|| format!("the file has no instrument {name}"))?;
            u16::try_from(at).ok().and_then(|at| of_instruments.remove(&at))
        }
    };
    Ok(found.map(|of| of.messages).unwrap_or_default())
}

/// The messages of one instrument.
#[derive(Default)]
struct Translated {
    messages: Vec<Message>,
    /// Numbers of orders: a reference may stand for another order later.
    orders: HashMap<u64, Known>,
    last_id: i64,
}

#[derive(Clone, Copy)]
struct Known {
    id: i64,
    side: Side,
    price: i64,
}

impl Translated {
    fn take(&mut self, event: &Event, begun_ns: i64) -> Result<(), String> {
        let event_type = match event.kind {
            Kind::Add => EventType::New,
            Kind::Cancel => EventType::PartialCancel,
            Kind::Delete => EventType::Delete,
            Kind::Execute => EventType::VisibleExecution,
            Kind::Trade => EventType::HiddenExecution,
            _ => return Ok(()),
        };
        let price = event.price.ticks();
        let known = match event_type {
            EventType::HiddenExecution => Known { id: 0, side: Side::Buy, price },
            EventType::New => {
                self.last_id += 1;
                let side = event.side.ok_or("an order without a side")?;
                let known = Known { id: self.last_id, side, price };
                self.orders.insert(event.order, known);
                known
            }
            // The reader has refused what is about no order.
            _ => self.orders.get(&event.order).copied().ok_or("an order is unknown")?,
        };
        self.messages.push(Message {
            time_ns: u64::try_from(event.exchange_ns - begun_ns).unwrap_or(0),
            order_id: known.id,
            price: known.price,
            size: u32::try_from(event.quantity.lots()).unwrap_or(u32::MAX),
            event_type,
            side: known.side,
        });
        Ok(())
    }
}
