//! The rows of a report, under the names that backtesting.py has made known.

use super::{HORIZONS_NS, Returns};
use crate::account::FEE_UNITS;
use crate::instrument::Instrument;
use crate::journal::Journal;
use crate::trades::{RoundTrip, Trades};

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

/// What round trips gained, as parts of their entries.
#[derive(Clone, Copy, Debug, Default)]
struct Gains {
    count: u64,
    wins: u64,
    sum: f64,
    logs: f64,
    best: f64,
    worst: f64,
    won: f64,
    lost: f64,
    money: f64,
    money_squares: f64,
    money_won: f64,
    money_lost: f64,
    losses: u64,
    max_ns: i64,
    sum_ns: i128,
}

/// The thirty rows of backtesting.py.
pub fn rows(returns: &Returns, trades: &Trades, instruments: &[Instrument]) -> Vec<Row> {
    let number = |name, value| Row { name, figure: Figure::Number(value) };
    let percent = |name, part: f64| number(name, part * 100.0);
    let span = |name, ns| Row { name, figure: Figure::Nanoseconds(ns) };
    let moment = |name, ns| Row { name, figure: Figure::Moment(ns) };
    let gains = Gains::of(trades, instruments);
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
        percent("Best Trade [%]", gains.best),
        percent("Worst Trade [%]", gains.worst),
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

impl Gains {
    fn of(trades: &Trades, instruments: &[Instrument]) -> Self {
        let mut gains = Self { best: f64::NEG_INFINITY, worst: f64::INFINITY, ..Self::default() };
        for trip in &trades.all {
            gains.add(trip, instruments[usize::from(trip.instrument)].unit_value());
        }
        if gains.count == 0 {
            (gains.best, gains.worst) = (f64::NAN, f64::NAN);
        }
        gains
    }

    fn add(&mut self, trip: &RoundTrip, unit_value: f64) {
        let money = (trip.gain() * FEE_UNITS - trip.fees) as f64 / FEE_UNITS as f64;
        let part = money / trip.entry_value as f64;
        let money = money * unit_value;
        self.count += 1;
        self.wins += u64::from(money > 0.0);
        self.losses += u64::from(money < 0.0);
        self.sum += part;
        self.logs += (1.0 + part).max(f64::MIN_POSITIVE).ln();
        self.best = self.best.max(part);
        self.worst = self.worst.min(part);
        self.won += part.max(0.0);
        self.lost += part.min(0.0);
        self.money += money;
        self.money_squares += money * money;
        self.money_won += money.max(0.0);
        self.money_lost += money.min(0.0);
        let lasted_ns = trip.exit_ns - trip.entry_ns;
        self.max_ns = self.max_ns.max(lasted_ns);
        self.sum_ns += i128::from(lasted_ns);
    }
}
