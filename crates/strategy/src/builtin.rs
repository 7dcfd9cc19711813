//! The strategies that come with the house, by their names.

mod ema_cross;
mod market_maker;
mod momentum;
mod quote;
mod schedule;
mod slices;
mod triangle;

pub use self::ema_cross::EmaCross;
pub use self::market_maker::MarketMaker;
pub use self::momentum::Momentum;
pub use self::schedule::{Schedule, ScheduleError, Scheduled};
pub use self::slices::Slices;
pub use self::triangle::Triangle;
use crate::param::{Param, ParamError, Values};
use crate::strategy::Strategy;

/// A built-in strategy: its name, description and parameters.
#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    pub name: &'static str,
    pub about: &'static str,
    pub params: &'static [Param],
    /// Whether it decides by bars alone, so that it does nothing without them.
    pub needs_bars: bool,
}

/// All built-in strategies.
pub const BUILTINS: &[Builtin] = &[
    Builtin {
        name: "market-maker",
        about: "Quotes both sides around a price that inventory moves",
        params: market_maker::PARAMS,
        needs_bars: false,
    },
    Builtin {
        name: "momentum",
        about: "Takes in the direction in which the price has moved",
        params: momentum::PARAMS,
        needs_bars: false,
    },
    Builtin {
        name: "ema-cross",
        about: "Holds a position while the fast average of closes is above the slow one",
        params: ema_cross::PARAMS,
        needs_bars: true,
    },
    Builtin {
        name: "twap",
        about: "Trades a quantity in equal slices over a time",
        params: slices::TWAP_PARAMS,
        needs_bars: false,
    },
    Builtin {
        name: "vwap",
        about: "Trades a quantity as a share of what the market trades",
        params: slices::VWAP_PARAMS,
        needs_bars: false,
    },
    Builtin {
        name: "triangular-arbitrage",
        about: "Takes all three sides of a triangle when its product pays",
        params: triangle::PARAMS,
        needs_bars: false,
    },
    Builtin {
        name: "schedule",
        about: "Sends the orders of a file at their times",
        params: schedule::PARAMS,
        needs_bars: false,
    },
];

/// The description of a strategy by its name.
pub fn find(name: &str) -> Option<&'static Builtin> {
    BUILTINS.iter().find(|builtin| builtin.name == name)
}

/// Runs code with a built-in strategy of its own type, so that its call-backs are dispatched
/// statically.
pub trait WithStrategy {
    type Output;

    fn run<S: Strategy + Clone + Send + 'static>(self, strategy: S) -> Self::Output;
}

/// Builds a strategy from its parameters, and gives it to `with`.
pub fn build<W: WithStrategy>(
    name: &str,
    values: &Values,
    with: W,
) -> Result<W::Output, ParamError> {
    match name {
        "market-maker" => Ok(with.run(MarketMaker::new(values)?)),
        "momentum" => Ok(with.run(Momentum::new(values))),
        "ema-cross" => Ok(with.run(EmaCross::new(values)?)),
        "twap" => Ok(with.run(Slices::twap(values))),
        "vwap" => Ok(with.run(Slices::vwap(values))),
        "triangular-arbitrage" => Ok(with.run(Triangle::new(values))),
        "schedule" => Ok(with.run(Schedule::from_values(values)?)),
        _ => Err(unknown(name)),
    }
}

/// The error that lists the strategies there are.
pub(crate) fn unknown(name: &str) -> ParamError {
    let known: Vec<&str> = BUILTINS.iter().map(|builtin| builtin.name).collect();
    let known = known.join(", ");
    ParamError::Together(format!("no strategy is called {name:?}: there are {known}"))
}

/// A strategy whose call-backs are dispatched dynamically, for runs of several.
pub fn boxed(name: &str, values: &Values) -> Result<Box<dyn Strategy + Send>, ParamError> {
    build(name, values, Boxed)
}

struct Boxed;

impl WithStrategy for Boxed {
    type Output = Box<dyn Strategy + Send>;

    fn run<S: Strategy + Clone + Send + 'static>(self, strategy: S) -> Self::Output {
        Box::new(strategy)
    }
}

#[cfg(test)]
mod tests;
