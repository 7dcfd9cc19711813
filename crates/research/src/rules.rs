//! What the tools that run a strategy have in common on their command lines.

use clap::{Args, ValueEnum};
use strategy::backtest::{Fills, LevelRules, QueueModel};
use strategy::{Fees, RiskLimits};

/// What decides fills in a market by levels.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct Levels {
    /// Queue model of a book by levels: risk-averse, power:N, power2:N, power3:N, log, log2
    #[arg(long, value_name = "MODEL", default_value = "power3:3")]
    queue: QueueModel,
    /// Whether an event fills an order by its quantity, or in full as hftbacktest's first exchange
    #[arg(long, value_enum, default_value_t = FillsArg::Partial)]
    fills: FillsArg,
    /// Time for which a level lacks what an own order took from it
    #[arg(long, value_name = "MS", default_value_t = 1_000)]
    consumed_ms: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FillsArg {
    Partial,
    Full,
}

/// Fees in basis points of the value.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct Rates {
    /// Fee of a resting order, in basis points of the value; negative is a rebate [default: 0, or
    /// live that of the account]
    #[arg(long, value_name = "BPS", allow_hyphen_values = true, value_parser = rate)]
    pub(crate) maker_fee_bps: Option<i64>,
    /// Fee of a taking order
    #[arg(long, value_name = "BPS", allow_hyphen_values = true, value_parser = rate)]
    pub(crate) taker_fee_bps: Option<i64>,
}

/// Limits in front of each strategy.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Lots of one order at most
    #[arg(long, value_name = "LOTS")]
    max_order: Option<u64>,
    /// Lots of a position at most, if all open orders filled
    #[arg(long, value_name = "LOTS")]
    max_position: Option<u64>,
    /// Value of one order at most
    #[arg(long, value_name = "AMOUNT")]
    max_notional: Option<f64>,
    /// Orders in any second at most
    #[arg(long, value_name = "N")]
    max_orders_per_second: Option<u32>,
    /// Stop the strategy when its profit has fallen this much below its highest value
    #[arg(long, value_name = "AMOUNT")]
    max_drawdown: Option<f64>,
}

impl Levels {
    pub(crate) fn rules(self) -> LevelRules {
        LevelRules {
            queue: self.queue,
            fills: match self.fills {
                FillsArg::Partial => Fills::Partial,
                FillsArg::Full => Fills::Full,
            },
            consumed_ns: i64::from(self.consumed_ms) * 1_000_000,
        }
    }
}

impl Limits {
    pub(crate) fn risk(self) -> RiskLimits {
        let Self { max_order, max_position, max_notional, max_orders_per_second, max_drawdown } =
            self;
        RiskLimits {
            order_lots: max_order,
            position_lots: max_position,
            notional: max_notional,
            orders_per_second: max_orders_per_second,
            drawdown: max_drawdown,
        }
    }
}

/// `MAKER,TAKER` in basis points.
pub(crate) fn rates(text: &str) -> Result<Fees, String> {
    let (maker, taker) = text.split_once(',').ok_or("expected MAKER,TAKER in basis points")?;
    Ok(Fees { maker: rate(maker)?, taker: rate(taker)? })
}

/// Basis points with up to four decimals, in 10^-8.
fn rate(text: &str) -> Result<i64, String> {
    let wrong = || "expected basis points with at most four decimals, such as 0.5".to_owned();
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
    let units = types::parse_decimal(digits, 4).ok_or_else(wrong)?;
    let units =
        i64::try_from(units).ok().filter(|units| *units <= 100_000_000).ok_or_else(wrong)?;
    Ok(sign * units)
}
