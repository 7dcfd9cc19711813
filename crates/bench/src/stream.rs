//! The scenario `stream`: order entry while readers follow the depth updates of its market. The same is
//! done with none, with one, with a hundred and with a thousand of them, so that what they cost is told.
//!
//! Each step has two parts. In a closed loop, what order entry can do at most shows; in an open one at
//! half of what it did without readers, how latencies change, and how old market data is when it arrives.

use std::collections::BTreeMap;

use clap::Args;
use cli::Failure;
use serde_json::Value;

use super::flags::Flags;
use super::fleet::{Agent, Moment};
use super::flow::SYMBOL;
use super::highest::at_half;
use super::latency::{Latency, per};
use super::load::{Measured, measure, open_for};
use super::machine::Machine;
use super::reader::{Cue, ReaderSpec, Reading};
use super::run::{self, figures, refer};
use super::scenario::Scenario;
use super::spec::Key;
use super::step::{Age, Step};
use super::venue::Venue;

const SCENARIO: Scenario = Scenario::STREAM;

#[derive(Args, Clone, Debug)]
pub(super) struct Stream {
    #[command(flatten)]
    flags: Flags,
    /// Readers of each step; a step without any goes before
    #[arg(
        long,
        value_name = "N",
        value_delimiter = ',',
        default_values_t = [1, 100, 1_000],
        value_parser = clap::value_parser!(u16).range(1..=10_000)
    )]
    readers: Vec<u16>,
}

/// What came of a part of a step.
struct Part {
    measured: Measured,
    reading: Reading,
}

impl Stream {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let flags = &self.flags;
        let within = flags.within.clone().unwrap_or_else(std::env::temp_dir);
        let machine = Machine::here(&within);
        // Probes have an account of their own.
        let mut venue = open_for(flags, &within, usize::from(flags.clients) + 1)?;
        let probe_key = venue.keys.pop().expect("it has one more than there are clients");
        let reference = refer(&SCENARIO, flags, &venue)?;
        super::standing::fill(flags, &venue, flags.orders.unwrap_or(0))?;

        let mut steps = BTreeMap::new();
        let mut open_flags = flags.clone();
        let mut last = None;
        for readers in self.steps() {
            let closed = part(&Flags { rate: None, ..flags.clone() }, &venue, &probe_key, readers)?;
            if open_flags.rate.is_none() {
                open_flags = at_half(flags, &SCENARIO, orders_per_s(flags, &closed.measured));
            }
            let open = part(&open_flags, &venue, &probe_key, readers)?;
            let step = Step::of(&open_flags, &closed, &open, steps.get(&0));
            steps.insert(readers, step);
            last = Some(open.measured);
        }
        let measured = last.expect("one step is without readers");
        // Readers need streams of ours, so the other one has none, and the rate of the open loops.
        let beside = run::beside(&SCENARIO, &open_flags)?;
        let mut figures = figures(&SCENARIO, &open_flags, machine, reference, &measured, beside)?;
        let lost = lost(&steps);
        figures.by_readers = Some(steps);
        run::tell(flags, &figures, &measured.report)?;
        lost
    }

    fn steps(&self) -> Vec<usize> {
        let mut steps: Vec<usize> = self.readers.iter().map(|count| usize::from(*count)).collect();
        steps.push(0);
        steps.sort_unstable();
        steps.dedup();
        steps
    }
}

/// Orders a second in a closed loop while so many readers follow.
pub(super) fn orders_beside(
    flags: &Flags,
    venue: &Venue,
    probe_key: &Key,
    readers: usize,
) -> Result<f64, Failure> {
    let Part { measured, reading } = part(flags, venue, probe_key, readers)?;
    let Reading { gaps, behind, ref errors, .. } = reading;
    if gaps + behind > 0 || !errors.is_empty() {
        let what = format!("{gaps} gaps, {behind} did not come to the end, errors {errors:?}");
        return Err(Failure::new(format!("of {readers} readers: {what}")));
    }
    measured.flawless_per_s(flags)
}

/// What must never be, whatever else is required of the run.
fn lost(steps: &BTreeMap<usize, Step>) -> Result<(), Failure> {
    let told = |(readers, step): (&usize, &Step)| {
        let Step { gaps, readers_behind, .. } = step;
        (gaps + readers_behind > 0).then(|| {
            format!("of {readers} readers: {gaps} gaps, {readers_behind} did not come to the end")
        })
    };
    let lost: Vec<_> = steps.iter().filter_map(told).collect();
    match lost.is_empty() {
        true => Ok(()),
        false => Err(Failure::new(format!("readers lost updates: {}", lost.join("; ")))),
    }
}

fn part(flags: &Flags, venue: &Venue, probe_key: &Key, readers: usize) -> Result<Part, Failure> {
    let mut crowds = Crowds::gather(flags, venue, probe_key, readers)?;
    let measured = measure(&SCENARIO, flags, venue, |moment| {
        crowds.tell(match moment {
            Moment::Begin => Cue::Begin,
            Moment::End => Cue::End,
        })
    })?;
    let reading = crowds.read_until(last_update(venue)?)?;
    Ok(Part { measured, reading })
}

fn last_update(venue: &Venue) -> Result<u64, Failure> {
    let depth: Value =
        serde_json::from_str(&venue.get(&format!("/api/v3/depth?symbol={SYMBOL}&limit=1"))?)?;
    let id = depth["lastUpdateId"].as_u64();
    id.ok_or_else(|| Failure::new("the venue's depth has no lastUpdateId"))
}

fn orders_per_s(flags: &Flags, measured: &Measured) -> f64 {
    measured.report.total().orders as f64 / flags.measured().as_secs_f64()
}

/// The processes of readers.
struct Crowds(Vec<Agent>);

impl Crowds {
    /// All of them have begun to read when it is back.
    fn gather(flags: &Flags, venue: &Venue, key: &Key, readers: usize) -> Result<Self, Failure> {
        let processes = usize::from(flags.agents).min(readers);
        let mut crowds = Vec::with_capacity(processes);
        for at in 0..processes {
            let mut crowd = Agent::spawn("readers")?;
            crowd.tell(&serde_json::to_string(&ReaderSpec {
                address: venue.address.clone(),
                path: format!("/ws/{}@depth@100ms", SYMBOL.to_lowercase()),
                readers: readers / processes + usize::from(at < readers % processes),
                key: key.clone(),
                lane: at as u64,
                seed: flags.seed,
            })?)?;
            crowds.push(crowd);
        }
        crowds.iter_mut().try_for_each(Agent::expect_connected)?;
        Ok(Self(crowds))
    }

    fn tell(&mut self, cue: Cue) -> Result<(), Failure> {
        let line = serde_json::to_string(&cue)?;
        self.0.iter_mut().try_for_each(|crowd| crowd.tell(&line))
    }

    /// What they have when all are where the venue is.
    fn read_until(mut self, update: u64) -> Result<Reading, Failure> {
        self.tell(Cue::Until(update))?;
        let mut merged = Reading::default();
        for crowd in &mut self.0 {
            merged.add(&crowd.hear()?);
        }
        Ok(merged)
    }
}

impl Step {
    fn of(flags: &Flags, closed: &Part, open: &Part, without: Option<&Self>) -> Self {
        let total = open.measured.report.total();
        let closed_orders_per_s = orders_per_s(flags, &closed.measured);
        let latency = Latency::of(&total);
        let highest = without.map_or(closed_orders_per_s, |step| step.closed_orders_per_s);
        let base = without.map_or(latency, |step| step.latency);
        let (reading, seconds) = (&open.reading, flags.measured().as_secs_f64());
        let failed = |part: &Part| part.measured.report.errors.values().sum::<u64>();
        let mut reader_errors = closed.reading.errors.clone();
        for (cause, count) in &reading.errors {
            *reader_errors.entry(cause.clone()).or_default() += count;
        }
        Self {
            closed_orders_per_s,
            throughput_loss: ratio(highest - closed_orders_per_s, highest),
            rate: flags.rate.unwrap_or(0.0),
            orders_per_s: orders_per_s(flags, &open.measured),
            latency,
            p50_ratio: ratio(latency.p50_ms, base.p50_ms),
            p99_ratio: ratio(latency.p99_ms, base.p99_ms),
            errors: failed(closed) + failed(open),
            cores: open.measured.usage.as_ref().map(|usage| usage.cpu_s / seconds),
            reader_cores: reading.cpu_s / seconds,
            messages_per_s: ratio(reading.messages as f64, reading.measured_s),
            bytes_per_message: per(reading.bytes as f64, reading.messages),
            order_to_update_ms: Age::of(&reading.order_to_update),
            since_event_ms: Age::of(&reading.since_event),
            probes: reading.probes,
            gaps: closed.reading.gaps + reading.gaps,
            readers_behind: closed.reading.behind + reading.behind,
            reader_errors,
        }
    }
}

/// Nothing, where there is nothing to compare with.
fn ratio(value: f64, of: f64) -> f64 {
    if of > 0.0 { value / of } else { 0.0 }
}
