//! The phases of an instrument, by the names that operators use.

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use types::Phase;

/// The phases, as docs/matching.md names them.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, Serialize, ValueEnum)]
#[value(rename_all = "PascalCase")]
pub(crate) enum PhaseName {
    /// Orders gather without trading, and without an indicative price
    PreOpen,
    /// Orders gather for one price, which is published as it forms
    OpeningAuction,
    /// Orders trade as they come; an auction that comes before uncrosses
    Continuous,
    /// As the opening auction, in the middle of the day
    VolatilityAuction,
    /// As the opening auction, for AtClose orders too
    ClosingAuction,
    /// Orders can be canceled, and that is all
    Halt,
    /// As in a halt; Day orders expire
    Closed,
}

impl From<PhaseName> for Phase {
    fn from(name: PhaseName) -> Self {
        match name {
            PhaseName::PreOpen => Self::PreOpen,
            PhaseName::OpeningAuction => Self::OpeningAuction,
            PhaseName::Continuous => Self::Continuous,
            PhaseName::VolatilityAuction => Self::VolatilityAuction,
            PhaseName::ClosingAuction => Self::ClosingAuction,
            PhaseName::Halt => Self::Halt,
            PhaseName::Closed => Self::Closed,
        }
    }
}
