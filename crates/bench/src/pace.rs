//! The times at which the requests of an open loop are due.

/// A rate, which rises with the clients while they begin one after the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    pub(super) rate: f64,
    pub(super) ramp_s: f64,
}

impl Pace {
    /// The time of request `n`, counted from 0, in seconds after the begin.
    pub(super) fn due_s(self, n: u64) -> f64 {
        let (n, within_ramp) = (n as f64, self.rate * self.ramp_s / 2.0);
        if n < within_ramp {
            (2.0 * self.ramp_s * n / self.rate).sqrt()
        } else {
            self.ramp_s + (n - within_ramp) / self.rate
        }
    }

    /// Requests that are due in the first `seconds`.
    pub(super) fn requests_in(self, seconds: f64) -> u64 {
        let ramping_s = seconds.min(self.ramp_s);
        let is_ramping = ramping_s > 0.0;
        let ramped = self.rate * ramping_s * ramping_s / (2.0 * self.ramp_s);
        let during = if is_ramping { ramped } else { 0.0 };
        (during + self.rate * (seconds - ramping_s)) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pace: Pace, expected: &[(u64, f64)]) {
        for (n, due_s) in expected {
            assert!((pace.due_s(*n) - due_s).abs() < 1e-9, "{n}: {}", pace.due_s(*n));
            assert_eq!(pace.requests_in(*due_s), *n, "in {due_s} s");
        }
    }

    #[test]
    fn requests_are_a_gap_apart() {
        check(Pace { rate: 4.0, ramp_s: 0.0 }, &[(0, 0.0), (1, 0.25), (8, 2.0)]);
    }

    /// Over ten seconds it goes from nothing to 4 a second, 2 on average.
    #[test]
    fn the_rate_rises_as_clients_begin() {
        let pace = Pace { rate: 4.0, ramp_s: 10.0 };
        check(pace, &[(0, 0.0), (5, 5.0), (20, 10.0), (21, 10.25), (60, 20.0)]);
    }
}
