//! What a stream has, event by event.

use std::fmt::Write;
use std::time::{Duration, Instant};

use cli::moment::format_time;
use recorded::{Event, Instrument, Kind, Stream, StreamError, UnitFrom};
use serde_json::{Value, json};

const NS_PER_SECOND: f64 = 1e9;

#[derive(Debug)]
pub(super) struct Survey {
    /// Path and format of each file.
    files: Vec<(String, &'static str)>,
    instruments: Vec<Instrument>,
    counts: [u64; Kind::ALL.len()],
    /// The first and the last time of the exchange.
    times_ns: Option<(i64, i64)>,
    /// The longest time between two events, and when it began.
    gap_ns: i64,
    gap_begin_ns: i64,
    /// Events that were received before the event ahead of them, and the same for the exchange.
    local_backwards: u64,
    exchange_backwards: u64,
    /// Events that were received before the exchange stamped them: the clocks differ.
    received_early: u64,
    skipped: u64,
    first_skipped: Option<String>,
    elapsed: Duration,
}

impl Survey {
    pub(super) fn of(stream: &mut Stream) -> Result<Self, StreamError> {
        let begun = Instant::now();
        let files =
            stream.formats().map(|(path, format)| (path.display().to_string(), format.name()));
        let mut survey = Self {
            files: files.collect(),
            instruments: Vec::new(),
            counts: [0; Kind::ALL.len()],
            times_ns: None,
            gap_ns: 0,
            gap_begin_ns: 0,
            local_backwards: 0,
            exchange_backwards: 0,
            received_early: 0,
            skipped: 0,
            first_skipped: None,
            elapsed: Duration::ZERO,
        };
        let mut last: Option<Event> = None;
        loop {
            let events = stream.next_batch()?;
            if events.is_empty() {
                break;
            }
            for event in events {
                survey.add(event, last.as_ref().unwrap_or(event));
                last = Some(*event);
            }
        }
        survey.instruments = stream.instruments().to_vec();
        survey.skipped = stream.skipped();
        survey.first_skipped = stream.first_skipped();
        survey.elapsed = begun.elapsed();
        Ok(survey)
    }

    fn add(&mut self, event: &Event, last: &Event) {
        self.counts[event.kind as usize] += 1;
        let gap_ns = event.exchange_ns.saturating_sub(last.exchange_ns);
        if gap_ns > self.gap_ns {
            (self.gap_ns, self.gap_begin_ns) = (gap_ns, last.exchange_ns);
        }
        let (first_ns, last_ns) = self.times_ns.unwrap_or((event.exchange_ns, event.exchange_ns));
        self.times_ns = Some((first_ns.min(event.exchange_ns), last_ns.max(event.exchange_ns)));
        self.local_backwards += u64::from(event.local_ns < last.local_ns);
        self.exchange_backwards += u64::from(event.exchange_ns < last.exchange_ns);
        self.received_early += u64::from(event.local_ns < event.exchange_ns);
    }

    pub(super) fn skipped(&self) -> u64 {
        self.skipped
    }

    fn events(&self) -> u64 {
        self.counts.iter().sum()
    }

    fn kinds(&self) -> impl Iterator<Item = (String, u64)> {
        let counted = Kind::ALL.into_iter().zip(self.counts).filter(|(_, count)| *count > 0);
        counted.map(|(kind, count)| (snake(kind), count))
    }

    pub(super) fn info(&self) -> String {
        let mut text = String::new();
        for (path, format) in &self.files {
            let _ = writeln!(text, "{path}: {format}");
        }
        for of in &self.instruments {
            let _ = writeln!(
                text,
                "instrument {}: tick {} ({}), lot {} ({})",
                of.name,
                of.tick.format(1, 0),
                from(of.tick_from),
                of.lot.format(1, 0),
                from(of.lot_from)
            );
        }
        if let Some((first, last)) = self.times_ns {
            let _ = writeln!(text, "from {} to {}", time(first), time(last));
        }
        let _ = writeln!(text, "{} events", self.events());
        for (kind, count) in self.kinds() {
            let _ = writeln!(text, "{count:>12} {kind}");
        }
        let rate = self.events() as f64 / self.elapsed.as_secs_f64().max(1e-9) / 1e6;
        let _ = write!(text, "read in {:.2} s, {rate:.1} M events/s", self.elapsed.as_secs_f64());
        text
    }

    pub(super) fn check(&self) -> String {
        let mut text = self.info();
        let gap = self.gap_ns as f64 / NS_PER_SECOND;
        let _ = write!(text, "\nlongest gap {gap:.3} s, from {}", time(self.gap_begin_ns));
        for (count, clock) in
            [(self.exchange_backwards, "exchange's"), (self.local_backwards, "local")]
        {
            if count > 0 {
                let _ = write!(text, "\nthe {clock} time runs backwards at {count} events");
            }
        }
        if self.received_early > 0 {
            let _ = write!(
                text,
                "\n{} events arrived before the exchange's time: the clocks differ",
                self.received_early
            );
        }
        if let Some(first) = &self.first_skipped {
            let _ = write!(text, "\n{} wrong rows or gaps, first {first}", self.skipped);
        }
        text
    }

    pub(super) fn json(&self) -> Value {
        let files = self.files.iter().map(|(path, format)| json!({"path": path, "format": format}));
        let instruments = self.instruments.iter().map(|of| {
            json!({
                "name": of.name,
                "tick": of.tick.format(1, 0),
                "tick_from": from(of.tick_from),
                "lot": of.lot.format(1, 0),
                "lot_from": from(of.lot_from),
            })
        });
        let kinds: serde_json::Map<_, _> =
            self.kinds().map(|(kind, count)| (kind, count.into())).collect();
        json!({
            "files": files.collect::<Vec<_>>(),
            "instruments": instruments.collect::<Vec<_>>(),
            "events": self.events(),
            "kinds": kinds,
            "first_ns": self.times_ns.map(|times| times.0),
            "last_ns": self.times_ns.map(|times| times.1),
            "longest_gap_ns": self.gap_ns,
            "local_backwards": self.local_backwards,
            "exchange_backwards": self.exchange_backwards,
            "received_early": self.received_early,
            "skipped": self.skipped,
            "first_skipped": self.first_skipped,
            "parse_s": self.elapsed.as_secs_f64(),
        })
    }
}

fn from(from: UnitFrom) -> &'static str {
    match from {
        UnitFrom::Given => "given",
        UnitFrom::File => "by the file",
        UnitFrom::Format => "by the format",
        UnitFrom::Decimals => "by the decimals",
    }
}

/// Times before 1970 occur in generated data only.
fn time(ns: i64) -> String {
    u64::try_from(ns).map_or_else(|_| format!("{ns} ns"), format_time)
}

/// `SnapshotLevel` as `snapshot_level`.
fn snake(kind: Kind) -> String {
    let mut name = String::new();
    for letter in format!("{kind:?}").chars() {
        if letter.is_ascii_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.push(letter.to_ascii_lowercase());
    }
    name
}
