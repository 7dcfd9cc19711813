//! What became of a recording's commands.

use types::Event;

use super::Meaning;

/// Counts over a recording. Quantities are in lots of the venue's instrument.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct MarketTally {
    pub commands: u64,
    /// Orders of the book that the venue refused.
    pub refused: u64,
    /// Cancels and changes of orders that other accounts had taken.
    pub dropped: u64,
    /// The quantity of recorded executions.
    pub executed_lots: u128,
    /// The part of it that found nothing.
    pub divergent_lots: u128,
}

impl MarketTally {
    /// Counts a command by its events.
    pub fn count<'a>(&mut self, meaning: Meaning, events: impl Iterator<Item = &'a Event>) {
        let (mut is_refused, mut found_lots) = (false, 0_u128);
        for event in events {
            match event {
                Event::CommandRejected(_) => is_refused = true,
                Event::TradeExecuted(trade) => found_lots += u128::from(trade.qty.lots()),
                _ => {}
            }
        }
        self.commands += 1;
        match meaning {
            Meaning::Order => self.refused += u64::from(is_refused),
            Meaning::Less => self.dropped += u64::from(is_refused),
            Meaning::Execution(qty) => {
                let lots = u128::from(qty.lots());
                self.executed_lots += lots;
                self.divergent_lots += lots.saturating_sub(found_lots);
            }
            Meaning::Print => {}
        }
    }

    /// The share of executions that found nothing, in percent.
    pub fn divergence_percent(&self) -> f64 {
        if self.executed_lots == 0 {
            return 0.0;
        }
        self.divergent_lots as f64 * 100.0 / self.executed_lots as f64
    }
}
