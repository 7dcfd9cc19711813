//! How long an acknowledgement may stay out: from the times that others took (RFC 6298).

/// Before the first acknowledgement.
const FIRST_US: u64 = 50_000;
const LEAST_US: u64 = 5_000;
const MOST_US: u64 = 1_000_000;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pace {
    smooth_us: Option<u64>,
    varies_us: u64,
    /// Times in a row that none came.
    late: u32,
}

impl Pace {
    pub(super) fn measured(&mut self, took_us: u64) {
        self.late = 0;
        match self.smooth_us {
            None => (self.smooth_us, self.varies_us) = (Some(took_us), took_us / 2),
            Some(smooth) => {
                self.varies_us = (3 * self.varies_us + smooth.abs_diff(took_us)) / 4;
                self.smooth_us = Some((7 * smooth + took_us) / 8);
            }
        }
    }

    pub(super) fn is_late(&mut self) {
        self.late += 1;
    }

    /// After this time without an acknowledgement, a message is sent again.
    pub(super) fn patience_us(&self) -> u64 {
        let normal = self.smooth_us.map_or(FIRST_US, |smooth| smooth + 4 * self.varies_us);
        (normal.clamp(LEAST_US, MOST_US) << self.late.min(10)).min(MOST_US)
    }

    pub(super) fn smooth_us(&self) -> Option<u64> {
        self.smooth_us
    }
}
