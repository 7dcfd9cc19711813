//! The switch for huge pages as a word of a command line.

use clap::ValueEnum;
use serde::Serialize;

#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum HugePages {
    /// The engine asks for them, and the system decides.
    On,
    Off,
}

impl From<HugePages> for server::HugePages {
    fn from(word: HugePages) -> Self {
        match word {
            HugePages::On => Self::On,
            HugePages::Off => Self::Off,
        }
    }
}
