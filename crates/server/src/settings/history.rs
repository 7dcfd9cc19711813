//! `[history]`: how much of the past the read model keeps.

use projection::HistoryRetention;
use serde::{Deserialize, Serialize};

const HOUR_NS: u64 = 3_600 * 1_000_000_000;
const MIB: u64 = 1 << 20;
/// Less is not worth a database.
const BYTES_MIN: u64 = 64 * MIB;

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct History {
    /// `all`, or limits by age and size: `90d`, `36h`, `500mib`, `20gib`, `90d,20gib`.
    pub retention: String,
}

impl Default for History {
    fn default() -> Self {
        Self { retention: "all".into() }
    }
}

impl History {
    pub(super) fn check(&self) -> Result<(), String> {
        self.retention().map(drop)
    }

    pub fn retention(&self) -> Result<HistoryRetention, String> {
        if self.retention == "all" {
            return Ok(HistoryRetention::ALL);
        }
        let refused = || {
            format!(
                "history_retention must be `all`, or an age of at least 1h, a size of at least \
                 64mib, or both, such as `90d,20gib`, and is `{}`",
                self.retention
            )
        };
        let mut kept = HistoryRetention::ALL;
        for limit in self.retention.split(',') {
            let (place, value) = parse(limit.trim()).ok_or_else(refused)?;
            let place = match place {
                Limit::Age => &mut kept.max_age_ns,
                Limit::Size => &mut kept.max_bytes,
            };
            if place.replace(value).is_some() {
                return Err(refused());
            }
        }
        Ok(kept)
    }
}

#[derive(Clone, Copy, Debug)]
enum Limit {
    Age,
    Size,
}

fn parse(text: &str) -> Option<(Limit, u64)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at_checked(digits)?;
    let (limit, unit, least) = match unit {
        "h" => (Limit::Age, HOUR_NS, HOUR_NS),
        "d" => (Limit::Age, 24 * HOUR_NS, HOUR_NS),
        "mib" => (Limit::Size, MIB, BYTES_MIN),
        "gib" => (Limit::Size, MIB << 10, BYTES_MIN),
        _ => return None,
    };
    let value = number.parse::<u64>().ok()?.checked_mul(unit)?;
    (value >= least).then_some((limit, value))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::settings::tests::load;

    #[test]
    fn what_history_keeps_is_set_by_age_and_by_size() {
        let kept = |text: &str| {
            load(json!({ "history_retention": text })).map(|all| all.history.retention().unwrap())
        };
        assert_eq!(load(json!({})).unwrap().history.retention(), Ok(HistoryRetention::ALL));
        assert_eq!(kept("all").unwrap(), HistoryRetention::ALL);
        let (day, gib) = (24 * HOUR_NS, 1 << 30);
        let limits = |max_age_ns, max_bytes| HistoryRetention { max_age_ns, max_bytes };
        assert_eq!(kept("90d").unwrap(), limits(Some(90 * day), None));
        assert_eq!(kept("64mib").unwrap(), limits(None, Some(BYTES_MIN)));
        assert_eq!(kept("20gib, 36h").unwrap(), limits(Some(36 * HOUR_NS), Some(20 * gib)));
        for text in ["", "90", "d", "0h", "63mib", "1d,2d", "90 d", "1y", "all,1d", "99999999999d"]
        {
            let error = kept(text).unwrap_err();
            assert!(error.contains("history_retention must be `all`"), "{error}");
            assert!(error.contains(&format!("and is `{text}`")), "{error}");
        }
    }
}
