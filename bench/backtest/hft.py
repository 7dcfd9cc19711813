"""Runs the house's plain market maker in hftbacktest: hft.py DATA.csv.gz [--partial] [--queue M] ...

DATA is a book by levels as CSV, or one order by order as `.dbn.zst`. Prints one JSON object with the rate, and writes the fills as CSV where a path is given. The strategy is
line for line that of crates/strategy/src/builtin/market_maker.rs.
"""

import argparse
import gzip
import json
import resource
import time

import databento_dbn
import numpy as np
import zstandard
from hftbacktest import BUY, GTX, LIMIT, SELL, BacktestAsset, HashMapMarketDepthBacktest, ROIVectorMarketDepthBacktest
from hftbacktest.data import correct_event_order, correct_local_timestamp, validate_event_order
from hftbacktest.types import (
    ADD_ORDER_EVENT,
    BUY_EVENT,
    CANCEL_ORDER_EVENT,
    DEPTH_CLEAR_EVENT,
    DEPTH_EVENT,
    DEPTH_SNAPSHOT_EVENT,
    FILL_EVENT,
    MODIFY_ORDER_EVENT,
    SELL_EVENT,
    TRADE_EVENT,
    event_dtype,
)
from numba import njit

KINDS = {"depth": DEPTH_EVENT, "snapshot": DEPTH_SNAPSHOT_EVENT, "clear": DEPTH_CLEAR_EVENT, "trade": TRADE_EVENT}
ACTIONS = {
    "A": ADD_ORDER_EVENT,
    "C": CANCEL_ORDER_EVENT,
    "M": MODIFY_ORDER_EVENT,
    "T": TRADE_EVENT,
    "F": FILL_EVENT,
}
SIDES = {"B": BUY_EVENT, "A": SELL_EVENT, "N": 0}
# The flag of records of a snapshot.
SNAPSHOT = 1 << 5


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("data")
    parser.add_argument("--partial", action="store_true")
    parser.add_argument("--queue", default="power3:3")
    parser.add_argument("--latency-us", type=int, default=10_000)
    parser.add_argument("--interval-ms", type=int, default=100)
    parser.add_argument("--half-spread", type=float, default=5.0)
    parser.add_argument("--skew", type=float, default=1.0)
    parser.add_argument("--max-lots", type=int, default=10)
    parser.add_argument("--tick", type=float, default=0.1)
    parser.add_argument("--lot", type=float, default=0.001)
    parser.add_argument("--range", default="50000..75000", help="the prices of its book")
    parser.add_argument("--maker-fee-bps", type=float, default=0.0)
    parser.add_argument("--passes", type=int, default=1)
    parser.add_argument("--fills")
    arguments = parser.parse_args()

    start = time.perf_counter()
    events = read_orders(arguments.data) if arguments.data.endswith(".dbn.zst") else read_levels(arguments.data)
    count = len(events)
    events = repeat(events, arguments.passes)
    read_s = time.perf_counter() - start
    # Compiled before the measurement.
    start = time.perf_counter()
    trade(backtest(events[:5_000], arguments), *settings(arguments, 100))
    compile_s = time.perf_counter() - start
    bot = backtest(events, arguments)
    room = settings(arguments, 5_000_000)
    start = time.perf_counter()
    fills, ended = trade(bot, *room)
    run_s = time.perf_counter() - start
    state = bot.state_values(0)
    if arguments.fills:
        with open(arguments.fills, "w") as out:
            for side, ticks, qty, exchange_ns in fills:
                out.write(f"{int(side)},{int(ticks)},{int(qty)},{int(exchange_ns)}\n")
    rows = arguments.passes * count
    print(json.dumps({
        "events": rows,
        "events_per_s": rows / run_s,
        "parse_s": read_s,
        "run_s": run_s,
        "compile_s": compile_s,
        "fills": len(fills),
        "ended": ended,  # 1 at the end of the data, else the number of an error.
        "position": state.position,
        "balance": state.balance,
        "fee": state.fee,
        "rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }))


def read_levels(path):
    rows = []
    with gzip.open(path, "rt") as lines:
        next(lines)
        for line in lines:
            exchange_ns, local_ns, kind, side, price, qty = line.split(",")
            flag = KINDS[kind] | (BUY_EVENT if side == "B" else SELL_EVENT)
            rows.append((flag, int(exchange_ns), int(local_ns), float(price), float(qty), 0, 0, 0.0))
    return in_order(rows)


def read_orders(path):
    decoder = databento_dbn.DBNDecoder()
    with open(path, "rb") as file:
        decoder.write(zstandard.ZstdDecompressor().stream_reader(file).read())
    rows = []
    for record in decoder.decode():
        if not isinstance(record, databento_dbn.MBOMsg):
            continue
        local_ns = record.ts_recv
        # The orders of the snapshot keep the times at which they entered: here they enter with it.
        exchange_ns = local_ns if int(record.flags) & SNAPSHOT else record.ts_event
        if not rows:
            # So that the next pass begins with an empty book.
            rows.append((DEPTH_CLEAR_EVENT, local_ns, local_ns, 0.0, 0.0, 0, 0, 0.0))
        flag = ACTIONS[str(record.action)] | SIDES[str(record.side)]
        rows.append((flag, exchange_ns, local_ns, record.price / 1e9, record.size, record.order_id, 0, 0.0))
    return in_order(rows)


def in_order(rows):
    events = np.array(rows, dtype=event_dtype)
    events = correct_local_timestamp(events, 0)
    events = correct_event_order(
        events, np.argsort(events["exch_ts"], kind="mergesort"), np.argsort(events["local_ts"], kind="mergesort")
    )
    validate_event_order(events)
    return events


def repeat(events, passes):
    first = min(events["exch_ts"].min(), events["local_ts"].min())
    last = max(events["exch_ts"].max(), events["local_ts"].max())
    parts = []
    for number in range(passes):
        part = events.copy()
        part["exch_ts"] += number * (last - first + 1)
        part["local_ts"] += number * (last - first + 1)
        parts.append(part)
    return np.concatenate(parts)


def backtest(events, arguments):
    asset = BacktestAsset().data([events]).linear_asset(1.0)
    latency_ns = arguments.latency_us * 1_000
    asset = asset.constant_order_latency(latency_ns, latency_ns)
    name, _, n = arguments.queue.partition(":")
    models = {
        "risk-averse": lambda: asset.risk_adverse_queue_model(),
        "power": lambda: asset.power_prob_queue_model(float(n)),
        "power2": lambda: asset.power_prob_queue_model2(float(n)),
        "power3": lambda: asset.power_prob_queue_model3(float(n)),
        "log": lambda: asset.log_prob_queue_model(),
        "log2": lambda: asset.log_prob_queue_model2(),
        "orders": lambda: asset.l3_fifo_queue_model(),
    }
    asset = models[name]()
    asset = asset.partial_fill_exchange() if arguments.partial else asset.no_partial_fill_exchange()
    asset = asset.trading_value_fee_model(arguments.maker_fee_bps / 1e4, 0.0007)
    # Its fastest book: an array over the range that the strategy needs.
    low, _, high = arguments.range.partition("..")
    asset = asset.tick_size(arguments.tick).lot_size(arguments.lot).last_trades_capacity(0)
    asset = asset.roi_lb(float(low)).roi_ub(float(high))
    return ROIVectorMarketDepthBacktest([asset])


def settings(arguments, fills_max):
    return (
        arguments.tick,
        arguments.lot,
        arguments.interval_ms * 1_000_000,
        arguments.half_spread,
        arguments.skew,
        arguments.max_lots,
        np.zeros((fills_max, 4), dtype=np.int64),
    )


@njit
def trade(hbt, tick, lot, interval_ns, half_spread, skew, max_lots, fills):
    count = 0
    next_id = 1
    bid_id = 0
    ask_id = 0
    while True:
        ended = hbt.elapse(interval_ns)
        if ended != 0:
            break
        # The orders that ended are read before they are forgotten.
        orders = hbt.orders(0)
        values = orders.values()
        while values.has_next():
            order = values.get()
            if order.status == 3:
                fills[count, 0] = order.side
                fills[count, 1] = order.exec_price_tick
                fills[count, 2] = round(order.exec_qty / lot)
                fills[count, 3] = order.exch_timestamp
                count += 1
        hbt.clear_inactive_orders(0)
        depth = hbt.depth(0)
        best_bid = depth.best_bid_tick
        best_ask = depth.best_ask_tick
        if best_bid <= 0 or best_ask > 100_000_000:
            continue
        position = round(hbt.position(0) / lot)
        mid = (best_bid + best_ask) / 2.0
        reservation = mid - skew * position
        bid = min(int(np.floor(reservation - half_spread)), best_bid)
        ask = max(int(np.ceil(reservation + half_spread)), best_ask)
        has_bid = bid > 0 and position + 1 <= max_lots
        has_ask = position - 1 >= -max_lots
        orders = hbt.orders(0)
        if bid_id != 0 and bid_id in orders:
            order = orders.get(bid_id)
            if (not has_bid or order.price_tick != bid) and order.req == 0:
                hbt.cancel(0, bid_id, False)
        elif has_bid:
            bid_id = next_id
            next_id += 1
            hbt.submit_buy_order(0, bid_id, bid * tick, lot, GTX, LIMIT, False)
        orders = hbt.orders(0)
        if ask_id != 0 and ask_id in orders:
            order = orders.get(ask_id)
            if (not has_ask or order.price_tick != ask) and order.req == 0:
                hbt.cancel(0, ask_id, False)
        elif has_ask:
            ask_id = next_id
            next_id += 1
            hbt.submit_sell_order(0, ask_id, ask * tick, lot, GTX, LIMIT, False)
    return fills[:count], ended


if __name__ == "__main__":
    main()
