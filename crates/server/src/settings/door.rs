//! `[door]`: the wait of requests above which the venue refuses new orders.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A client with a longer wait has given up.
const OVERLOAD_MS_MAX: u64 = 10_000;

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Door {
    /// 0 is no limit.
    pub overload_ms: u64,
    /// Whether the limits of weight hold for addresses of this machine too.
    pub limit_loopback: bool,
}

impl Default for Door {
    fn default() -> Self {
        let overload_ms = gateway::DoorSettings::LATE_AFTER_DEFAULT.as_millis() as u64;
        Self { overload_ms, limit_loopback: false }
    }
}

impl Door {
    pub(super) fn check(&self) -> Result<(), String> {
        if self.overload_ms > OVERLOAD_MS_MAX {
            return Err(format!(
                "overload_ms must be 1 to {OVERLOAD_MS_MAX}, or 0 to refuse nothing, and is {}",
                self.overload_ms
            ));
        }
        Ok(())
    }

    pub(super) fn door_settings(&self) -> gateway::DoorSettings {
        let late_after = (self.overload_ms > 0).then(|| Duration::from_millis(self.overload_ms));
        let loopback_limited = self.limit_loopback;
        gateway::DoorSettings { late_after, loopback_limited, ..gateway::DoorSettings::default() }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::settings::tests::load;

    #[test]
    fn this_machine_is_limited_on_request() {
        let limited = |flags| load(flags).map(|all| all.door.door_settings().loopback_limited);
        assert_eq!(limited(json!({})), Ok(false));
        assert_eq!(limited(json!({ "limit_loopback": true })), Ok(true));
    }

    #[test]
    fn how_long_orders_may_wait_is_set_in_milliseconds_or_not_at_all() {
        let late_after = |flags| load(flags).map(|all| all.door.door_settings().late_after);
        assert_eq!(late_after(json!({})).unwrap(), Some(Duration::from_millis(250)));
        assert_eq!(late_after(json!({ "overload_ms": 0 })).unwrap(), None);
        let longest = late_after(json!({ "overload_ms": 10_000 }));
        assert_eq!(longest.unwrap(), Some(Duration::from_secs(10)));
        let error = late_after(json!({ "overload_ms": 10_001 })).unwrap_err();
        assert!(error.contains("overload_ms must be 1 to 10000"), "{error}");
    }
}
