//! `[log]`: durability of acknowledged orders, and size and retention of the log's segments.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use venue::LogRetention;

const KIB: u64 = 1 << 10;
/// From the least that a segment needs to a size that file systems take well.
const SEGMENT_KIB: std::ops::RangeInclusive<u64> = 4..=16 << 20;

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Log {
    pub durability: Durability,
    /// Size of a segment in KiB.
    pub segment_kib: u64,
    /// `keep`, `delete` or `archive:DIR`.
    pub retention: String,
}

// Doc comments of this type are in the OpenAPI document of the operators' API.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Durability {
    Fsync,
    Os,
    Memory,
}

impl Default for Log {
    fn default() -> Self {
        Self {
            durability: Durability::Fsync,
            segment_kib: venue::Settings::LOG_SEGMENT_SIZE_DEFAULT / KIB,
            retention: "keep".into(),
        }
    }
}

impl Log {
    pub(super) fn check(&self) -> Result<(), String> {
        if !SEGMENT_KIB.contains(&self.segment_kib) {
            let (min, max) = (SEGMENT_KIB.start(), SEGMENT_KIB.end());
            return Err(format!("log_segment_kib must be {min} to {max}"));
        }
        self.retention()?;
        Ok(())
    }

    pub(super) fn segment_size(&self) -> u64 {
        self.segment_kib * KIB
    }

    pub(super) fn durability(&self) -> venue::Durability {
        match self.durability {
            Durability::Fsync => venue::Durability::Fsync,
            Durability::Os => venue::Durability::Os,
            Durability::Memory => venue::Durability::Memory,
        }
    }

    pub(super) fn retention(&self) -> Result<LogRetention, String> {
        let text = &self.retention;
        match text.as_str() {
            "keep" => Ok(LogRetention::Keep),
            "delete" => Ok(LogRetention::Delete),
            _ => match text.strip_prefix("archive:").filter(|dir| !dir.is_empty()) {
                Some(dir) => Ok(LogRetention::Archive(dir.into())),
                None => Err(format!(
                    "log_retention must be `keep`, `delete` or `archive:DIR`, and is `{text}`"
                )),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::settings::tests::load;

    #[test]
    fn what_becomes_of_the_old_log_is_named() {
        let rule = |text: &str| {
            load(json!({ "log_retention": text })).map(|all| all.venue_settings().log_retention)
        };
        let default = load(json!({})).unwrap().venue_settings().log_retention;
        assert_eq!(default, LogRetention::Keep);
        assert_eq!(rule("delete").unwrap(), LogRetention::Delete);
        assert_eq!(rule("archive:/old").unwrap(), LogRetention::Archive("/old".into()));
        for text in ["archive:", "archive", "/old", ""] {
            let error = rule(text).unwrap_err();
            assert!(error.contains("log_retention") && error.contains("archive:DIR"), "{error}");
        }
    }
}
