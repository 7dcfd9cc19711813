//! Writing a columnar file.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::{
    BLOCK_EVENTS, BLOCK_HEADER_BYTES, CHECKSUM_BYTES, COLUMNS, HEADER_BYTES, Listed, MAGIC,
    VERSION, checksum, tag,
};
use crate::event::Event;

/// Writes a file beside its name, and renames it when it is complete.
#[derive(Debug)]
pub struct Writer {
    path: PathBuf,
    partial: PathBuf,
    file: BufWriter<File>,
    pending: Vec<Event>,
    block: Vec<u8>,
    events: u64,
    blocks: u64,
    bytes: u64,
    first_ns: i64,
    last_ns: i64,
}

/// What was written.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Summary {
    pub events: u64,
    pub blocks: u64,
    pub bytes: u64,
}

impl Writer {
    pub fn create(path: &Path) -> io::Result<Self> {
        let mut partial = path.as_os_str().to_owned();
        partial.push(".partial");
        let partial = PathBuf::from(partial);
        let mut file = BufWriter::with_capacity(256 << 10, File::create(&partial)?);
        file.write_all(&[0; HEADER_BYTES])?;
        Ok(Self {
            path: path.to_owned(),
            partial,
            file,
            pending: Vec::with_capacity(BLOCK_EVENTS),
            block: Vec::new(),
            events: 0,
            blocks: 0,
            bytes: HEADER_BYTES as u64,
            first_ns: i64::MAX,
            last_ns: i64::MIN,
        })
    }

    /// Appends events in the order in which they will be read.
    pub fn append(&mut self, mut events: &[Event]) -> io::Result<()> {
        while !events.is_empty() {
            let room = BLOCK_EVENTS - self.pending.len();
            let (now, later) = events.split_at(room.min(events.len()));
            self.pending.extend_from_slice(now);
            if self.pending.len() == BLOCK_EVENTS {
                self.write_block()?;
            }
            events = later;
        }
        Ok(())
    }

    /// Writes what is pending and the header, and gives the file its name.
    pub fn finish(mut self, instruments: &[Listed]) -> io::Result<Summary> {
        if !self.pending.is_empty() {
            self.write_block()?;
        }
        let table = table(instruments)?;
        let header = self.header(instruments.len(), &table);
        self.file.write_all(&table)?;
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(&header)?;
        self.file.flush()?;
        self.file.get_ref().sync_all()?;
        std::fs::rename(&self.partial, &self.path)?;
        let bytes = self.bytes + table.len() as u64;
        Ok(Summary { events: self.events, blocks: self.blocks, bytes })
    }

    fn write_block(&mut self) -> io::Result<()> {
        for event in &self.pending {
            self.first_ns = self.first_ns.min(event.exchange_ns);
            self.last_ns = self.last_ns.max(event.exchange_ns);
        }
        encode(&self.pending, self.blocks, &mut self.block);
        self.file.write_all(&self.block)?;
        self.bytes += self.block.len() as u64;
        self.events += self.pending.len() as u64;
        self.blocks += 1;
        self.pending.clear();
        Ok(())
    }

    fn header(&self, instruments: usize, table: &[u8]) -> Vec<u8> {
        let mut header = MAGIC.to_vec();
        header.extend(VERSION.to_le_bytes());
        header.extend((instruments as u32).to_le_bytes());
        for number in [self.events, self.blocks] {
            header.extend(number.to_le_bytes());
        }
        let times_ns = if self.events > 0 { [self.first_ns, self.last_ns] } else { [0; 2] };
        for time_ns in times_ns {
            header.extend(time_ns.to_le_bytes());
        }
        for number in [self.bytes, table.len() as u64, 0, 0] {
            header.extend(number.to_le_bytes());
        }
        let sum = checksum(&[&header, table]);
        header.extend(sum);
        debug_assert_eq!(header.len(), HEADER_BYTES);
        header
    }
}

fn table(instruments: &[Listed]) -> io::Result<Vec<u8>> {
    let mut table = Vec::new();
    for Listed { name, tick, lot } in instruments {
        let length = u16::try_from(name.len())
            .map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "a name is too long"))?;
        table.extend(length.to_le_bytes());
        table.extend(name.as_bytes());
        for unit in [tick, lot] {
            table.extend(unit.units.to_le_bytes());
            table.push(unit.decimals);
        }
    }
    Ok(table)
}

fn encode(events: &[Event], number: u64, block: &mut Vec<u8>) {
    block.clear();
    block.resize(BLOCK_HEADER_BYTES, 0);
    let columns: [fn(&Event) -> i64; COLUMNS] = [
        |event| event.local_ns,
        |event| event.exchange_ns.wrapping_sub(event.local_ns),
        |event| event.order.cast_signed(),
        |event| event.price.ticks(),
        |event| event.quantity.lots().cast_signed(),
        |event| event.instrument.into(),
    ];
    let mut described = Vec::with_capacity(BLOCK_HEADER_BYTES);
    described.extend(number.to_le_bytes());
    described.extend((events.len() as u32).to_le_bytes());
    described.extend([0; 4]); // The size, which is known at the end.
    let mut widths = [0; 8];
    for (column, width) in columns.iter().zip(&mut widths) {
        let base = events.iter().map(column).min().expect("a block has events");
        let differences = || events.iter().map(|event| column(event).wrapping_sub(base) as u64);
        *width = width_of(differences().max().expect("a block has events"));
        described.extend(base.to_le_bytes());
        let bytes = usize::from(*width);
        differences().for_each(|value| block.extend_from_slice(&value.to_le_bytes()[..bytes]));
        pad(block);
    }
    block.extend(events.iter().map(|event| tag(event.kind, event.side)));
    pad(block);
    described.extend(widths);
    let size = (block.len() as u32).to_le_bytes();
    described[12..16].copy_from_slice(&size);
    block[CHECKSUM_BYTES..BLOCK_HEADER_BYTES].copy_from_slice(&described);
    let sum = checksum(&[&block[CHECKSUM_BYTES..]]);
    block[..CHECKSUM_BYTES].copy_from_slice(&sum);
}

fn width_of(largest: u64) -> u8 {
    match largest {
        0 => 0,
        1..=0xff => 1,
        0x100..=0xffff => 2,
        0x1_0000..=0xffff_ffff => 4,
        _ => 8,
    }
}

fn pad(block: &mut Vec<u8>) {
    block.resize(block.len().next_multiple_of(8), 0);
}
