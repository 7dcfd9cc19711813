//! Waits between attempts: twice as long each time, and not the same for all clients, so that they
//! do not come back together.

use std::time::Duration;

const FIRST: Duration = Duration::from_millis(10);
const LONGEST: Duration = Duration::from_secs(2);

#[derive(Debug, Default)]
pub(crate) struct BackOff {
    failed: u32,
}

impl BackOff {
    /// How long to wait before the next attempt: between half of its step and all of it.
    pub(crate) fn next(&mut self) -> Duration {
        let step = FIRST.saturating_mul(1 << self.failed.min(16)).min(LONGEST);
        self.failed += 1;
        let share = random() as u32 % 1_000;
        step / 2 + step / 2 * share / 1_000
    }

    pub(crate) async fn wait(&mut self) {
        tokio::time::sleep(self.next()).await;
    }

    pub(crate) fn succeeded(&mut self) {
        self.failed = 0;
    }
}

/// A random number; from the system, because two clients must not draw the same.
pub(crate) fn random() -> u64 {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).expect("the system has random numbers");
    u64::from_le_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_a_bound_and_begin_anew_after_a_success() {
        let mut back_off = BackOff::default();
        for step_ms in [10, 20, 40, 80, 160, 320, 640, 1_280, 2_000, 2_000] {
            let wait = back_off.next();
            let step = Duration::from_millis(step_ms);
            assert!(wait >= step / 2 && wait <= step, "{wait:?} of {step:?}");
        }
        back_off.succeeded();
        assert!(back_off.next() <= FIRST);
        let waits: Vec<_> = (0..20).map(|_| BackOff { failed: 8 }.next()).collect();
        assert!(waits.iter().any(|wait| *wait != waits[0]), "{waits:?}");
    }
}
