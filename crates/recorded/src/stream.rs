//! One stream of [`Event`]s from recordings of all formats.
//!
//! A file's [`Source`] reads a batch of events into a buffer that is reused. Several files are
//! merged by the exchange's time; at one time the file that was named first is first. Within a file
//! the order stays: an event counts for the merge at the latest time so far of its file.
//!
//! # Invariants
//! - Memory does not grow with the length of a file. It grows with the number of instruments and,
//!   for ITCH, with the number of resting orders.
//! - The events of one file are in the order of the exchange's time or of the local time, and each
//!   price and quantity is whole in its unit. A strict stream ends with an error at the first event
//!   that is not; a lenient one counts it and leaves it out.
//!
//! # Known limits
//! The unit of a price or a quantity that neither the file nor the caller states is found from the
//! first [`PROBED_EVENTS`] events. A later event that is finer is an error that names the unit.

mod bars;
mod batch;
mod dbn;
mod depth;
mod itch;
mod lobster;
mod npz;
mod obwl;
mod probe;
pub(crate) mod sniff;
mod table;
mod trades;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use types::Increment;

pub(crate) use self::batch::{Batch, Source};
pub use self::probe::PROBED_EVENTS;
use crate::columnar;
use crate::event::Event;
use crate::fault::{Fault, Place, ReadError, StreamError};
use crate::format::{Format, open_detected};
use crate::input::{Input, open_counted};
use crate::moment::Day;
use crate::units::Units;

/// Events of one merged batch.
const MERGED_EVENTS: usize = 2_048;
const INSTRUMENTS_MAX: usize = 1 << 16;

/// A recording, and the name of its instrument if the file has none.
#[derive(Clone, Debug)]
pub struct Recording {
    pub path: PathBuf,
    /// `None` takes it from the file's name: all of it up to a date or the first dot.
    pub name: Option<String>,
}

/// How files are read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// `None` detects it.
    pub format: Option<Format>,
    pub tick: Option<Increment>,
    pub lot: Option<Increment>,
    /// For files whose times count since midnight. `None` takes it from the file's name.
    pub day: Option<Day>,
    /// Whether wrong rows are counted and left out.
    pub lenient: bool,
}

/// Where the unit of a price or a quantity comes from.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum UnitFrom {
    /// The caller states it.
    Given,
    File,
    Format,
    /// The finest decimal among the first [`PROBED_EVENTS`] events.
    Decimals,
}

/// An instrument of a stream.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Instrument {
    pub name: String,
    pub tick: Increment,
    pub lot: Increment,
    pub tick_from: UnitFrom,
    pub lot_from: UnitFrom,
}

/// The merged events of some files.
#[derive(Debug)]
pub struct Stream {
    inputs: Vec<Merged>,
    instruments: Vec<Instrument>,
    /// The files that have a next event, by its time for the merge and the file's position.
    heads: BinaryHeap<Reverse<(i64, usize)>>,
    batch: Vec<Event>,
    is_lenient: bool,
    has_begun: bool,
}

/// One of the merged files.
struct Merged {
    path: PathBuf,
    format: Format,
    source: Box<dyn Source>,
    batch: Batch,
    /// The next event of the batch.
    at: usize,
    /// The latest time of the exchange so far.
    reached_ns: i64,
    units: Units,
    from: (UnitFrom, UnitFrom),
    /// Of a columnar file, which has units for each instrument.
    listed: Vec<columnar::Listed>,
    /// Positions among the stream's instruments, by those in the file.
    instruments: Vec<u16>,
    skipped: u64,
    first_skipped: Option<String>,
    has_ended: bool,
    /// Bytes of the file, and those that were read.
    size: u64,
    read: Arc<AtomicU64>,
}

impl Stream {
    pub fn open(files: &[Recording], options: &Options) -> Result<Self, StreamError> {
        let inputs = files.iter().map(|file| {
            let opened = Merged::open(file, options);
            opened.map_err(|error| StreamError { path: file.path.clone(), error })
        });
        let mut stream = Self {
            inputs: inputs.collect::<Result<_, _>>()?,
            instruments: Vec::new(),
            heads: BinaryHeap::new(),
            batch: Vec::new(),
            is_lenient: options.lenient,
            has_begun: false,
        };
        for at in 0..stream.inputs.len() {
            stream.register(at)?;
        }
        Ok(stream)
    }

    /// The next events; none at the end.
    pub fn next_batch(&mut self) -> Result<&[Event], StreamError> {
        if self.inputs.len() == 1 {
            self.refill(0)?;
            let input = &mut self.inputs[0];
            input.at = input.batch.events.len();
            return Ok(&input.batch.events);
        }
        if !self.has_begun {
            self.has_begun = true;
            (0..self.inputs.len()).try_for_each(|at| self.push_head(at))?;
            self.batch.reserve(MERGED_EVENTS);
        }
        self.batch.clear();
        while self.batch.len() < MERGED_EVENTS {
            let Some(Reverse((_, at))) = self.heads.pop() else { break };
            self.take_run(at)?;
        }
        Ok(&self.batch)
    }

    /// The instruments that the events so far refer to, in the order of their positions. Some
    /// formats name an instrument only when its first event comes.
    pub fn instruments(&self) -> &[Instrument] {
        &self.instruments
    }

    /// The format of each file.
    pub fn formats(&self) -> impl Iterator<Item = (&Path, Format)> {
        self.inputs.iter().map(|input| (&*input.path, input.format))
    }

    /// The number of rows that a lenient stream has left out.
    pub fn skipped(&self) -> u64 {
        self.inputs.iter().map(|input| input.skipped).sum()
    }

    /// The bytes of all files that were read so far, and all of their bytes.
    pub fn progress(&self) -> (u64, u64) {
        let read = |input: &Merged| {
            let counted = || input.read.load(Ordering::Relaxed);
            input.source.position().unwrap_or_else(counted).min(input.size)
        };
        let inputs = &self.inputs;
        (inputs.iter().map(read).sum(), inputs.iter().map(|input| input.size).sum())
    }

    /// The error of the first row that was left out.
    pub fn first_skipped(&self) -> Option<String> {
        let named = |input: &Merged| {
            Some((input.path.display(), input.first_skipped.as_ref()?))
                .map(|(path, error)| format!("{path}: {error}"))
        };
        self.inputs.iter().find_map(named)
    }

    /// Moves events of one file until another file's next event is due.
    fn take_run(&mut self, at: usize) -> Result<(), StreamError> {
        let room = MERGED_EVENTS - self.batch.len();
        let bound = self.heads.peek().map(|Reverse(head)| *head);
        let input = &mut self.inputs[at];
        let due = &input.batch.events[input.at..];
        let mut run = 0;
        for event in due.iter().take(room) {
            let time_ns = input.reached_ns.max(event.exchange_ns);
            if bound.is_some_and(|bound| bound < (time_ns, at)) {
                break;
            }
            input.reached_ns = time_ns;
            run += 1;
        }
        self.batch.extend_from_slice(&due[..run]);
        input.at += run;
        self.push_head(at)
    }

    fn push_head(&mut self, at: usize) -> Result<(), StreamError> {
        if self.inputs[at].at == self.inputs[at].batch.events.len() {
            self.refill(at)?;
        }
        let input = &self.inputs[at];
        if let Some(event) = input.batch.events.get(input.at) {
            self.heads.push(Reverse((input.reached_ns.max(event.exchange_ns), at)));
        }
        Ok(())
    }

    fn refill(&mut self, at: usize) -> Result<(), StreamError> {
        let is_lenient = self.is_lenient;
        let input = &mut self.inputs[at];
        let error = |input: &Merged, error| StreamError { path: input.path.clone(), error };
        input.refill(is_lenient).map_err(|found| error(input, found))?;
        if self.inputs[at].batch.names.len() > self.inputs[at].instruments.len() {
            self.register(at)?;
        }
        let input = &mut self.inputs[at];
        if input.instruments.iter().enumerate().any(|(own, of_all)| own != usize::from(*of_all)) {
            for event in &mut input.batch.events {
                event.instrument = input.instruments[usize::from(event.instrument)];
            }
        }
        Ok(())
    }

    /// Gives the new instruments of a file their positions in the stream.
    fn register(&mut self, at: usize) -> Result<(), StreamError> {
        let input = &mut self.inputs[at];
        let fail = |input: &Merged, text| {
            let error = Place::File.fault(Fault::Form(text));
            Err(StreamError { path: input.path.clone(), error })
        };
        while let Some(name) = input.batch.names.get(input.instruments.len()) {
            let Units { tick, lot } = input.units_of(input.instruments.len());
            let instrument = Instrument {
                name: name.clone(),
                tick,
                lot,
                tick_from: input.from.0,
                lot_from: input.from.1,
            };
            let known = self.instruments.iter().position(|known| known.name == *name);
            let position = known.unwrap_or(self.instruments.len());
            match self.instruments.get(position) {
                Some(known) if (known.tick, known.lot) != (instrument.tick, instrument.lot) => {
                    let units = |of: &Instrument| {
                        format!("tick {}, lot {}", of.tick.format(1, 0), of.lot.format(1, 0))
                    };
                    let text = format!(
                        "two files have an instrument {name}, with {} and with {}: give tick and \
                         lot, or other names",
                        units(known),
                        units(&instrument)
                    );
                    return fail(input, text);
                }
                Some(_) => {}
                None if position >= INSTRUMENTS_MAX => {
                    return fail(input, format!("more than {INSTRUMENTS_MAX} instruments"));
                }
                None => self.instruments.push(instrument),
            }
            input.instruments.push(position as u16);
        }
        Ok(())
    }
}

impl std::fmt::Debug for Merged {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({:?})", self.path.display(), self.format)
    }
}

impl Merged {
    fn open(file: &Recording, options: &Options) -> Result<Self, ReadError> {
        let path = &file.path;
        let format = match options.format {
            Some(format) => format,
            None => {
                open_detected(path)
                    .map_err(|error| Place::File.fault(Fault::Form(error.to_string())))?
                    .0
            }
        };
        let name = file.name.clone().unwrap_or_else(|| name_of(path));
        let known = Known { name, day: options.day.unwrap_or_else(|| day_of(path)) };
        let (units, from) = probe::units(path, format, &known, options)?;
        let mut batch = Batch::new();
        let read = Arc::<AtomicU64>::default();
        let source = open_source(path, format, units, &known, &mut batch, &read)?;
        let listed = match format {
            Format::Columnar => columnar::Reader::open(path)?.header().instruments.clone(),
            _ => Vec::new(),
        };
        Ok(Self {
            path: path.clone(),
            format,
            source,
            batch,
            at: 0,
            reached_ns: i64::MIN,
            units,
            from,
            listed,
            instruments: Vec::new(),
            skipped: 0,
            first_skipped: None,
            has_ended: false,
            size: std::fs::metadata(path).map_or(0, |of_file| of_file.len()),
            read,
        })
    }

    /// The units of an instrument, by its position in the file.
    fn units_of(&self, position: usize) -> Units {
        let listed = self.listed.get(position);
        listed.map_or(self.units, |listed| Units { tick: listed.tick, lot: listed.lot })
    }

    /// Reads the next batch; it is empty at the end.
    fn refill(&mut self, is_lenient: bool) -> Result<(), ReadError> {
        self.batch.events.clear();
        self.at = 0;
        while self.batch.events.is_empty() && !self.has_ended {
            match self.source.read(&mut self.batch) {
                Ok(has_more) => self.has_ended = !has_more,
                Err(error) if is_lenient && error.fault.is_skippable() => {
                    self.skipped += 1;
                    self.first_skipped.get_or_insert_with(|| error.to_string());
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// What a file may not say of itself.
#[derive(Clone, Debug)]
struct Known {
    name: String,
    day: Day,
}

/// Opens a file whose format and units are known.
fn open_source(
    path: &Path,
    format: Format,
    units: Units,
    known: &Known,
    batch: &mut Batch,
    read: &Arc<AtomicU64>,
) -> Result<Box<dyn Source>, ReadError> {
    let input = || open_counted(path, Arc::clone(read)).map_err(|error| Place::File.fault(error));
    if format == Format::Columnar {
        return columnar::Reader::open(path).map(|reader| {
            batch.names.extend(reader.header().instruments.iter().map(|of| of.name.clone()));
            Box::new(reader) as Box<dyn Source>
        });
    }
    let input: Input = input()?;
    Ok(match format {
        Format::Obwl => Box::new(obwl::Obwl::open(input, batch)?),
        Format::Lobster => Box::new(lobster::Lobster::open(input, units, known, batch)),
        Format::Dbn => return dbn::open(input, units, known, batch),
        Format::Itch => Box::new(itch::Itch::open(input, units, known.day)),
        Format::Depth => Box::new(depth::Depth::open(input, units, known, batch)?),
        Format::Npz => Box::new(npz::Npz::open(input, units, known, batch)?),
        Format::Trades => Box::new(trades::Trades::open(input, units, known, batch)?),
        Format::Lean => Box::new(trades::Lean::open(input, units, known, batch)),
        Format::Bars => Box::new(bars::Bars::open(input, units, known, batch)?),
        Format::Columnar => unreachable!("it is opened above"),
    })
}

/// The file's name up to its date or its first dot.
fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = match Day::find(&name) {
        Some((_, range)) if range.start > 0 => &name[..range.start],
        Some((_, range)) => &name[range.end..],
        None => &name[..],
    };
    let name = name.trim_matches(['_', '-', '.']);
    let name = name.split('.').next().unwrap_or_default();
    if name.is_empty() { "instrument".to_owned() } else { name.to_owned() }
}

fn day_of(path: &Path) -> Day {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Day::find(&name).map_or(Day::EPOCH, |(day, _)| day)
}

#[cfg(test)]
mod tests;
