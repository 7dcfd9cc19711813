//! Choices of a command line that more than one command has.

use clap::ValueEnum;
use serde::Serialize;

#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum HugePages {
    /// The engine asks for them, and the system decides.
    On,
    Off,
}

/// What an acknowledged order survives.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Durability {
    /// Loss of power
    Fsync,
    /// The end of the process
    Os,
    /// Nothing
    Memory,
}

impl From<HugePages> for server::HugePages {
    fn from(word: HugePages) -> Self {
        match word {
            HugePages::On => Self::On,
            HugePages::Off => Self::Off,
        }
    }
}

/// A choice as the command line writes it.
pub fn word(choice: &impl ValueEnum) -> String {
    let value = choice.to_possible_value().expect("no choice is skipped");
    value.get_name().to_owned()
}
