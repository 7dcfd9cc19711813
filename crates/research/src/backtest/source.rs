//! Recorded files as the source of a run, with the time that reading takes.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use cli::{Failure, Progress};
use recorded::{Event, Format, Kind, Recording, Stream, StreamError};
use strategy::backtest::{BarSource, Source};
use strategy::job::{Done, Job, Mode};
use strategy::{Bar, BarEvents, Journal};

use crate::files::Reading;

/// The events of the files, some number of times.
pub(super) struct Events<'a> {
    reading: &'a Reading,
    files: &'a [Recording],
    stream: Stream,
    /// The first batch, read ahead to see what the data are.
    ahead: Vec<Event>,
    passes: u32,
    shift_ns: i64,
    first_ns: Option<i64>,
    last_ns: i64,
    bars: Vec<Bar>,
    /// Events that become bars.
    of_bars: Vec<Event>,
    bar_events: BarEvents,
    pub(super) parse: Duration,
    progress: Progress,
    /// Passes that are over, and events so far.
    passed: u32,
    count: u64,
}

impl<'a> Events<'a> {
    pub(super) fn open(
        reading: &'a Reading,
        files: &'a [Recording],
        passes: u32,
    ) -> Result<Self, Failure> {
        let start = Instant::now();
        Ok(Self {
            stream: reading.open(files)?,
            reading,
            files,
            ahead: Vec::new(),
            passes,
            shift_ns: 0,
            first_ns: None,
            last_ns: i64::MIN,
            bars: Vec::new(),
            of_bars: Vec::new(),
            bar_events: BarEvents::default(),
            parse: start.elapsed(),
            progress: Progress::begin("events"),
            passed: 0,
            count: 0,
        })
    }

    pub(super) fn instruments(&self) -> &[recorded::Instrument] {
        self.stream.instruments()
    }

    pub(super) fn skipped(&self) -> u64 {
        self.stream.skipped()
    }

    /// The first change that says what the data are: all may begin with trades or clears.
    pub(super) fn first_kind(&mut self) -> Result<Option<Kind>, Failure> {
        let batch = self.stream.next_batch().map_err(|error| Failure::fault(error.to_string()))?;
        self.ahead.extend_from_slice(batch);
        let weak = |kind: &Kind| matches!(kind, Kind::Trade | Kind::Clear);
        let kinds = || self.ahead.iter().map(|event| event.kind);
        Ok(kinds().find(|kind| !weak(kind)).or_else(|| kinds().next()))
    }

    /// A file of bars beside files of other data. Its times are often the begins of the bars, so
    /// the strategy would see them too early.
    pub(super) fn bars_beside(&self) -> Option<&Path> {
        let is_bars = |format| format == Format::Bars;
        let has_others = self.stream.formats().any(|(_, format)| !is_bars(format));
        let bars = self.stream.formats().find(|(_, format)| is_bars(*format));
        bars.filter(|_| has_others).map(|(path, _)| path)
    }

    /// All events in memory, for runs that share them.
    pub(super) fn into_memory(mut self) -> Result<(Vec<Event>, Vec<Bar>), Failure> {
        let mut events = Vec::new();
        while self.read(&mut events).map_err(|error| Failure::fault(error.to_string()))? {}
        let mut bar_events = BarEvents::default();
        let bars = events.iter().filter_map(|event| bar_events.add(event)).collect();
        Ok((events, bars))
    }

    fn show(&mut self) {
        let (read, size) = self.stream.progress();
        let passed = size * u64::from(self.passed);
        let total = size * u64::from(self.passed + self.passes);
        self.progress.at((passed + read, total), self.count);
    }

    /// Removes the progress from the terminal.
    pub(super) fn end(&mut self) {
        self.progress.end();
    }

    fn again(&mut self) -> Result<(), StreamError> {
        self.passes -= 1;
        self.passed += 1;
        if let Some(first_ns) = self.first_ns {
            self.shift_ns = self.last_ns - first_ns + 1;
        }
        self.stream = self.reading.stream(self.files)?;
        Ok(())
    }
}

impl Source for Events<'_> {
    type Error = StreamError;

    fn read(&mut self, into: &mut Vec<Event>) -> Result<bool, StreamError> {
        let start = Instant::now();
        let from = into.len();
        if self.ahead.is_empty() {
            into.extend_from_slice(self.stream.next_batch()?);
        } else {
            into.append(&mut self.ahead);
        }
        let read = &mut into[from..];
        for event in read.iter_mut() {
            event.exchange_ns += self.shift_ns;
            event.local_ns += self.shift_ns;
            self.last_ns = self.last_ns.max(event.local_ns).max(event.exchange_ns);
        }
        if self.first_ns.is_none() {
            self.first_ns = read.first().map(|event| event.exchange_ns.min(event.local_ns));
        }
        let mut goes_on = !read.is_empty();
        if !goes_on && self.passes > 1 {
            self.again()?;
            goes_on = true;
        }
        self.count += (into.len() - from) as u64;
        self.show();
        self.parse += start.elapsed();
        Ok(goes_on)
    }
}

impl BarSource for Events<'_> {
    type Error = StreamError;

    fn next_bars(&mut self) -> Result<&[Bar], StreamError> {
        self.bars.clear();
        let mut events = std::mem::take(&mut self.of_bars);
        while self.bars.is_empty() && self.read(&mut events)? {
            for event in events.drain(..) {
                self.bars.extend(self.bar_events.add(&event));
            }
        }
        self.of_bars = events;
        Ok(&self.bars)
    }
}

pub(super) fn run(
    job: &Job,
    events: &mut Events<'_>,
    journals: Vec<Journal>,
    stop: &AtomicBool,
) -> Result<Done, Failure> {
    let ran = if job.mode == Mode::Bars {
        job.run_bars(events, journals, stop)
    } else {
        job.run(events, journals, stop)
    };
    ran.map_err(|error| Failure::fault(error.to_string()))
}
