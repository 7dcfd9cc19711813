//! What the clients of an agent count: answers since the last word, and those of the measured time.

use std::time::Duration;

use cli::Failure;

use crate::fleet::emit;
use crate::spec::{Outcome, Word};
use crate::tally::Tally;
use crate::usage;

#[derive(Default)]
pub(crate) struct Score {
    tally: Tally,
    pub(crate) outcome: Outcome,
    /// Answers since the last [`Word::Done`].
    done: u64,
    /// Processor time of the agent at the beginning of the measured time, and at its end.
    cpu_s: f64,
    cpu_end_s: Option<f64>,
}

impl Score {
    /// The measured time begins: what was counted before is dropped.
    pub(crate) fn begin(&mut self) {
        *self = Self { cpu_s: cpu_s(), ..Self::default() };
    }

    pub(crate) fn answered(&mut self, latency: Duration) {
        self.done += 1;
        self.tally.record(latency.as_nanos() as u64, 1);
    }

    /// An answer that does not count, as it or its order was outside the measured time.
    pub(crate) fn answered_outside(&mut self) {
        self.done += 1;
    }

    pub(crate) fn failed(&mut self, cause: &str, orders: u64) {
        if orders > 0 {
            *self.outcome.errors.entry(cause.to_owned()).or_default() += orders;
        }
    }

    pub(crate) fn report(&mut self) -> Result<(), Failure> {
        emit(&Word::Done(std::mem::take(&mut self.done)))
    }

    /// The measured time has ended. Answers to its orders may still come, and count.
    pub(crate) fn over(&mut self) {
        self.cpu_end_s = Some(cpu_s());
    }

    /// The figures of the measured time.
    pub(crate) fn end(&mut self) -> Outcome {
        let mut outcome = std::mem::take(&mut self.outcome);
        outcome.cpu_s = self.cpu_end_s.unwrap_or_else(cpu_s) - self.cpu_s;
        outcome.by_type.insert("limit".to_owned(), std::mem::take(&mut self.tally));
        outcome
    }
}

fn cpu_s() -> f64 {
    usage::cpu_s("self").unwrap_or(0.0)
}
