"""Makes the sample data beside it from a seed: a random market, as orders, as levels and as bars.

    python3 examples/data/make.py

The same bytes come out each time. No real market is in them.
"""

import gzip
import io
import pathlib
import random

FOLDER = pathlib.Path(__file__).resolve().parent
SEED = 1792
START_NS = 1_704_205_800_000_000_000  # 2024-01-02 14:30 UTC, 09:30 in New York
SECONDS = 120
BARS = 2_000


def main():
    orders, levels = market(random.Random(SEED))
    write("l3_2024-01-02_message.csv.gz", "\n".join(orders) + "\n")
    write("l2.csv.gz", "exch_ts_ns,local_ts_ns,kind,side,price,qty\n" + "\n".join(levels) + "\n")
    write("bars.csv.gz", "timestamp,open,high,low,close,volume\n" + "\n".join(bars(random.Random(SEED))) + "\n")


def write(name, text):
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", filename="", mtime=0) as out:
        out.write(text.encode())
    (FOLDER / name).write_bytes(packed.getvalue())


def market(draw):
    """Orders around a price that wanders, as LOBSTER messages, and the levels that they make."""
    book = {1: {}, -1: {}}  # Orders by id, with price in cents and size, for buys and sells.
    orders, levels = [], []
    fair = 10_000.0
    now = 0.0
    next_id = 1

    def total(side, price):
        return sum(size for at, size in book[side].values() if at == price)

    def best(side):
        prices = [price for price, _ in book[side].values()]
        return (max(prices) if side == 1 else min(prices)) if prices else None

    def level(side, price):
        at = START_NS + int(now * 1e9)
        line = f"{at},{at + draw.randrange(200_000, 900_000)},depth,{'B' if side == 1 else 'S'}"
        levels.append(f"{line},{price / 100:.2f},{total(side, price)}")

    def message(kind, order, size, price, side):
        orders.append(f"{34_200 + now:.9f},{kind},{order},{size},{price * 100},{side}")

    while now < SECONDS:
        now += draw.expovariate(100)
        fair += draw.gauss(0, 0.12)
        side = draw.choice((1, -1))
        choice = draw.random()
        if choice < 0.55 or len(book[side]) < 20:
            price = round(fair) - side * (1 + int(draw.expovariate(0.4)))
            other = best(-side)
            if other is not None and (price - other) * side >= 0:
                price = other - side
            size = draw.randrange(1, 9)
            book[side][next_id] = (price, size)
            message(1, next_id, size, price, side)
            next_id += 1
            level(side, price)
        elif choice < 0.90:
            order = draw.choice(sorted(book[side]))
            price, size = book[side].pop(order)
            message(3, order, size, price, side)
            level(side, price)
        else:
            # An aggressor takes from the oldest orders at the best price.
            left = draw.randrange(1, 12)
            price = best(side)
            for order in sorted(order for order, (at, _) in book[side].items() if at == price):
                if left == 0:
                    break
                size = book[side][order][1]
                taken = min(left, size)
                left -= taken
                if taken == size:
                    del book[side][order]
                else:
                    book[side][order] = (price, size - taken)
                message(4, order, taken, price, side)
                at = START_NS + int(now * 1e9)
                aggressor = "S" if side == 1 else "B"
                levels.append(f"{at},{at + 500_000},trade,{aggressor},{price / 100:.2f},{taken}")
            level(side, price)
    return orders, levels


def bars(draw):
    price = 10_000
    for number in range(BARS):
        prices = [price]
        for _ in range(20):
            prices.append(max(1, prices[-1] + round(draw.gauss(0.05, 6))))
        cents = [f"{value / 100:.2f}" for value in (prices[0], max(prices), min(prices), prices[-1])]
        yield f"{START_NS // 1_000_000 + number * 900_000},{','.join(cents)},{draw.randrange(100, 2_000)}"
        price = prices[-1] + draw.randrange(-2, 3)


if __name__ == "__main__":
    main()
