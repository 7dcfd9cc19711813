//! `[demo]`: whether an empty folder becomes a trial venue, and its bots.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Demo {
    pub enabled: bool,
    pub no_bots: bool,
    /// What the bots decide by.
    pub bots_seed: u64,
}

impl Default for Demo {
    fn default() -> Self {
        Self { enabled: false, no_bots: false, bots_seed: 1 }
    }
}
