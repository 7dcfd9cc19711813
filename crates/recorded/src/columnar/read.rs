//! Reading a columnar file.

use std::fs::File;
use std::path::Path;

use types::{Increment, PRICE_MAX, Price, QTY_MAX, Qty, Side};

use super::map::Map;
use super::{
    BLOCK_EVENTS, BLOCK_HEADER_BYTES, CHECKSUM_BYTES, COLUMNS, HEADER_BYTES, Header, Listed, MAGIC,
    VERSION, checksum, tagged,
};
use crate::event::{Event, Kind};
use crate::fault::{Fault, Place, ReadError};
use crate::stream::{Batch, Source};

/// Reads the blocks of a file, one after the other.
#[derive(Debug)]
pub struct Reader {
    map: Map,
    header: Header,
    /// Where the next block begins, and where the last one ends.
    at: usize,
    end: usize,
    /// Of the next block.
    number: u64,
    events: u64,
    columns: Columns,
}

/// The columns of a block, each of the same length, decoded into buffers that the reader reuses.
#[derive(Clone, Copy, Debug)]
pub struct Block<'a> {
    pub local_ns: &'a [i64],
    pub exchange_ns: &'a [i64],
    pub order: &'a [u64],
    /// In ticks.
    pub price: &'a [i64],
    /// In lots.
    pub quantity: &'a [u64],
    pub instrument: &'a [u16],
    /// Kind and side as in the file; each of them is valid.
    tags: &'a [u8],
}

#[derive(Debug, Default)]
struct Columns {
    local_ns: Vec<i64>,
    exchange_ns: Vec<i64>,
    order: Vec<u64>,
    price: Vec<i64>,
    quantity: Vec<u64>,
    instrument: Vec<u16>,
    tags: Vec<u8>,
}

impl Reader {
    /// Maps the file and checks its header; each block is checked when it is read.
    pub fn open(path: &Path) -> Result<Self, ReadError> {
        let file = |error| Place::File.fault(Fault::Io(error));
        let map = Map::open(&File::open(path).map_err(file)?).map_err(file)?;
        let (header, end) = read_header(&map).map_err(|text| Place::File.fault(form(text)))?;
        Ok(Self {
            map,
            header,
            at: HEADER_BYTES,
            end,
            number: 0,
            events: 0,
            columns: Columns::default(),
        })
    }

    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The next block, `None` after the last.
    pub fn next_block(&mut self) -> Result<Option<Block<'_>>, ReadError> {
        let place = Place::Byte(self.at as u64);
        if self.number == self.header.blocks {
            if self.at != self.end || self.events != self.header.events {
                let text = "the blocks have other lengths than the header states";
                return Err(place.fault(form(text)));
            }
            return Ok(None);
        }
        let size = self.decode().map_err(|text| place.fault(form(text)))?;
        self.at += size;
        self.number += 1;
        self.events += self.columns.tags.len() as u64;
        self.map.release(self.at);
        Ok(Some(self.columns.block()))
    }

    fn decode(&mut self) -> Result<usize, &'static str> {
        const CUT: &str = "the block ends too early";
        let rest = &self.map[self.at..self.end];
        let header: &[u8; BLOCK_HEADER_BYTES] = rest.first_chunk().ok_or(CUT)?;
        let (sum, mut described) = header.split_at(CHECKSUM_BYTES);
        let number = u64::from_le_bytes(take(&mut described));
        let count = u32::from_le_bytes(take(&mut described)) as usize;
        let size = u32::from_le_bytes(take(&mut described)) as usize;
        let block = rest.get(..size).ok_or(CUT)?;
        let body = block.get(BLOCK_HEADER_BYTES..).ok_or("a block of an impossible size")?;
        if checksum(&[&block[CHECKSUM_BYTES..]]) != sum {
            return Err("the checksum of the block is wrong");
        }
        if number != self.number {
            return Err("a block is missing or repeated");
        }
        if !(1..=BLOCK_EVENTS).contains(&count) {
            return Err("a block of an impossible number of events");
        }
        let bases: [i64; COLUMNS] =
            std::array::from_fn(|_| i64::from_le_bytes(take(&mut described)));
        let widths: [u8; 8] = take(&mut described);
        self.columns.decode(body, count, bases, widths)?;
        self.columns.check(self.header.instruments.len())?;
        Ok(size)
    }
}

impl Columns {
    fn decode(
        &mut self,
        mut body: &[u8],
        count: usize,
        bases: [i64; COLUMNS],
        widths: [u8; 8],
    ) -> Result<(), &'static str> {
        const SHORT: &str = "a column is cut";
        let mut column = |at: usize| {
            let length = count * usize::from(widths[at]);
            let (bytes, rest) = body.split_at_checked(length.next_multiple_of(8)).ok_or(SHORT)?;
            body = rest;
            Ok::<_, &'static str>((&bytes[..length], widths[at], bases[at]))
        };
        widen(column(0)?, count, &mut self.local_ns, |value| value)?;
        widen(column(1)?, count, &mut self.exchange_ns, |value| value)?;
        for (exchange_ns, local_ns) in self.exchange_ns.iter_mut().zip(&self.local_ns) {
            *exchange_ns = exchange_ns.wrapping_add(*local_ns);
        }
        widen(column(2)?, count, &mut self.order, i64::cast_unsigned)?;
        widen(column(3)?, count, &mut self.price, |value| value)?;
        widen(column(4)?, count, &mut self.quantity, i64::cast_unsigned)?;
        // Checked below against the number of instruments.
        widen(column(5)?, count, &mut self.instrument, |value| {
            u16::try_from(value).unwrap_or(u16::MAX)
        })?;
        self.tags.clear();
        self.tags.extend_from_slice(body.get(..count).ok_or(SHORT)?);
        if body.len() != count.next_multiple_of(8) {
            return Err("bytes follow the last column");
        }
        Ok(())
    }

    /// Checks what events must be. Their order was checked when they were written.
    fn check(&self, instruments: usize) -> Result<(), &'static str> {
        let price_max = PRICE_MAX.ticks();
        if !self.price.iter().all(|price| (-price_max..=price_max).contains(price)) {
            return Err("a price is out of range");
        }
        if !self.quantity.iter().all(|quantity| *quantity <= QTY_MAX.lots()) {
            return Err("a quantity is out of range");
        }
        if !self.instrument.iter().all(|instrument| usize::from(*instrument) < instruments) {
            return Err("an instrument is not in the table");
        }
        if !self.tags.iter().all(|tag| TAGS[usize::from(*tag)].is_some()) {
            return Err("a kind or a side is unknown");
        }
        Ok(())
    }

    fn block(&self) -> Block<'_> {
        Block {
            local_ns: &self.local_ns,
            exchange_ns: &self.exchange_ns,
            order: &self.order,
            price: &self.price,
            quantity: &self.quantity,
            instrument: &self.instrument,
            tags: &self.tags,
        }
    }
}

const TAGS: [Option<(Kind, Option<Side>)>; 256] = {
    let mut tags = [None; 256];
    let mut at = 0;
    while at < tags.len() {
        tags[at] = tagged(at as u8);
        at += 1;
    }
    tags
};

impl Block<'_> {
    pub fn len(&self) -> usize {
        self.tags.len()
    }

    /// No block of a file is empty.
    pub fn is_empty(&self) -> bool {
        self.tags.is_empty()
    }

    #[inline]
    pub fn kind(&self, at: usize) -> (Kind, Option<Side>) {
        TAGS[usize::from(self.tags[at])].expect("the reader has checked it")
    }

    pub fn events(&self) -> impl ExactSizeIterator<Item = Event> {
        (0..self.len()).map(|at| self.event(at))
    }

    #[inline]
    fn event(&self, at: usize) -> Event {
        let (kind, side) = self.kind(at);
        Event {
            exchange_ns: self.exchange_ns[at],
            local_ns: self.local_ns[at],
            order: self.order[at],
            price: Price::from_ticks(self.price[at]),
            quantity: Qty::from_lots(self.quantity[at]),
            instrument: self.instrument[at],
            kind,
            side,
        }
    }
}

impl Source for Reader {
    fn read(&mut self, batch: &mut Batch) -> Result<bool, ReadError> {
        let Some(block) = self.next_block()? else { return Ok(false) };
        batch.events.extend(block.events());
        Ok(true)
    }

    fn position(&self) -> Option<u64> {
        Some(self.at as u64)
    }
}

/// Decodes a column of `width` bytes a value.
#[inline]
fn widen<T>(
    (bytes, width, base): (&[u8], u8, i64),
    count: usize,
    out: &mut Vec<T>,
    map: impl Fn(i64) -> T,
) -> Result<(), &'static str> {
    out.clear();
    let add = |value: u64| map(base.wrapping_add(value.cast_signed()));
    match width {
        0 => out.extend((0..count).map(|_| add(0))),
        1 => out.extend(bytes.iter().map(|byte| add(u64::from(*byte)))),
        2 => out.extend(values::<2>(bytes).map(|value| add(u16::from_le_bytes(value).into()))),
        4 => out.extend(values::<4>(bytes).map(|value| add(u32::from_le_bytes(value).into()))),
        8 => out.extend(values::<8>(bytes).map(|value| add(u64::from_le_bytes(value)))),
        _ => return Err("a column of an impossible width"),
    }
    Ok(())
}

fn values<const WIDTH: usize>(bytes: &[u8]) -> impl Iterator<Item = [u8; WIDTH]> {
    bytes.as_chunks().0.iter().copied()
}

/// The header, and the end of the blocks.
fn read_header(map: &[u8]) -> Result<(Header, usize), String> {
    let fixed: &[u8; HEADER_BYTES] = map.first_chunk().ok_or("the file ends inside its header")?;
    let (mut fields, sum) = fixed.split_at(HEADER_BYTES - CHECKSUM_BYTES);
    if take::<8>(&mut fields) != *MAGIC {
        return Err("this is not a columnar file, which starts with \"BWEVENTS\"".to_owned());
    }
    let version = u32::from_le_bytes(take(&mut fields));
    if version != VERSION {
        return Err(format!("version {version} of the columnar file; this reads {VERSION}"));
    }
    let instruments = u32::from_le_bytes(take(&mut fields));
    let [events, blocks] = [0; 2].map(|_| u64::from_le_bytes(take(&mut fields)));
    let [first_ns, last_ns] = [0; 2].map(|_| i64::from_le_bytes(take(&mut fields)));
    let [at, size] = [0; 2].map(|_| u64::from_le_bytes(take(&mut fields)));
    let end = usize::try_from(at).ok().filter(|end| *end >= HEADER_BYTES);
    let end = end.ok_or("the table of instruments is inside the header")?;
    let table = map.get(end..).filter(|table| table.len() as u64 == size);
    let table = table.ok_or("the file is cut, or bytes follow its end")?;
    if checksum(&[&fixed[..HEADER_BYTES - CHECKSUM_BYTES], table]) != sum {
        return Err("the checksum of the header is wrong".to_owned());
    }
    let instruments = read_table(table, instruments).ok_or("the table of instruments is cut")?;
    Ok((Header { instruments, events, blocks, first_ns, last_ns }, end))
}

fn read_table(mut table: &[u8], count: u32) -> Option<Vec<Listed>> {
    let mut listed = Vec::new();
    for _ in 0..count {
        let (length, rest) = table.split_first_chunk()?;
        let (name, rest) = rest.split_at_checked(u16::from_le_bytes(*length).into())?;
        let (units, rest) = rest.split_first_chunk::<18>()?;
        table = rest;
        let unit = |at: usize| {
            let (units, decimals) = units[at..at + 9].split_first_chunk()?;
            let units = u64::from_le_bytes(*units);
            (units > 0).then_some(Increment { units, decimals: decimals[0] })
        };
        let name = String::from_utf8(name.to_vec()).ok()?;
        listed.push(Listed { name, tick: unit(0)?, lot: unit(9)? });
    }
    table.is_empty().then_some(listed)
}

/// Takes a field of a header that is long enough.
fn take<const SIZE: usize>(fields: &mut &[u8]) -> [u8; SIZE] {
    let (field, rest) = fields.split_first_chunk().expect("the header is long enough");
    *fields = rest;
    *field
}

fn form(text: impl Into<String>) -> Fault {
    Fault::Form(text.into())
}
