//! Whether a venue bore twice the rate of its knee.

use cli::Failure;
use serde_json::Value;

use super::agent::NOT_SENT;
use super::knee::Step;
use super::report::{Figure, Report, report};

/// Of the orders a second at the knee, what must succeed.
const RATIO_MIN: f64 = 0.9;
/// Of twice the knee's rate, what may not have been sent since all clients waited for answers.
const NOT_SENT_MAX: f64 = 0.01;
/// Refusals must arrive within this time: p99.
const AT_ONCE_MS: f64 = 500.0;
/// The venue's own name for it: it is busy.
const BUSY: &str = "503 code:-1008";
/// What only says that no answer came in time, by the venue's name or by the client's.
const TIMED_OUT: [&str; 2] = ["504 code:-1007", "no answer"];

#[derive(Debug)]
pub(super) struct Verdict {
    sent_per_s: f64,
    succeeded_per_s: f64,
    /// Of the knee's orders a second, what succeeded at twice its rate.
    overload_ratio: f64,
    refused_per_s: f64,
    time_outs: u64,
    not_sent: u64,
    /// Errors that are neither the venue's refusal nor a time-out.
    other_errors: u64,
    /// What it did not hold.
    faults: Vec<String>,
}

impl Verdict {
    pub(super) fn of(knee: &Step, overload: &Step) -> Self {
        let mut verdict = Self {
            sent_per_s: overload.orders_per_s() + overload.refused_per_s(),
            succeeded_per_s: overload.orders_per_s(),
            overload_ratio: overload.orders_per_s() / knee.orders_per_s(),
            refused_per_s: overload.refused_per_s(),
            time_outs: 0,
            not_sent: 0,
            other_errors: 0,
            faults: Vec::new(),
        };
        let mut busy = 0;
        for (cause, count) in &overload.outcome.errors {
            let is = |name: &&str| cause.starts_with(*name);
            *match cause.as_str() {
                NOT_SENT => &mut verdict.not_sent,
                _ if TIMED_OUT.iter().any(is) => &mut verdict.time_outs,
                _ if is(&BUSY) => &mut busy,
                _ => &mut verdict.other_errors,
            } += count;
        }
        verdict.faults = verdict.find_faults(knee, overload);
        verdict
    }

    fn find_faults(&self, knee: &Step, overload: &Step) -> Vec<String> {
        let mut faults = Vec::new();
        if self.overload_ratio < RATIO_MIN {
            faults.push(format!(
                "{:.1} % of the knee's {:.0} orders a second succeeded, and {:.0} % must",
                self.overload_ratio * 100.0,
                knee.orders_per_s(),
                RATIO_MIN * 100.0
            ));
        }
        if self.sent_per_s < (1.0 - NOT_SENT_MAX) * overload.rate {
            faults.push(format!(
                "{:.0} orders a second were answered of the {:.0} that were to be sent",
                self.sent_per_s, overload.rate
            ));
        }
        if self.time_outs > 0 {
            faults.push(format!("{} orders timed out", self.time_outs));
        }
        if self.other_errors > 0 {
            faults.push(format!("{} errors are not -1008", self.other_errors));
        }
        let refused_ms = overload.outcome.refused.quantile_ms(0.99);
        if refused_ms > AT_ONCE_MS {
            faults.push(format!(
                "refusals took {refused_ms:.0} ms at p99, and at once is {AT_ONCE_MS} ms"
            ));
        }
        faults
    }

    pub(super) fn result(&self) -> Result<(), Failure> {
        if self.faults.is_empty() {
            return Ok(());
        }
        let faults = self.faults.join("; ");
        Err(Failure::new(format!("the venue did not bear twice its knee's rate: {faults}")))
    }

    pub(super) fn report(&self) -> Report {
        let bore_it = self.faults.is_empty();
        let faults = self.faults.iter().map(|fault| Value::from(fault.as_str()));
        Report::note("", if bore_it { "it bore it" } else { "IT DID NOT BEAR IT" }).with(report! {
            sent_per_s: self.sent_per_s,
            succeeded_per_s: self.succeeded_per_s,
            overload_ratio: self.overload_ratio,
            refused_per_s: self.refused_per_s,
            time_outs: self.time_outs,
            not_sent: self.not_sent,
            other_errors: self.other_errors,
            bore_it: Figure::data(bore_it.into()),
            faults: Figure::Short(faults.collect(), self.faults.join("; ")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::knee;
    use super::*;

    fn step(rate: f64, orders: u64, errors: &[(&str, u64)], refused_ms: u64) -> Step {
        let mut step = knee::tests::step(rate, orders, 5.0, errors);
        let refused = errors.iter().filter(|(cause, _)| *cause != NOT_SENT);
        step.outcome.refused.record(refused_ms * 1_000_000, refused.map(|(_, count)| count).sum());
        step
    }

    /// A second at 2,000 orders, which is twice the knee.
    fn faults(orders: u64, errors: &[(&str, u64)]) -> String {
        let verdict =
            Verdict::of(&step(1_000.0, 1_000, &[], 0), &step(2_000.0, orders, errors, 400));
        assert_eq!(verdict.result().is_ok(), verdict.faults.is_empty());
        verdict.faults.join("; ")
    }

    #[test]
    fn a_venue_bears_it_when_it_refuses_what_it_cannot_do_and_nothing_times_out() {
        let busy = "503 code:-1008,msg:Server is currently overloaded";
        assert_eq!(faults(2_000, &[]), "", "all succeed");
        assert_eq!(faults(900, &[(busy, 1_100)]), "");
        assert!(faults(899, &[(busy, 1_101)]).contains("89.9 % of the knee's 1000 orders"));
        assert!(faults(1_000, &[(busy, 500), (NOT_SENT, 500)]).contains("1500 orders a second"));
        let late = "no answer within 10 s after the end";
        assert_eq!(faults(1_990, &[(late, 10)]), "10 orders timed out");
        assert_eq!(faults(1_990, &[("504 code:-1007", 10)]), "10 orders timed out");
        assert_eq!(faults(1_990, &[("500 code:-1000", 10)]), "10 errors are not -1008");
    }

    #[test]
    fn an_order_that_is_refused_late_was_not_refused_at_once() {
        let knee = step(1_000.0, 1_000, &[], 0);
        let busy = "503 code:-1008";
        let slow = step(2_000.0, 1_999, &[(busy, 1)], 501);
        assert!(Verdict::of(&knee, &slow).faults[0].contains("501 ms at p99"));
    }
}
