//! When the orders of an open loop are due.

use std::time::{Duration, Instant};

use crate::pace::Pace;
use crate::spec::{Load, Spec};

/// The orders of an open loop. Clients send them in batches, each when its last order is due.
pub(super) struct Schedule {
    pace: Pace,
    batch: u64,
    begin: Instant,
    end: Instant,
    sent: u64,
}

impl Schedule {
    /// `None` if the loop is closed.
    pub(super) fn new(spec: &Spec, begin: Instant) -> Option<Self> {
        let (Load::Ouch { batch } | Load::OuchEcho { batch }) = spec.load else { return None };
        Some(Self {
            pace: Pace { rate: spec.rate?, ramp_s: 0.0 },
            batch: u64::from(batch).min(spec.window as u64),
            begin,
            end: begin + spec.warm_up + spec.measured,
            sent: 0,
        })
    }

    /// The moment of the next batch, unless it is after the end.
    pub(super) fn next(&self) -> Option<Instant> {
        Some(self.due(self.sent + self.batch - 1)).filter(|due| *due < self.end)
    }

    /// Takes the next batch: the moments at which its orders are due.
    pub(super) fn take(&mut self) -> Vec<Instant> {
        let batch = self.sent..self.sent + self.batch;
        self.sent = batch.end;
        batch.map(|n| self.due(n)).collect()
    }

    /// Orders that were due before the end, and not sent.
    pub(super) fn unsent(&self) -> u64 {
        let due = self.pace.requests_in((self.end - self.begin).as_secs_f64());
        (due / self.batch * self.batch).saturating_sub(self.sent)
    }

    fn due(&self, n: u64) -> Instant {
        self.begin + Duration::from_secs_f64(self.pace.due_s(n))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Key;

    #[test]
    fn a_batch_is_due_with_its_last_order_and_counts_as_unsent_until_it_is_taken() {
        let key = Key { api_key: "key".into(), secret_key: "secret".into() };
        let spec = Spec {
            address: String::new(),
            load: Load::Ouch { batch: 4 },
            keys: vec![key],
            agents: 1,
            rate: Some(10.0),
            window: 8,
            seed: 1,
            warm_up: Duration::from_secs(1),
            measured: Duration::from_secs(1),
            requests_max: None,
            ramp: Duration::ZERO,
            process: None,
        };
        let begin = Instant::now();
        let at = |ms| begin + Duration::from_millis(ms);
        let mut schedule = Schedule::new(&spec, begin).expect("it has a rate");
        assert_eq!(schedule.next(), Some(at(300)));
        assert_eq!(schedule.unsent(), 20);
        assert_eq!(schedule.take(), [at(0), at(100), at(200), at(300)]);
        assert_eq!((schedule.next(), schedule.unsent()), (Some(at(700)), 16));
        (0..4).for_each(|_| drop(schedule.take()));
        assert_eq!((schedule.next(), schedule.unsent()), (None, 0), "the end is after 2 s");
        assert!(Schedule::new(&Spec { rate: None, ..spec }, begin).is_none(), "a closed loop");
    }
}
