//! Scenarios that search the highest rate: `limits` raises it until p99 passes a bound, `overload`
//! sends twice that rate (`verdict.rs` judges the venue).

use std::time::Duration;

use cli::Failure;

use super::flags::Flags;
use super::load::{open, other, spec};
use super::report::{Report, report};
use super::spec::{Load, Outcome, Spec};
use super::usage;
use super::venue::Venue;
use super::verdict::judge;

/// The factor from one step to the next.
const GROWTH: f64 = 1.3;
const FIRST_RATE: f64 = 1_000.0;
const RATES_MAX: usize = 30;
/// Tries of a rate at which p99 passes the bound: the cause may be a stall of the machine.
const TRIES: usize = 3;
const STEP: Duration = Duration::from_secs(3);
const STEP_WARM_UP: Duration = Duration::from_millis(500);

/// The bounds of p99 without `--p99-ms`. `overload` doubles a rate that cannot be much exceeded:
/// with its number of orders in flight, p99 passes 10 ms at a far lower rate.
const P99_MS: f64 = 10.0;
const OVERLOAD_P99_MS: f64 = 100.0;

/// Connections of `overload`, and requests that each may have under way: enough that twice the
/// knee's rate arrives, however late the venue answers.
const OVERLOAD_CLIENTS: u16 = 64;
const OVERLOAD_WINDOW: u16 = 256;

/// One rate, and the outcome at it.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) rate: f64,
    pub(super) measured: Duration,
    pub(super) outcome: Outcome,
}

pub(super) fn limits(flags: &Flags) -> Result<(), Failure> {
    let p99_ms = flags.p99_ms.unwrap_or(P99_MS);
    let search = Search { name: "limits", load: Load::RestMix, flags, p99_ms };
    let venue = open(flags, flags.clients.into())?;
    let steps = search.climb(&venue)?;
    let mut report = search.report(&venue).with(search.found(&steps));
    if let Some((url, other)) = other(flags)? {
        let steps = search.climb(&other)?;
        report.push("beside", report! { url: url }.with(search.found(&steps)));
    }
    report.print(&flags.output)
}

/// Over the WebSocket API, where a client need not wait for answers.
pub(super) fn overload(mut flags: Flags) -> Result<(), Failure> {
    flags.clients = flags.clients.max(OVERLOAD_CLIENTS);
    flags.window = OVERLOAD_WINDOW;
    let (flags, p99_ms) = (&flags, flags.p99_ms.unwrap_or(OVERLOAD_P99_MS));
    let search = Search { name: "overload", load: Load::WebSocket, flags, p99_ms };
    let venue = open(flags, flags.clients.into())?;
    let steps = search.climb(&venue)?;
    let report = search.report(&venue).with(search.found(&steps));
    let Some(knee) = knee(&steps, p99_ms) else {
        let nothing = report! { overload: Option::<Report>::None };
        report.with(nothing).print(&flags.output)?;
        return Err(Failure::new("there is no knee to double: see above, and --rate and --p99-ms"));
    };
    let overload = search.step(&venue, 2.0 * knee.rate, flags.measured())?;
    let (verdict, result) = judge(knee, &overload);
    let doubled = report! { overload: overload.report(), verdict: verdict };
    report.with(doubled).print(&flags.output)?;
    result
}

/// The search for the highest rate that keeps p99 within a bound.
struct Search<'a> {
    name: &'static str,
    load: Load,
    flags: &'a Flags,
    p99_ms: f64,
}

impl Search<'_> {
    /// Raises the rate step by step, up to the first rate that fails in all tries.
    fn climb(&self, venue: &Venue) -> Result<Vec<Step>, Failure> {
        let first = self.flags.rate.unwrap_or(FIRST_RATE);
        climb_from(first, self.p99_ms, |rate| self.step(venue, rate, STEP))
    }

    fn step(&self, venue: &Venue, rate: f64, measured: Duration) -> Result<Step, Failure> {
        let spec = spec(self.load, self.flags, venue);
        let spec = Spec { rate: Some(rate), warm_up: STEP_WARM_UP, measured, ..spec };
        let outcome = spec.run(&format!("{rate:.0}/s"), |_| Ok(()))?;
        Ok(Step { rate, measured, outcome })
    }

    fn report(&self, venue: &Venue) -> Report {
        let (name, clients) = (self.name, self.flags.clients);
        let durability = self.flags.durability.as_str();
        let load = format!("{name}, open loop, {clients} clients, durability {durability}");
        Report::note("load", load)
            .with(report! {
                scenario: name,
                loop: "open",
                clients: usize::from(clients),
                durability: durability,
            })
            .with(venue.machine.clone())
            .with(report! { p99_bound_ms: self.p99_ms })
    }

    fn found(&self, steps: &[Step]) -> Report {
        let (bound, knee) = (self.p99_ms, knee(steps, self.p99_ms));
        let sentence = match knee {
            Some(knee) => format!("{:.0}/s with p99 within {bound} ms", knee.rate),
            None => format!("no knee: not even the first step kept p99 within {bound} ms"),
        };
        report! { steps: steps.iter().map(Step::report).collect::<Vec<_>>() }
            .with(Report::note("highest that held", sentence))
            .with(report! { knee: knee.map(Step::report) })
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
        if step.holds(p99_ms) {
            (rate, rates, tries) = (rate * GROWTH, rates + 1, 0);
        } else {
            tries += 1;
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
        self.outcome.total().quantile_ms(0.99) <= p99_ms && self.outcome.errors.is_empty()
    }

    pub(super) fn orders_per_s(&self) -> f64 {
        self.outcome.orders_per_s(self.measured)
    }

    /// Orders a second that were answered with an error.
    pub(super) fn refused_per_s(&self) -> f64 {
        self.outcome.refused.orders as f64 / self.measured.as_secs_f64()
    }

    fn report(&self) -> Report {
        let (outcome, usage) = (&self.outcome, self.outcome.usage.as_ref());
        let (total, refused) = (outcome.total(), &outcome.refused);
        report! {
            rate: self.rate,
            orders_per_s: self.orders_per_s(),
            success_rate: outcome.success_rate(),
            p50_ms: total.quantile_ms(0.5),
            p99_ms: total.quantile_ms(0.99),
            max_ms: total.max_ms(),
            refused_per_s: self.refused_per_s(),
            refused_p50_ms: refused.quantile_ms(0.5),
            refused_p99_ms: refused.quantile_ms(0.99),
            // Of the venue alone.
            cores: usage.map(|usage| usage.cpu_s / self.measured.as_secs_f64()),
            errors: &outcome.errors,
            threads: usage::threads(usage),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Orders of one second, which all took `p99_ms`.
    pub(crate) fn step(rate: f64, orders: u64, p99_ms: f64, errors: &[(&str, u64)]) -> Step {
        let mut outcome = Outcome::default();
        let tally = outcome.by_type.entry("limit".to_owned()).or_default();
        tally.record((p99_ms * 1e6) as u64, orders);
        let errors = errors.iter().map(|(cause, count)| ((*cause).to_owned(), *count));
        outcome.errors = errors.collect();
        Step { rate, measured: Duration::from_secs(1), outcome }
    }

    #[test]
    fn the_knee_is_the_highest_rate_that_held() {
        let steps = [step(1.0, 1, 5.0, &[]), step(2.0, 2, 9.0, &[]), step(3.0, 3, 11.0, &[])];
        assert_eq!(knee(&steps, 10.0).map(|step| step.rate), Some(2.0));
        assert_eq!(knee(&steps, 4.0).map(|step| step.rate), None);
        let refused = [step(1.0, 1, 5.0, &[]), step(2.0, 2, 5.0, &[("full", 1)])];
        assert_eq!(knee(&refused, 10.0).map(|step| step.rate), Some(1.0));
    }

    #[test]
    fn a_rate_is_too_much_that_never_holds() {
        let climbed = |p99_ms: &[f64]| {
            let mut tries = p99_ms.iter();
            let step = |rate| Ok(step(rate, 1, *tries.next().expect("it ends before"), &[]));
            let steps = climb_from(1_000.0, 10.0, step).expect("each step goes well");
            assert_eq!(steps.len(), p99_ms.len());
            knee(&steps, 10.0).map(|step| step.rate)
        };
        assert_eq!(climbed(&[11.0, 11.0, 11.0]), None);
        assert_eq!(climbed(&[11.0, 11.0, 9.0, 11.0, 11.0, 11.0]), Some(1_000.0));
        assert_eq!(climbed(&[9.0, 11.0, 9.0, 11.0, 11.0, 12.0]), Some(1_300.0));
    }
}
