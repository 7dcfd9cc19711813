//! What the tools that run a strategy have in common on their command lines.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use cli::Failure;
use strategy::backtest::{Fills, LevelRules, QueueModel};
use strategy::param::Values;
use strategy::{RiskLimits, builtin};

/// A strategy and its parameters.
#[derive(Args, Clone, Debug)]
pub(crate) struct Choice {
    /// Name of a built-in strategy; `--strategy help` lists them with their parameters
    #[arg(long, value_name = "NAME")]
    pub(crate) strategy: String,
    /// A parameter of the strategy
    #[arg(long, value_name = "KEY=VALUE", value_parser = pair)]
    set: Vec<(String, String)>,
    /// TOML file with parameters, one `key = value` a line; --set comes after it
    #[arg(long, value_name = "FILE")]
    params: Option<PathBuf>,
}

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

/// Limits in front of the strategy.
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

impl Choice {
    /// Whether the list of strategies is asked for.
    pub(crate) fn is_help(&self) -> bool {
        self.strategy == "help"
    }

    pub(crate) fn values(&self) -> Result<Values, Failure> {
        let Some(found) = builtin::find(&self.strategy) else {
            let known: Vec<&str> = builtin::BUILTINS.iter().map(|known| known.name).collect();
            return Err(Failure::fault(format!(
                "no strategy is called {:?}: there are {}",
                self.strategy,
                known.join(", ")
            )));
        };
        let mut values = Values::defaults(found.params);
        let from_file = self.params.as_deref().map(read_params).transpose()?;
        for (key, value) in from_file.iter().flatten().chain(&self.set) {
            values.set(key, value).map_err(|error| Failure::fault(error.to_string()))?;
        }
        Ok(values)
    }
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

/// `key = value` a line; `#` begins a comment. Quotes around a value are dropped.
fn read_params(path: &Path) -> Result<Vec<(String, String)>, Failure> {
    let at_file = |reason: &str| Failure::fault(format!("{}: {reason}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| at_file(&error.to_string()))?;
    let table: toml_edit::DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
        let before = error.span().map_or(0, |span| span.start);
        let line = 1 + text.bytes().take(before).filter(|byte| *byte == b'\n').count();
        let fault: Vec<_> = error.message().lines().collect();
        at_file(&format!("line {line}: {}", fault.join(" ")))
    })?;
    let read = |(key, item): (&str, &toml_edit::Item)| {
        let value = item.as_value()?;
        let text =
            value.as_str().map_or_else(|| value.to_string().trim().to_owned(), str::to_owned);
        Some((key.to_owned(), text))
    };
    let pairs: Option<Vec<_>> = table.iter().map(read).collect();
    pairs.ok_or_else(|| at_file("it has tables, but parameters are values"))
}

fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err("expected KEY=VALUE".to_owned()),
    }
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
