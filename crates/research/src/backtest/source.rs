//! Recorded files as the source of a run, with the time that reading takes.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use cli::{Failure, Progress};
use recorded::{Event, Kind, Recording, Stream, StreamError};
use strategy::backtest::{BarSource, Source};
use strategy::job::{Done, Job, Mode};
use strategy::{Bar, Journal};

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
    open: Option<Bar>,
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
            open: None,
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

    /// All events in memory, for runs that share them.
    pub(super) fn into_memory(mut self) -> Result<(Vec<Event>, Vec<Bar>), Failure> {
        let mut events = Vec::new();
        while self.read(&mut events).map_err(|error| Failure::fault(error.to_string()))? {}
        let mut bars = Vec::new();
        let mut open = None;
        for event in &events {
            bars.extend(add_to_bar(&mut open, event));
        }
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
        let mut events = Vec::new();
        while self.bars.is_empty() && self.read(&mut events)? {
            for event in events.drain(..) {
                self.bars.extend(add_to_bar(&mut self.open, &event));
            }
        }
        Ok(&self.bars)
    }
}

/// Four events make a bar, the close last.
fn add_to_bar(open: &mut Option<Bar>, event: &Event) -> Option<Bar> {
    let price = event.price;
    if event.kind == Kind::Open {
        *open = Some(Bar {
            instrument: event.instrument,
            at_ns: event.exchange_ns,
            open: price,
            high: price,
            low: price,
            close: price,
            volume: event.quantity,
        });
    }
    let bar = open.as_mut()?;
    match event.kind {
        Kind::High => bar.high = price,
        Kind::Low => bar.low = price,
        Kind::Close => {
            bar.close = price;
            return open.take();
        }
        _ => {}
    }
    None
}

/// Runs a job. A strategy that panics is a failure with its message.
pub(super) fn run(
    job: &Job,
    events: &mut Events<'_>,
    journal: Journal,
    stop: &AtomicBool,
) -> Result<Done, Failure> {
    let ran = catch_unwind(AssertUnwindSafe(|| {
        if job.mode == Mode::Bars {
            job.run_bars(events, journal, stop)
        } else {
            job.run(events, journal, stop)
        }
    }));
    match ran {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(error)) => Err(Failure::fault(error.to_string())),
        Err(panic) => Err(Failure::fault(format!("the strategy panicked: {}", text(&*panic)))),
    }
}

fn text(panic: &(dyn std::any::Any + Send)) -> &str {
    let literal = panic.downcast_ref::<&str>().copied();
    literal.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}
