//! The status of a symbol, in Binance's words.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use types::{Market, Phase, TradingState};

/// Whether a symbol trades, in Binance's words.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SymbolStatus {
    PreTrading,
    Trading,
    /// Never: the day ends with its closing auction.
    PostTrading,
    EndOfDay,
    Halt,
    AuctionMatch,
    /// Delisted.
    Break,
}

impl SymbolStatus {
    pub const fn of(market: &Market) -> Self {
        let TradingState { phase, is_delisted, is_venue_halted, .. } = market.trading;
        match phase {
            _ if is_delisted => Self::Break,
            _ if is_venue_halted => Self::Halt,
            Phase::Continuous => Self::Trading,
            Phase::PreOpen => Self::PreTrading,
            Phase::OpeningAuction | Phase::VolatilityAuction | Phase::ClosingAuction => {
                Self::AuctionMatch
            }
            Phase::Halt => Self::Halt,
            Phase::Closed => Self::EndOfDay,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_phase_has_a_status_and_a_halt_comes_before_it() {
        let of = |phase, is_delisted, is_venue_halted| {
            let trading =
                TradingState { phase, is_delisted, is_venue_halted, ..TradingState::CONTINUOUS };
            SymbolStatus::of(&Market { trading, ..Market::example() })
        };
        let status = |phase| of(phase, false, false);
        assert_eq!(status(Phase::PreOpen), SymbolStatus::PreTrading);
        for phase in [Phase::OpeningAuction, Phase::VolatilityAuction, Phase::ClosingAuction] {
            assert_eq!(status(phase), SymbolStatus::AuctionMatch);
        }
        assert_eq!(status(Phase::Continuous), SymbolStatus::Trading);
        assert_eq!(status(Phase::Halt), SymbolStatus::Halt);
        assert_eq!(status(Phase::Closed), SymbolStatus::EndOfDay);
        let halted = of(Phase::Continuous, false, true);
        assert_eq!(halted, SymbolStatus::Halt);
        assert_eq!(of(Phase::Continuous, true, true), SymbolStatus::Break);
    }
}
