//! The verdict of `overload`: whether the venue bore twice the rate of its knee.

use cli::Failure;

use super::agent::NOT_SENT;
use super::knee::Step;
use super::report::{Figure, Report, report};

/// Part of the orders a second at the knee that must succeed.
const RATIO_MIN: f64 = 0.9;
/// Part of twice the knee's rate that may be left unsent because all clients wait for answers.
const NOT_SENT_MAX: f64 = 0.01;
/// Refusals must arrive within this time: p99.
const AT_ONCE_MS: f64 = 500.0;
/// The venue's error while it is busy.
const BUSY: &str = "503 code:-1008";
/// The errors of a missing answer, the venue's and the client's.
const TIMED_OUT: [&str; 2] = ["504 code:-1007", "no answer"];

/// The figures of the verdict, and its faults as a failure.
pub(super) fn judge(knee: &Step, overload: &Step) -> (Report, Result<(), Failure>) {
    let (mut busy, mut time_outs, mut not_sent, mut other_errors) = (0, 0, 0, 0);
    for (cause, count) in &overload.outcome.errors {
        let is = |name: &&str| cause.starts_with(*name);
        *match cause.as_str() {
            NOT_SENT => &mut not_sent,
            _ if TIMED_OUT.iter().any(is) => &mut time_outs,
            _ if is(&BUSY) => &mut busy,
            _ => &mut other_errors,
        } += count;
    }
    let (succeeded_per_s, refused_per_s) = (overload.orders_per_s(), overload.refused_per_s());
    let sent_per_s = succeeded_per_s + refused_per_s;
    let overload_ratio = succeeded_per_s / knee.orders_per_s();
    let refused_ms = overload.outcome.refused.quantile_ms(0.99);
    let all_faults = [
        (overload_ratio < RATIO_MIN).then(|| {
            let (percent, must) = (overload_ratio * 100.0, RATIO_MIN * 100.0);
            let knee_per_s = knee.orders_per_s();
            format!(
                "{percent:.1} % of the knee's {knee_per_s:.0} orders a second succeeded, and \
                 {must:.0} % must"
            )
        }),
        (sent_per_s < (1.0 - NOT_SENT_MAX) * overload.rate).then(|| {
            let rate = overload.rate;
            format!("{sent_per_s:.0} orders a second were answered of the {rate:.0} that were due")
        }),
        (time_outs > 0).then(|| format!("{time_outs} orders timed out")),
        (other_errors > 0).then(|| format!("{other_errors} errors are not -1008")),
        (refused_ms > AT_ONCE_MS).then(|| {
            format!("refusals took {refused_ms:.0} ms at p99, and {AT_ONCE_MS} ms is the limit")
        }),
    ];
    let faults: Vec<String> = all_faults.into_iter().flatten().collect();
    let (bore_it, sentence) = (faults.is_empty(), faults.join("; "));
    let report = Report::note("", if bore_it { "it bore it" } else { "IT DID NOT BEAR IT" });
    let report = report.with(report! {
        sent_per_s: sent_per_s,
        succeeded_per_s: succeeded_per_s,
        // Of the knee's orders a second.
        overload_ratio: overload_ratio,
        refused_per_s: refused_per_s,
        time_outs: time_outs,
        not_sent: not_sent,
        // Neither the venue's refusals nor time-outs.
        other_errors: other_errors,
        bore_it: Figure::data(bore_it.into()),
        faults: Figure::Short(faults.into(), sentence.clone()),
    });
    if bore_it {
        return (report, Ok(()));
    }
    let failure = format!("the venue did not bear twice its knee's rate: {sentence}");
    (report, Err(Failure::new(failure)))
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
        judged(&step(2_000.0, orders, errors, 400))
    }

    fn judged(overload: &Step) -> String {
        let (report, result) = judge(&step(1_000.0, 1_000, &[], 0), overload);
        let faults = report.value()["faults"].clone();
        let faults: Vec<String> = serde_json::from_value(faults).expect("sentences");
        assert_eq!(result.is_ok(), faults.is_empty());
        faults.join("; ")
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
        let slow = step(2_000.0, 1_999, &[("503 code:-1008", 1)], 501);
        assert!(judged(&slow).starts_with("refusals took 501 ms at p99"));
    }
}
