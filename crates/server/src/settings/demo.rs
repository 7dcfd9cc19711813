//! `[demo]`: the trial venue in an empty folder, and its bots.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Demo {
    pub enabled: bool,
    pub no_bots: bool,
    /// Seed of the bots.
    pub bots_seed: u64,
}

impl Default for Demo {
    fn default() -> Self {
        Self { enabled: false, no_bots: false, bots_seed: 1 }
    }
}
