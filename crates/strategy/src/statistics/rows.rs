//! The rows of a report, under the names that backtesting.py has made known.

use super::{HORIZONS_NS, Returns};
use crate::instrument::Instrument;
use crate::journal::Journal;
use crate::trades::Trades;

/// A figure of a report.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Figure {
    Number(f64),
    Count(u64),
    /// Nanoseconds since 1970 UTC.
    Moment(i64),
    Nanoseconds(i64),
}

/// A named figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub name: &'static str,
    pub figure: Figure,
}

/// The thirty rows of backtesting.py.
pub fn rows(returns: &Returns, trades: &Trades) -> Vec<Row> {
    let number = |name, value| Row { name, figure: Figure::Number(value) };
    let percent = |name, part: f64| number(name, part * 100.0);
    let span = |name, ns| Row { name, figure: Figure::Nanoseconds(ns) };
    let moment = |name, ns| Row { name, figure: Figure::Moment(ns) };
    let gains = &trades.gains;
    let downs = returns.drawdowns.ended(returns.last_ns);
    let hold = trades.last_mark / trades.first_mark - 1.0;
    let beta = returns.beta();
    let n = gains.count as f64;
    let win_rate = gains.wins as f64 / n;
    let mean = gains.money / n;
    let deviation = ((gains.money_squares - mean * gains.money) / (n - 1.0)).max(0.0).sqrt();
    let payoff = (gains.money_won / gains.wins as f64) / (gains.money_lost / gains.losses as f64);
    vec![
        moment("Start", returns.first_ns),
        moment("End", returns.last_ns),
        span("Duration", returns.last_ns - returns.first_ns),
        percent("Exposure Time [%]", trades.exposed as f64 / trades.samples as f64),
        number("Equity Final [$]", returns.last_equity),
        number("Equity Peak [$]", returns.peak),
        percent("Return [%]", returns.total()),
        percent("Buy & Hold Return [%]", hold),
        percent("Return (Ann.) [%]", returns.annual_return()),
        percent("Volatility (Ann.) [%]", returns.annual_volatility()),
        percent("CAGR [%]", returns.growth_a_year()),
        number("Sharpe Ratio", returns.sharpe()),
        number("Sortino Ratio", returns.sortino()),
        number("Calmar Ratio", returns.calmar()),
        percent("Alpha [%]", returns.total() - beta * hold),
        number("Beta", beta),
        percent("Max. Drawdown [%]", 0.0 - downs.max),
        percent("Avg. Drawdown [%]", 0.0 - downs.mean()),
        span("Max. Drawdown Duration", downs.max_ns),
        span("Avg. Drawdown Duration", downs.mean_ns()),
        Row { name: "# Trades", figure: Figure::Count(gains.count) },
        percent("Win Rate [%]", win_rate),
        percent("Best Trade [%]", gains.best()),
        percent("Worst Trade [%]", gains.worst()),
        percent("Avg. Trade [%]", (gains.logs / n).exp() - 1.0),
        span("Max. Trade Duration", gains.max_ns),
        span("Avg. Trade Duration", (gains.sum_ns / i128::from(gains.count.max(1))) as i64),
        number("Profit Factor", gains.won / -gains.lost),
        percent("Expectancy [%]", gains.sum / n),
        number("SQN", n.sqrt() * mean / deviation),
        number("Kelly Criterion", win_rate - (1.0 - win_rate) / -payoff),
    ]
}

/// The rows of a market maker, over all fills.
pub fn maker_rows(journal: &Journal, instruments: &[Instrument]) -> Vec<Row> {
    let totals = &journal.totals;
    let number = |name, value| Row { name, figure: Figure::Number(value) };
    let part = |of: u128, all: u128| of as f64 / all as f64 * 100.0;
    let lot_size = instruments.first().map_or(0.0, Instrument::lot_size);
    let waited_ns = totals.waited_ns / i128::from(totals.maker_fills.max(1));
    let mut rows = vec![
        number("Fill Ratio [%]", part(totals.lots_filled, totals.lots_sent)),
        number("Orders Filled [%]", part(totals.orders_filled.into(), totals.orders.into())),
        number("Maker Share [%]", part(totals.maker_lots, totals.lots_filled)),
        Row { name: "Avg. Queue Wait", figure: Figure::Nanoseconds(waited_ns as i64) },
        number("Avg. Inventory", totals.inventory as f64 / totals.samples.max(1) as f64 * lot_size),
        number("Max. Inventory", totals.inventory_max as f64 * lot_size),
    ];
    let names = ["Mark-out 1 s [bps]", "Mark-out 10 s [bps]", "Mark-out 60 s [bps]"];
    const { assert!(HORIZONS_NS.len() == 3) };
    let marks = names.into_iter().zip(&journal.mark_outs.marks);
    rows.extend(marks.map(|(name, mark)| number(name, mark.bps())));
    rows
}
