//! Recordings of hftbacktest: an array of numpy (`.npy`), alone or as the one file of an archive
//! (`.npz`), whose elements are events of 64 bytes.
//!
//! An event may be for the exchange, for the local machine, or for both. A stream is in the order
//! of the local machine, so events for the exchange alone are left out: each has a twin.

use std::io::Read;

use types::{Price, Side};

use super::{Batch, Known, Source};
use crate::event::{Event, Kind};
use crate::fault::{Fault, Place, ReadError};
use crate::input::fill;
use crate::units::{Decimal, Units};

pub(crate) const MAGIC: &[u8] = b"\x93NUMPY";
const ELEMENT: usize = 64;
const ELEMENTS_PER_READ: usize = 1_024;
/// The header of an array of events takes about 250 bytes.
const HEADER_BYTES_MAX: usize = 16 << 10;
/// The fields of an element, in this order, and each of eight bytes.
const FIELDS: [(&str, &str); 8] = [
    ("ev", "<u8"),
    ("exch_ts", "<i8"),
    ("local_ts", "<i8"),
    ("px", "<f8"),
    ("qty", "<f8"),
    ("order_id", "<u8"),
    ("ival", "<i8"),
    ("fval", "<f8"),
];

const IS_LOCAL: u64 = 1 << 30;
const IS_BUY: u64 = 1 << 29;
const IS_SELL: u64 = 1 << 28;

#[derive(Debug)]
pub(super) struct Npz<R> {
    source: R,
    units: Units,
    chunk: Vec<u8>,
    at: usize,
    /// Of the next event.
    index: u64,
    count: u64,
    /// A trade that may be reported by the fill of an order, too.
    trade: Option<Event>,
}

impl<R: Read> Npz<R> {
    pub(super) fn open(
        mut source: R,
        units: Units,
        known: &Known,
        batch: &mut Batch,
    ) -> Result<Self, ReadError> {
        batch.names.push(known.name.clone());
        let count = read_header(&mut source).map_err(|fault| Place::File.fault(fault))?;
        Ok(Self { source, units, chunk: Vec::new(), at: 0, index: 0, count, trade: None })
    }

    fn next(&mut self) -> Result<Option<[u64; FIELDS.len()]>, ReadError> {
        if self.index == self.count {
            return Ok(None);
        }
        let place = Place::Record(self.index);
        if self.at == self.chunk.len() {
            let left = usize::try_from(self.count - self.index).unwrap_or(usize::MAX);
            self.chunk.resize(left.min(ELEMENTS_PER_READ) * ELEMENT, 0);
            let filled = fill(&mut self.source, &mut self.chunk);
            self.chunk.truncate(filled.map_err(|error| place.fault(error))?);
            self.at = 0;
        }
        let Some(element) = self.chunk.get(self.at..self.at + ELEMENT) else {
            let text = format!("the file ends here; it states {} events", self.count);
            return Err(place.fault(Fault::Form(text)));
        };
        self.at += ELEMENT;
        self.index += 1;
        let (fields, _) = element.as_chunks::<8>();
        Ok(Some(std::array::from_fn(|at| u64::from_le_bytes(fields[at]))))
    }
}

impl<R: Read + Send> Source for Npz<R> {
    fn read(&mut self, batch: &mut Batch) -> Result<bool, ReadError> {
        while !batch.is_full() {
            let place = Place::Record(self.index);
            let fields = self.next()?;
            let event = fields.map_or(Ok(None), |fields| event(fields, self.units));
            let pushed = event.and_then(|event| {
                let trade = self.trade.take();
                match (trade, event) {
                    (Some(trade), Some(event)) if event.kind != Kind::Execute => {
                        batch.push(trade)?;
                    }
                    (Some(trade), None) if fields.is_none() => batch.push(trade)?,
                    (Some(trade), None) => self.trade = Some(trade),
                    _ => {}
                }
                match event {
                    Some(event) if event.kind == Kind::Trade => self.trade = Some(event),
                    Some(event) => batch.push(event)?,
                    None => {}
                }
                Ok(())
            });
            pushed.map_err(|fault| place.fault(fault))?;
            if fields.is_none() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn event(fields: [u64; FIELDS.len()], units: Units) -> Result<Option<Event>, Fault> {
    let [flags, exchange, local, price, quantity, order, ..] = fields;
    if flags & IS_LOCAL == 0 {
        return Ok(None);
    }
    let kind = match flags & 0xff {
        1 => Kind::Level,
        2 => Kind::Trade,
        3 => Kind::Clear,
        4 => Kind::SnapshotLevel,
        10 => Kind::Add,
        11 => Kind::Delete,
        12 => Kind::Modify,
        13 => Kind::Execute,
        found => return Err(Fault::Row(format!("an event of kind {found}"))),
    };
    let side = match (flags & IS_BUY > 0, flags & IS_SELL > 0) {
        (true, false) => Some(Side::Buy),
        (false, true) => Some(Side::Sell),
        (false, false) if matches!(kind, Kind::Trade | Kind::Clear) => None,
        _ => return Err(Fault::Row("an event of no side or of both".to_owned())),
    };
    let decimal = |bits: u64| {
        let float = f64::from_bits(bits);
        Decimal::of_float(float)
            .ok_or_else(|| Fault::Row(format!("{float} is not a decimal of nine places")))
    };
    // The price of a clear of all levels is not a number.
    let has_price = kind != Kind::Clear || f64::from_bits(price).is_finite();
    let price = if has_price { units.price(decimal(price)?)? } else { Price::default() };
    Ok(Some(Event {
        exchange_ns: exchange.cast_signed(),
        local_ns: local.cast_signed(),
        order,
        price,
        quantity: units.quantity(decimal(quantity)?)?,
        instrument: 0,
        kind,
        side,
    }))
}

/// Reads the header of an array of events, and returns their number.
fn read_header(source: &mut impl Read) -> Result<u64, Fault> {
    let cut = || Fault::Form("the file ends inside its header".to_owned());
    let mut take = |size: usize| -> Result<Vec<u8>, Fault> {
        let mut bytes = vec![0; size];
        if fill(source, &mut bytes)? < size { Err(cut()) } else { Ok(bytes) }
    };
    let prelude = take(MAGIC.len() + 2)?;
    if !prelude.starts_with(MAGIC) {
        return Err(Fault::Form("this is not an array of numpy".to_owned()));
    }
    let size = match prelude[MAGIC.len()] {
        1 => take(2)?.into_iter().rev().fold(0, |size, byte| size << 8 | usize::from(byte)),
        2 | 3 => take(4)?.into_iter().rev().fold(0, |size, byte| size << 8 | usize::from(byte)),
        found => return Err(Fault::Form(format!("version {found} of npy is unknown"))),
    };
    if size > HEADER_BYTES_MAX {
        return Err(Fault::Form(format!("a header of {size} bytes is too long")));
    }
    let header = take(size)?;
    let text: String = String::from_utf8_lossy(&header).split_whitespace().collect();
    let fields: Vec<String> =
        FIELDS.iter().map(|(name, kind)| format!("('{name}','{kind}')")).collect();
    let shape = text
        .strip_prefix(&format!("{{'descr':[{}],", fields.join(",")))
        .and_then(|rest| rest.strip_prefix("'fortran_order':False,'shape':("))
        .and_then(|rest| rest.strip_suffix(",),}").or(rest.strip_suffix(",)}")))
        .and_then(|shape| shape.parse().ok());
    shape.ok_or_else(|| {
        Fault::Form(format!(
            "not an array of hftbacktest's events: {}",
            header.trim_ascii().escape_ascii()
        ))
    })
}
