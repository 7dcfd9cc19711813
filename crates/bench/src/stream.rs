//! The scenario `stream`: order entry while readers follow the depth updates of its market. Its
//! steps have none, one, a hundred and a thousand readers, to show what readers cost.
//!
//! Each step has two parts. A closed loop shows the highest rate of order entry. An open loop at
//! half of the highest rate without readers shows how latencies change, and how old market data is
//! on arrival.

use clap::Args;
use cli::Failure;

use super::flags::Flags;
use super::fleet::{Agent, Moment};
use super::flow::SYMBOL;
use super::load::{Measured, Scenario, depth, measure, open};
use super::report::{Report, report};
use super::run::{Run, at_half};
use super::spec::{Cue, Key, Load, ReaderSpec, Reading, add_counts};
use super::tally::{Tally, per};
use super::venue::Venue;

const SCENARIO: Scenario = Scenario { name: "stream", load: Load::RestMix };

#[derive(Args, Clone, Debug)]
pub(super) struct Stream {
    #[command(flatten)]
    flags: Flags,
    /// Readers of each step, 1 to 10,000; the first step has none
    #[arg(
        long,
        value_name = "N",
        value_delimiter = ',',
        default_values_t = [1, 100, 1_000],
        value_parser = clap::value_parser!(u16).range(1..=10_000)
    )]
    readers: Vec<u16>,
}

/// A load with readers, in a closed or an open loop.
struct Part {
    measured: Measured,
    reading: Reading,
}

impl Stream {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let flags = &self.flags;
        // Probes have an account of their own.
        let mut venue = open(flags, usize::from(flags.clients) + 1)?;
        let probe_key = venue.keys.pop().expect("it has one more than there are clients");
        let mut rated = flags.clone();
        let mut run = Run::begin(SCENARIO, flags, venue)?;
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
            let own = speeds(flags, &closed, &open);
            let base = *base.get_or_insert(own);
            let mut reading = closed.reading;
            let gaps = reading.gaps + open.reading.gaps;
            let behind = reading.behind + open.reading.behind;
            if gaps + behind > 0 {
                lost.push(format!("of {readers} readers: {}", missed(gaps, behind)));
            }
            add_counts(&mut reading.errors, &open.reading.errors);
            let errors = closed.measured.outcome.failed() + open.measured.outcome.failed();
            let both = report! {
                errors: errors,
                gaps: gaps,
                readers_behind: behind,
                reader_errors: &reading.errors,
            };
            steps.push(&readers.to_string(), step(&rated, &open, own, base).with(both));
            last = Some(open.measured);
        }
        let measured = last.expect("one step is without readers");
        // The server of `--beside` has no readers, and the rate of the open loops.
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
        let what = format!("{}, errors {errors:?}", missed(gaps, behind));
        return Err(Failure::new(format!("of {readers} readers: {what}")));
    }
    measured.flawless_per_s(flags)
}

fn part(flags: &Flags, venue: &Venue, probe_key: &Key, readers: usize) -> Result<Part, Failure> {
    let mut crowds = Crowds::gather(flags, venue, probe_key, readers)?;
    let measured = measure(SCENARIO, flags, venue, |moment| match moment {
        Moment::Begin => crowds.send(Cue::Begin),
        Moment::End => crowds.send(Cue::End),
        Moment::Within => Ok(()),
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
    /// Returns when all readers are connected.
    fn gather(flags: &Flags, venue: &Venue, key: &Key, readers: usize) -> Result<Self, Failure> {
        let processes = usize::from(flags.agents).min(readers);
        let mut crowds = Vec::with_capacity(processes);
        for at in 0..processes {
            let spec = ReaderSpec {
                address: venue.address.clone(),
                path: format!("/ws/{}@depth@100ms", SYMBOL.to_lowercase()),
                readers: readers / processes + usize::from(at < readers % processes),
                key: key.clone(),
                lane: at as u64,
                seed: flags.seed,
            };
            crowds.push(Agent::spawn("readers", &spec)?);
        }
        crowds.iter_mut().try_for_each(Agent::expect_connected)?;
        Ok(Self(crowds))
    }

    fn send(&mut self, cue: Cue) -> Result<(), Failure> {
        self.0.iter_mut().try_for_each(|crowd| crowd.send(&cue))
    }

    /// Their counts once all have this update.
    fn read_until(mut self, update: u64) -> Result<Reading, Failure> {
        self.send(Cue::Until(update))?;
        let mut merged = Reading::default();
        for crowd in &mut self.0 {
            merged.add(&crowd.receive()?);
            crowd.wait()?;
        }
        Ok(merged)
    }
}

/// Orders a second of the closed loop, and p50 and p99 of the open one in ms.
fn speeds(flags: &Flags, closed: &Part, open: &Part) -> [f64; 3] {
    let total = open.measured.outcome.total();
    let closed_per_s = closed.measured.outcome.orders_per_s(flags.measured());
    [closed_per_s, total.quantile_ms(0.5), total.quantile_ms(0.99)]
}

fn missed(gaps: u64, behind: u64) -> String {
    format!("{gaps} gaps, {behind} did not receive the last update")
}

/// The figures of the open loop beside those of the step without readers.
fn step(flags: &Flags, open: &Part, own: [f64; 3], base: [f64; 3]) -> Report {
    let (reading, outcome, measured) = (&open.reading, &open.measured.outcome, flags.measured());
    let ([closed_per_s, p50_ms, p99_ms], [base_per_s, base_p50_ms, base_p99_ms]) = (own, base);
    report! {
        closed_orders_per_s: closed_per_s,
        throughput_loss: ratio(base_per_s - closed_per_s, base_per_s),
        rate: flags.rate.unwrap_or(0.0),
        orders_per_s: outcome.orders_per_s(measured),
    }
    .with(outcome.total().latency())
    .with(report! {
        p50_ratio: ratio(p50_ms, base_p50_ms),
        p99_ratio: ratio(p99_ms, base_p99_ms),
        cores: outcome.usage.as_ref().map(|usage| usage.cpu_s / measured.as_secs_f64()),
        reader_cores: reading.cpu_s / measured.as_secs_f64(),
        messages_per_s: ratio(reading.messages as f64, reading.measured_s),
        bytes_per_message: per(reading.bytes as f64, reading.messages),
        // From an order until a reader has the update that shows it.
        order_to_update_ms: age(&reading.order_to_update),
        // From `E` of an update until a reader has it.
        since_event_ms: age(&reading.since_event),
        probes: reading.probes,
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

/// 0 where there is nothing to compare with.
fn ratio(value: f64, of: f64) -> f64 {
    if of > 0.0 { value / of } else { 0.0 }
}
