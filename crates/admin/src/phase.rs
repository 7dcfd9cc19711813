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
    /// Collects orders without trades, and without an indicative price
    PreOpen,
    /// Collects orders for an auction, and publishes its indicative price
    OpeningAuction,
    /// Trades orders on arrival; an auction before it uncrosses
    Continuous,
    /// Like OpeningAuction, during the day
    VolatilityAuction,
    /// Like OpeningAuction, with AtClose orders
    ClosingAuction,
    /// Takes cancels only
    Halt,
    /// Like Halt; Day orders expire
    Closed,
}

mirrored!(PhaseName => Phase: PreOpen, OpeningAuction, Continuous, VolatilityAuction, ClosingAuction, Halt, Closed);
