#!/usr/bin/env python3
"""What empyrical and quantstats compute of a fixed equity and fixed trades: figures.py [--write]

Compares it with the golden files in crates/strategy/src/statistics/peers, which the Rust tests read; --write
replaces them. The rows are those whose formulas are the same, or follow from the peers' own figures in the way
that docs/statistics.md states. The series are drawn by a seed and stored, so that no library has to draw them again.
"""

import csv
import pathlib
import sys

import empyrical
import numpy as np
import pandas as pd
import quantstats

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "crates/strategy/src/statistics/peers"
YEAR = 252


def main():
    if "--write" in sys.argv:
        FOLDER.mkdir(exist_ok=True)
        draw()
    found = figures()
    path = FOLDER / "figures.csv"
    if "--write" in sys.argv:
        write(path, ["row", "source", "value"], [(row, source, repr(value)) for row, source, value in found])
        return
    known = [(row, source, float(value)) for row, source, value in read(path)]
    for (row, source, value), expected in zip(found, known, strict=True):
        if (row, source) != expected[:2] or abs(value - expected[2]) > 1e-12 * abs(expected[2]):
            sys.exit(f"{row} by {source} is {value}, and {expected[2]} in {path}")
    print(f"{len(found)} figures of empyrical and quantstats are those of {path}")


def draw():
    """An equity and a market of 300 business days, and 80 round trips of one entry value."""
    random = np.random.default_rng(30)
    days = pd.bdate_range("2024-01-02", periods=300)
    market = random.normal(0.0004, 0.011, 300)
    own = 0.4 * market + random.normal(0.0005, 0.008, 300)
    rows = zip(days, 10_000 * np.cumprod(1 + own), 60_000 * np.cumprod(1 + market))
    write(FOLDER / "equity.csv", ["at_ns", "equity", "mark"],
          [(day.value, repr(float(equity)), repr(float(mark))) for day, equity, mark in rows])
    write(FOLDER / "trades.csv", ["entry", "exit"], [(10_000, 10_000 + int(gain)) for gain in random.normal(12, 150, 80)])


def figures():
    rows = read(FOLDER / "equity.csv")
    days = pd.to_datetime([int(row[0]) for row in rows])
    equity = pd.Series([float(row[1]) for row in rows], index=days)
    mark = pd.Series([float(row[2]) for row in rows], index=days)
    returns, market = equity.pct_change().iloc[1:], mark.pct_change().iloc[1:]
    trades = pd.Series([int(exit_) / int(entry) - 1 for entry, exit_ in read(FOLDER / "trades.csv")],
                       index=pd.bdate_range("2024-01-02", periods=80))
    annual = empyrical.annual_return(returns, annualization=YEAR)
    growth = (1 + annual) ** (1 / YEAR)
    variance = empyrical.annual_volatility(returns, annualization=YEAR) ** 2 / YEAR
    volatility = ((variance + growth**2) ** YEAR - growth ** (2 * YEAR)) ** 0.5
    downside = empyrical.downside_risk(returns, annualization=YEAR)
    stats = quantstats.stats
    return [(row, source, float(value)) for row, source, value in [
        ("Return [%]", "empyrical cum_returns_final", empyrical.cum_returns_final(returns) * 100),
        ("Return [%]", "quantstats comp", stats.comp(returns) * 100),
        ("Buy & Hold Return [%]", "quantstats comp", stats.comp(market) * 100),
        ("Return (Ann.) [%]", "empyrical annual_return", annual * 100),
        ("Volatility (Ann.) [%]", "empyrical annual_volatility and annual_return", volatility * 100),
        ("Sharpe Ratio", "empyrical annual_volatility and annual_return", annual / volatility),
        ("Sortino Ratio", "empyrical annual_return and downside_risk", annual / downside),
        ("Calmar Ratio", "empyrical calmar_ratio", empyrical.calmar_ratio(returns, annualization=YEAR)),
        ("Max. Drawdown [%]", "empyrical max_drawdown", empyrical.max_drawdown(returns) * 100),
        ("Max. Drawdown [%]", "quantstats max_drawdown", stats.max_drawdown(equity) * 100),
        ("Beta", "empyrical beta of logarithmic returns", empyrical.beta(np.log1p(returns), np.log1p(market))),
        ("Win Rate [%]", "quantstats win_rate", stats.win_rate(trades) * 100),
        ("Best Trade [%]", "quantstats best", stats.best(trades) * 100),
        ("Worst Trade [%]", "quantstats worst", stats.worst(trades) * 100),
        ("Avg. Trade [%]", "quantstats geometric_mean", stats.geometric_mean(trades) * 100),
        ("Profit Factor", "quantstats profit_factor", stats.profit_factor(trades)),
        ("Kelly Criterion", "quantstats kelly_criterion", stats.kelly_criterion(trades)),
    ]]


def read(path):
    with open(path, newline="") as lines:
        return list(csv.reader(lines))[1:]


def write(path, header, rows):
    with open(path, "w", newline="") as out:
        csv.writer(out, lineterminator="\n").writerows([header, *rows])


if __name__ == "__main__":
    main()
