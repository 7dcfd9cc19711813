"""Runs an EMA cross over bars in vectorbt or backtesting.py: bars.py PEER FILE [--repeat N].

Prints one JSON object. A cross is decided at a close and traded at the next open, with one lot, as in
crates/strategy/src/builtin/ema_cross.rs. Bars are repeated with their times moved on.
"""

import argparse
import json
import time

import numpy as np
import pandas as pd


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("peer", choices=["vectorbt", "backtesting"])
    parser.add_argument("data")
    parser.add_argument("--rows", type=int, default=0)
    parser.add_argument("--fast", type=int, default=10)
    parser.add_argument("--slow", type=int, default=30)
    parser.add_argument("--cash", type=float, default=1_000_000.0)
    parser.add_argument("--trades")
    parser.add_argument("--statistics", help="backtesting.py: file for its rows as name,value")
    arguments = parser.parse_args()
    start = time.perf_counter()
    bars = read(arguments.data, arguments.rows)
    parse_s = time.perf_counter() - start
    run = {"vectorbt": with_vectorbt, "backtesting": with_backtesting}[arguments.peer]
    run(bars[:500], arguments)  # Compiled before the measurement.
    start = time.perf_counter()
    equity, trades = run(bars, arguments)
    run_s = time.perf_counter() - start
    if arguments.trades:
        with open(arguments.trades, "w") as out:
            out.writelines(f"{entry:.2f},{exit_:.2f}\n" for entry, exit_ in trades)
    print(json.dumps({
        "events": len(bars), "events_per_s": len(bars) / run_s, "parse_s": parse_s, "run_s": run_s,
        "trades": len(trades), "equity": equity,
    }))


def read(path, rows):
    frame = pd.read_csv(path)
    frame.columns = [name.lower() for name in frame.columns]
    times = frame["timestamp"]
    frame = frame[["open", "high", "low", "close", "volume"]].astype(float)
    if rows:
        frame = pd.concat([frame] * (rows // len(frame) + 1))[:rows]
        frame.index = pd.date_range("2024-01-01", periods=len(frame), freq="min")
    else:
        frame.index = pd.to_datetime(times, unit="ms" if times.dtype.kind == "i" else None)
    return frame.rename(columns=str.capitalize)


def averages(close, arguments):
    series = pd.Series(close)
    fast = series.ewm(span=arguments.fast, adjust=False).mean().to_numpy()
    slow = series.ewm(span=arguments.slow, adjust=False).mean().to_numpy()
    return fast, slow


def with_vectorbt(bars, arguments):
    import vectorbt

    fast, slow = averages(bars["Close"].to_numpy(), arguments)
    above = fast > slow
    entries = np.zeros(len(bars), dtype=bool)
    exits = np.zeros(len(bars), dtype=bool)
    entries[1:] = above[1:] & ~above[:-1]
    exits[1:] = ~above[1:] & above[:-1]
    # The order of a cross is that of the next bar, at its open.
    entries, exits = np.roll(entries, 1), np.roll(exits, 1)
    entries[0] = exits[0] = False
    portfolio = vectorbt.Portfolio.from_signals(
        bars["Close"], entries, exits, price=bars["Open"], size=1.0, init_cash=arguments.cash, freq="1min"
    )
    records = portfolio.trades.records
    closed = records[records["status"] == 1]
    return float(portfolio.final_value()), list(zip(closed["entry_price"], closed["exit_price"]))


def with_backtesting(bars, arguments):
    from backtesting import Backtest, Strategy

    class EmaCross(Strategy):
        def init(self):
            fast, slow = averages(self.data.Close, arguments)
            self.fast = self.I(lambda: fast, name="fast")
            self.slow = self.I(lambda: slow, name="slow")

        def next(self):
            above, before = self.fast[-1] > self.slow[-1], self.fast[-2] > self.slow[-2]
            if above and not before:
                self.buy(size=1)
            elif before and not above:
                self.position.close()

    result = Backtest(bars, EmaCross, cash=arguments.cash, finalize_trades=False).run()
    trades = result["_trades"]
    if arguments.statistics:
        with open(arguments.statistics, "w") as out:
            for name, value in result.items():
                if name.startswith("_"):
                    continue
                if isinstance(value, (pd.Timestamp, pd.Timedelta)):
                    value = value.as_unit("ns").value
                out.write(f"{name},{float(value)!r}\n")
    return float(result["Equity Final [$]"]), list(zip(trades["EntryPrice"], trades["ExitPrice"]))


if __name__ == "__main__":
    main()
