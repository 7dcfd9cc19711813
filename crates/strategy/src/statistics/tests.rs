//! The figures of a fixed equity and of fixed trades beside those of empyrical and quantstats.
//! `bench/backtest/figures.py` wrote the files; `make bench-backtest` checks that they still hold.

use super::{Figure, Returns, rows};
use crate::trades::{RoundTrip, Trades};

const EQUITY: &str = include_str!("peers/equity.csv");
const TRADES: &str = include_str!("peers/trades.csv");
const FIGURES: &str = include_str!("peers/figures.csv");

fn lines(table: &str) -> impl Iterator<Item = Vec<&str>> {
    table.lines().skip(1).map(|line| line.split(',').collect())
}

fn trip(entry_value: i128, exit_value: i128) -> RoundTrip {
    RoundTrip {
        instrument: 0,
        lots: 1,
        entry_value,
        exit_value,
        fees: 0,
        entry_ns: 0,
        exit_ns: 0,
        entry_sample: 0,
        exit_sample: 0,
    }
}

#[test]
fn figures_are_those_of_empyrical_and_quantstats() {
    let (mut returns, mut trades) = (Returns::default(), Trades::default());
    for line in lines(EQUITY) {
        let number = |at: usize| line[at].parse::<f64>().unwrap();
        returns.add(line[0].parse().unwrap(), number(1), number(2));
        trades.sample(number(2), 0);
    }
    for line in lines(TRADES) {
        trades.ended(trip(line[0].parse().unwrap(), line[1].parse().unwrap()), 1.0);
    }
    let found = rows(&returns, &trades);
    let mut compared = 0;
    for line in lines(FIGURES) {
        let (name, source) = (line[0], line[1]);
        let expected: f64 = line[2].parse().unwrap();
        let row = found.iter().find(|row| row.name == name);
        let row = row.unwrap_or_else(|| panic!("{name} is missing"));
        let Figure::Number(value) = row.figure else { panic!("{name} is no number") };
        let error = (value - expected).abs() / expected.abs();
        assert!(error < 1e-9, "{name}: {value}, and {expected} by {source}");
        compared += 1;
    }
    assert!(compared > 15, "{compared} figures");
}

#[test]
fn an_hour_has_no_figures_of_a_year_and_no_negative_zero() {
    let (mut returns, mut trades) = (Returns::default(), Trades::default());
    for minute in 0..60 {
        returns.add(minute * 60_000_000_000, 1_000.0 + minute as f64, 10.0);
        trades.sample(10.0, 0);
    }
    let found = rows(&returns, &trades);
    let text = |name: &str| {
        let row = found.iter().find(|row| row.name == name).unwrap();
        let Figure::Number(value) = row.figure else { panic!("{name} is no number") };
        format!("{value:.1}")
    };
    for name in ["Return (Ann.) [%]", "Volatility (Ann.) [%]", "CAGR [%]", "Sharpe Ratio"] {
        assert_eq!(text(name), "NaN", "{name}");
    }
    assert_eq!((text("Return [%]"), text("Max. Drawdown [%]")), ("5.9".into(), "0.0".into()));
}

#[test]
fn round_trips_beyond_those_that_are_kept_count() {
    let (returns, mut trades) = (Returns::default(), Trades::default());
    // The first half loses, the second one wins.
    for number in 0..50_000 {
        trades.ended(trip(100, if number < 25_000 { 99 } else { 102 }), 1.0);
    }
    let found = rows(&returns, &trades);
    let figure = |name: &str| found.iter().find(|row| row.name == name).unwrap().figure;
    assert_eq!(figure("# Trades"), Figure::Count(50_000));
    assert_eq!(figure("Win Rate [%]"), Figure::Number(50.0));
    let Figure::Number(best) = figure("Best Trade [%]") else { panic!("it is a number") };
    assert!((best - 2.0).abs() < 1e-9, "{best}");
    assert!(trades.first.len() < 25_000, "{} take memory", trades.first.len());
}
