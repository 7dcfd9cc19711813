//! Scenarios that look for the highest rate: `limits` raises it until p99 passes a bound, `overload` sends
//! twice that (`verdict.rs` says whether the venue bore it).

use std::io::Write;
use std::time::Duration;

use cli::Failure;
use serde::Serialize;

use super::flags::Flags;
use super::fleet::Drive;
use super::latency::per;
use super::load::{Between, drive, open, other};
use super::machine::{Machine, Versions};
use super::rate_step::Step;
use super::require;
use super::scenario::Scenario;
use super::usage::Usage;
use super::venue::Venue;
use super::verdict::Verdict;

/// From one step to the next.
const GROWTH: f64 = 1.3;
const FIRST_RATE: f64 = 1_000.0;
const RATES_MAX: usize = 30;
/// Of a rate at which p99 passes the bound: something else on the machine may have stopped everything once.
const TRIES: usize = 3;
const STEP: Duration = Duration::from_secs(3);
const STEP_WARM_UP: Duration = Duration::from_millis(500);

/// What p99 may come to where nothing else is asked for. `overload` doubles a rate that cannot be much
/// exceeded: with so many orders under way, p99 is far above 10 ms long before.
const P99_MS: f64 = 10.0;
const OVERLOAD_P99_MS: f64 = 100.0;

/// Connections of `overload`, and what each may have under way: enough that twice the knee's rate arrives,
/// however far the venue is behind.
const OVERLOAD_CLIENTS: u16 = 64;
const OVERLOAD_WINDOW: u16 = 256;

#[derive(Serialize)]
struct Figures<'a> {
    scenario: &'static str,
    #[serde(rename = "loop")]
    loop_kind: &'static str,
    clients: usize,
    durability: &'a str,
    p99_bound_ms: f64,
    knee: Option<&'a Step>,
    /// Twice the knee.
    overload: Option<&'a Step>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<&'a Verdict>,
    steps: &'a [Step],
    #[serde(skip_serializing_if = "Option::is_none")]
    beside: Option<Beside>,
    machine: Machine,
    versions: Versions,
}

/// How far something else came with the same load, right after.
#[derive(Serialize)]
struct Beside {
    url: String,
    knee: Option<Step>,
    steps: Vec<Step>,
}

pub(super) fn limits(flags: &Flags) -> Result<(), Failure> {
    let p99_ms = flags.p99_ms.unwrap_or(P99_MS);
    let search = Search { name: "limits", scenario: &Scenario::REST_MIX, flags, p99_ms };
    let (machine, venue) = begin(flags)?;
    let steps = search.climb(&venue)?;
    let beside = other(flags)?.map(|(url, other)| Beside::of(url, &search, &other)).transpose()?;
    Figures { beside, ..Figures::of(&search, machine, &steps, None) }.tell(flags)
}

/// Over the WebSocket API, where a client that has no answer yet sends on.
pub(super) fn overload(mut flags: Flags) -> Result<(), Failure> {
    flags.clients = flags.clients.max(OVERLOAD_CLIENTS);
    flags.window = OVERLOAD_WINDOW;
    let (flags, p99_ms) = (&flags, flags.p99_ms.unwrap_or(OVERLOAD_P99_MS));
    let search = Search { name: "overload", scenario: &Scenario::PIPELINED, flags, p99_ms };
    let (machine, venue) = begin(flags)?;
    let steps = search.climb(&venue)?;
    let Some(knee) = knee(&steps, p99_ms) else {
        Figures::of(&search, machine, &steps, None).tell(flags)?;
        return Err(Failure::new("there is no knee to double: see above, and --rate and --p99-ms"));
    };
    let overload = search.step(&venue, 2.0 * knee.rate, flags.measured())?;
    let verdict = Verdict::of(knee, &overload);
    let told = Some((&overload, &verdict));
    Figures::of(&search, machine, &steps, told).tell(flags)?;
    verdict.result()
}

fn begin(flags: &Flags) -> Result<(Machine, Venue), Failure> {
    let within = flags.within.clone().unwrap_or_else(std::env::temp_dir);
    let machine = Machine::here(&within);
    Ok((machine, open(flags, &within)?))
}

/// For the highest rate that keeps p99 within a bound.
struct Search<'a> {
    name: &'static str,
    scenario: &'a Scenario,
    flags: &'a Flags,
    p99_ms: f64,
}

impl Search<'_> {
    /// Step by step, up to the first rate that is too much whenever it is tried.
    fn climb(&self, venue: &Venue) -> Result<Vec<Step>, Failure> {
        let first = self.flags.rate.unwrap_or(FIRST_RATE);
        climb_from(first, self.p99_ms, |rate| self.step(venue, rate, STEP))
    }

    fn step(&self, venue: &Venue, rate: f64, measured: Duration) -> Result<Step, Failure> {
        let drive = Drive {
            rate: Some(rate),
            warm_up: STEP_WARM_UP,
            measured,
            ..drive(self.scenario, self.flags, venue)
        };
        let mut usage = Between::default();
        let report = drive.run(&format!("{rate:.0}/s"), |moment| {
            usage.look(moment, venue.process());
            Ok(())
        })?;
        let (total, failed) = (report.total(), report.errors.values().sum::<u64>());
        let usage: Option<Usage> = usage.spent();
        Ok(Step {
            rate,
            orders_per_s: total.orders as f64 / measured.as_secs_f64(),
            success_rate: per(total.orders as f64, total.orders + failed),
            errors: report.errors,
            p50_ms: total.quantile_ms(0.5),
            p99_ms: total.quantile_ms(0.99),
            max_ms: total.max_ms(),
            refused_per_s: report.refused.orders as f64 / measured.as_secs_f64(),
            refused_p50_ms: report.refused.quantile_ms(0.5),
            refused_p99_ms: report.refused.quantile_ms(0.99),
            cores: usage.as_ref().map(|usage| usage.cpu_s / measured.as_secs_f64()),
            threads: usage.map_or_else(Vec::new, |usage| usage.threads),
        })
    }
}

fn climb_from(
    first: f64,
    p99_ms: f64,
    mut step: impl FnMut(f64) -> Result<Step, Failure>,
) -> Result<Vec<Step>, Failure> {
    let (mut steps, mut rate, mut rates, mut tries) = (Vec::new(), first, 0, 0);
    while rates < RATES_MAX && tries < TRIES {
        let step = step(rate)?;
        match step.holds(p99_ms) {
            true => (rate, rates, tries) = (rate * GROWTH, rates + 1, 0),
            false => tries += 1,
        }
        steps.push(step);
    }
    Ok(steps)
}

/// The highest step that held.
fn knee(steps: &[Step], p99_ms: f64) -> Option<&Step> {
    steps.iter().rfind(|step| step.holds(p99_ms))
}

impl Step {
    fn holds(&self, p99_ms: f64) -> bool {
        self.p99_ms <= p99_ms && self.errors.is_empty()
    }

    fn line(&self) -> String {
        let Self { rate, orders_per_s, p50_ms, p99_ms, max_ms, .. } = self;
        let success = self.success_rate * 100.0;
        let cores = self.cores.map_or(String::new(), |cores| format!("{cores:.2}"));
        let busy = self.threads.iter().filter(|thread| thread.cpu_s >= 0.05);
        let busy: Vec<_> =
            busy.map(|thread| format!("{} {:.2} s", thread.name, thread.cpu_s)).collect();
        format!(
            "{rate:>10.0}{orders_per_s:>12.0}{success:>11.3}{p50_ms:>10.3}{p99_ms:>10.3}{max_ms:>10.3}\
             {cores:>8}  {}\n",
            busy.join(", ")
        )
    }
}

impl<'a> Figures<'a> {
    fn of(
        search: &Search<'a>,
        machine: Machine,
        steps: &'a [Step],
        overload: Option<(&'a Step, &'a Verdict)>,
    ) -> Self {
        let Search { name, flags, p99_ms, .. } = *search;
        Self {
            scenario: name,
            loop_kind: "open",
            clients: usize::from(flags.clients),
            durability: flags.durability.name(),
            p99_bound_ms: p99_ms,
            knee: knee(steps, p99_ms),
            overload: overload.map(|(step, _)| step),
            verdict: overload.map(|(_, verdict)| verdict),
            steps,
            beside: None,
            machine,
            versions: Versions::here(),
        }
    }

    fn tell(&self, flags: &Flags) -> Result<(), Failure> {
        let value = serde_json::to_value(self)?;
        let text = if flags.json { format!("{value}\n") } else { self.table() };
        std::io::stdout().write_all(text.as_bytes())?;
        require::check(&flags.require, &value)
    }

    fn table(&self) -> String {
        let mut text = format!(
            "{}, open loop, {} clients, durability {}\n{}\n{}\n{:>10}{:>12}{:>11}{:>10}{:>10}{:>10}{:>8}  threads\n",
            self.scenario,
            self.clients,
            self.durability,
            self.machine.sentence(),
            self.versions.sentence(),
            "rate",
            "answered/s",
            "success %",
            "p50, ms",
            "p99, ms",
            "max, ms",
            "cores",
        );
        self.steps.iter().for_each(|step| text += &step.line());
        text += &self.knee_line(self.knee);
        if let Some(other) = &self.beside {
            text += &format!("beside {}:\n", other.url);
            other.steps.iter().for_each(|step| text += &step.line());
            text += &self.knee_line(other.knee.as_ref());
        }
        if let (Some(overload), Some(verdict)) = (self.overload, self.verdict) {
            text += &overload.line();
            text += &verdict.table(overload);
        }
        text
    }

    fn knee_line(&self, knee: Option<&Step>) -> String {
        let bound = self.p99_bound_ms;
        match knee {
            Some(knee) => format!("knee: {:.0}/s with p99 within {bound} ms\n", knee.rate),
            None => format!("no knee: not even the first step kept p99 within {bound} ms\n"),
        }
    }
}

impl Beside {
    fn of(url: &str, search: &Search<'_>, other: &Venue) -> Result<Self, Failure> {
        let steps = search.climb(other)?;
        Ok(Self { url: url.to_owned(), knee: knee(&steps, search.p99_ms).cloned(), steps })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(rate: f64, p99_ms: f64, errors: &[&str]) -> Step {
        Step {
            rate,
            orders_per_s: rate,
            success_rate: 1.0,
            errors: errors.iter().map(|cause| ((*cause).to_owned(), 1)).collect(),
            p50_ms: 1.0,
            p99_ms,
            max_ms: p99_ms,
            refused_per_s: 0.0,
            refused_p50_ms: 0.0,
            refused_p99_ms: 0.0,
            cores: None,
            threads: Vec::new(),
        }
    }

    #[test]
    fn the_knee_is_the_highest_rate_that_held() {
        let steps = [step(1.0, 5.0, &[]), step(2.0, 9.0, &[]), step(3.0, 11.0, &[])];
        assert_eq!(knee(&steps, 10.0).map(|step| step.rate), Some(2.0));
        assert_eq!(knee(&steps, 4.0).map(|step| step.rate), None);
        let refused = [step(1.0, 5.0, &[]), step(2.0, 5.0, &["full"])];
        assert_eq!(knee(&refused, 10.0).map(|step| step.rate), Some(1.0));
    }

    #[test]
    fn a_rate_is_too_much_that_never_holds() {
        let climbed = |p99_ms: &[f64]| {
            let mut tries = p99_ms.iter();
            let step = |rate| Ok(step(rate, *tries.next().expect("it ends before"), &[]));
            let steps = climb_from(1_000.0, 10.0, step).expect("each step goes well");
            assert_eq!(steps.len(), p99_ms.len());
            knee(&steps, 10.0).map(|step| step.rate)
        };
        assert_eq!(climbed(&[11.0, 11.0, 11.0]), None);
        assert_eq!(climbed(&[11.0, 11.0, 9.0, 11.0, 11.0, 11.0]), Some(1_000.0));
        assert_eq!(climbed(&[9.0, 11.0, 9.0, 11.0, 11.0, 12.0]), Some(1_300.0));
    }
}
