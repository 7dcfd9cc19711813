//! The phases of an instrument, by the names that operators use.

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use types::Phase;

use super::value::mirrored;

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

mirrored!(PhaseName => Phase: PreOpen, OpeningAuction, Continuous, VolatilityAuction, ClosingAuction, Halt, Closed);
