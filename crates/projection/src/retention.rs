//! How much of the past is kept.

/// Limits of the read model by age and by size. Candles, instruments and assets are always kept.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct HistoryRetention {
    /// How much older than the last command ended orders and trades may be; `None` for no limit.
    pub max_age_ns: Option<u64>,
    /// Of the rows and indexes in use; `None` for no limit.
    pub max_bytes: Option<u64>,
}

impl HistoryRetention {
    /// Keeps everything.
    pub const ALL: Self = Self { max_age_ns: None, max_bytes: None };
}
