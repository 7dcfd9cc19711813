//! `[spool]`: limits of the event spool by size and age.

use serde::{Deserialize, Serialize};
use spool::Retention;

const MIB: u64 = 1 << 20;
const HOUR_NS: u64 = 3_600 * 1_000_000_000;

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Spool {
    pub max_mib: u64,
    /// 0 is no limit.
    pub max_hours: u64,
}

impl Default for Spool {
    fn default() -> Self {
        Self { max_mib: Retention::MAX_BYTES_DEFAULT / MIB, max_hours: 0 }
    }
}

impl Spool {
    pub(super) fn check(&self) -> Result<(), String> {
        self.retention().map(drop)
    }

    pub fn retention(&self) -> Result<Retention, String> {
        let Self { max_mib, max_hours } = *self;
        let max_bytes = max_mib.checked_mul(MIB).filter(|bytes| *bytes >= Retention::MAX_BYTES_MIN);
        let max_bytes = max_bytes.ok_or_else(|| {
            let (min, max) = (Retention::MAX_BYTES_MIN / MIB, u64::MAX / MIB);
            format!("spool_max_mib must be between {min} and {max}, and is {max_mib}")
        })?;
        let max_age_ns = max_hours.checked_mul(HOUR_NS).ok_or_else(|| {
            let max = u64::MAX / HOUR_NS;
            format!("spool_max_hours must be at most {max}, or 0 for no limit, and is {max_hours}")
        })?;
        Ok(Retention { max_bytes, max_age_ns: (max_hours > 0).then_some(max_age_ns) })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::settings::tests::load;

    #[test]
    fn what_the_spool_keeps_is_set_by_size_and_by_age() {
        let kept = |flags: Value| load(flags).map(|all| all.venue_settings().retention);
        assert_eq!(kept(json!({})).unwrap(), Retention::default());
        let both = kept(json!({ "spool_max_mib": 32, "spool_max_hours": 24 })).unwrap();
        assert_eq!(both, Retention { max_bytes: 32 * MIB, max_age_ns: Some(24 * HOUR_NS) });
        for (flag, value) in [("mib", 31), ("mib", u64::MAX), ("hours", 5_124_096)] {
            let error = kept(json!({ format!("spool_max_{flag}"): value })).unwrap_err();
            assert!(error.contains(&format!("spool_max_{flag} must be")), "{error}");
            assert!(error.contains(&value.to_string()), "{error}");
        }
    }
}
