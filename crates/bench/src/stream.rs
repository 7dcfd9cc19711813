//! The scenario `stream`: order entry while readers follow the depth updates of its market. The
//! same is done with none, with one, with a hundred and with a thousand of them, to show what they
//! cost.
//!
//! Each step has two parts. In a closed loop, what order entry can do at most shows; in an open one
//! at half of what it did without readers, how latencies change, and how old market data is when it
//! arrives.

use clap::Args;
use cli::Failure;

use super::flags::Flags;
use super::fleet::{Agent, Moment};
use super::flow::SYMBOL;
use super::load::{Measured, Scenario, measure, open};
use super::report::{Report, report};
use super::run::{Run, at_half};
use super::samples::depth;
use super::spec::{Cue, Key, Load, ReaderSpec, Reading, add_counts};
use super::tally::{Tally, per};
use super::venue::Venue;

const SCENARIO: Scenario = Scenario { name: "stream", load: Load::RestMix };

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

/// The step without readers: what the others are compared with.
#[derive(Clone, Copy)]
struct Base {
    closed_orders_per_s: f64,
    p50_ms: f64,
    p99_ms: f64,
}

impl Stream {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let flags = &self.flags;
        // Probes have an account of their own.
        let (machine, mut venue) = open(flags, usize::from(flags.clients) + 1)?;
        let probe_key = venue.keys.pop().expect("it has one more than there are clients");
        let mut rated = flags.clone();
        let mut run = Run::begin(SCENARIO, flags, (machine, venue))?;
        let (mut steps, mut lost) = (Report::default(), Vec::new());
        let (mut base, mut last) = (None, None);
        for readers in self.steps() {
            let closed_flags = Flags { rate: None, ..flags.clone() };
            let closed = part(&closed_flags, &run.venue, &probe_key, readers)?;
            if rated.rate.is_none() {
                let highest = closed.measured.outcome.orders_per_s(flags.measured());
                rated = at_half(flags, SCENARIO.load, highest);
            }
            let open = part(&rated, &run.venue, &probe_key, readers)?;
            let base = *base.get_or_insert_with(|| Base::of(flags, &closed, &open));
            steps.push(&readers.to_string(), step(&rated, &closed, &open, base));
            let (gaps, behind) = missed(&closed, &open);
            if gaps + behind > 0 {
                lost.push(format!(
                    "of {readers} readers: {gaps} gaps, {behind} did not come to the end"
                ));
            }
            last = Some(open.measured);
        }
        let measured = last.expect("one step is without readers");
        // The other one has no streams of ours: it has no readers, and the rate of the open loops.
        run.flags = &rated;
        run.finish(&rated, None, &measured, report! { by_readers: steps })?;
        if lost.is_empty() {
            return Ok(());
        }
        Err(Failure::new(format!("readers lost updates: {}", lost.join("; "))))
    }

    fn steps(&self) -> Vec<usize> {
        let mut steps: Vec<usize> = self.readers.iter().map(|count| usize::from(*count)).collect();
        steps.push(0);
        steps.sort_unstable();
        steps.dedup();
        steps
    }
}

/// Orders a second in a closed loop while `readers` readers follow.
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

fn part(flags: &Flags, venue: &Venue, probe_key: &Key, readers: usize) -> Result<Part, Failure> {
    let mut crowds = Crowds::gather(flags, venue, probe_key, readers)?;
    let measured = measure(SCENARIO, flags, venue, |moment| {
        crowds.tell(match moment {
            Moment::Begin => Cue::Begin,
            Moment::End => Cue::End,
        })
    })?;
    let reading = crowds.read_until(last_update(venue)?)?;
    Ok(Part { measured, reading })
}

fn last_update(venue: &Venue) -> Result<u64, Failure> {
    let id = depth(venue, 1)?["lastUpdateId"].as_u64();
    id.ok_or_else(|| Failure::new("the venue's depth has no lastUpdateId"))
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

impl Base {
    fn of(flags: &Flags, closed: &Part, open: &Part) -> Self {
        let total = open.measured.outcome.total();
        Self {
            closed_orders_per_s: closed.measured.outcome.orders_per_s(flags.measured()),
            p50_ms: total.quantile_ms(0.5),
            p99_ms: total.quantile_ms(0.99),
        }
    }
}

/// Gaps, and readers that did not come to the last update.
fn missed(closed: &Part, open: &Part) -> (u64, u64) {
    let (closed, open) = (&closed.reading, &open.reading);
    (closed.gaps + open.gaps, closed.behind + open.behind)
}

/// Latencies, cores, messages and ages are of the open loop; errors, gaps and readers behind of
/// both.
fn step(flags: &Flags, closed: &Part, open: &Part, base: Base) -> Report {
    let own = Base::of(flags, closed, open);
    let (reading, measured) = (&open.reading, flags.measured());
    let mut reader_errors = closed.reading.errors.clone();
    add_counts(&mut reader_errors, &reading.errors);
    let lost = base.closed_orders_per_s - own.closed_orders_per_s;
    let (gaps, readers_behind) = missed(closed, open);
    let usage = open.measured.usage.as_ref();
    report! {
        closed_orders_per_s: own.closed_orders_per_s,
        throughput_loss: ratio(lost, base.closed_orders_per_s),
        rate: flags.rate.unwrap_or(0.0),
        orders_per_s: open.measured.outcome.orders_per_s(measured),
    }
    .with(open.measured.outcome.total().latency())
    .with(report! {
        p50_ratio: ratio(own.p50_ms, base.p50_ms),
        p99_ratio: ratio(own.p99_ms, base.p99_ms),
        errors: closed.measured.outcome.failed() + open.measured.outcome.failed(),
        cores: usage.map(|usage| usage.cpu_s / measured.as_secs_f64()),
        reader_cores: reading.cpu_s / measured.as_secs_f64(),
        messages_per_s: ratio(reading.messages as f64, reading.measured_s),
        bytes_per_message: per(reading.bytes as f64, reading.messages),
        // From an order until a reader has the update that shows it.
        order_to_update_ms: age(&reading.order_to_update),
        // From `E` of an update until a reader has it.
        since_event_ms: age(&reading.since_event),
        probes: reading.probes,
        gaps: gaps,
        readers_behind: readers_behind,
        reader_errors: &reader_errors,
    })
}

fn age(tally: &Tally) -> Option<Report> {
    (tally.orders > 0).then(|| {
        report! {
            min: tally.min_ms(),
            mean: tally.mean_ms(),
            p50: tally.quantile_ms(0.5),
            p90: tally.quantile_ms(0.9),
            p99: tally.quantile_ms(0.99),
            max: tally.max_ms(),
        }
    })
}

/// Nothing, where there is nothing to compare with.
fn ratio(value: f64, of: f64) -> f64 {
    if of > 0.0 { value / of } else { 0.0 }
}
