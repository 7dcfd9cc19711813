"""The matcher of the usual stack: takes orders off the Redis list, matches them by price and time in
memory, and publishes the result of each. It stores nothing on disk."""

import os
import time
from collections import deque
from decimal import Decimal

import orjson
import redis
from sortedcontainers import SortedDict

ORDERS = "orders"
# The largest number of orders that one call takes off the list.
BATCH = 100


class Book:
    """Prices in hundredths, quantities in hundredths; each level a queue of [order id, quantity]."""

    def __init__(self):
        # Bids by negated price, so that the best comes first on either side.
        self.levels = {"BUY": SortedDict(), "SELL": SortedDict()}
        self.last_order = 0
        self.last_trade = 0

    def place(self, order: dict) -> dict:
        self.last_order += 1
        side, other = order["side"], "SELL" if order["side"] == "BUY" else "BUY"
        quantity = hundredths(order["quantity"])
        limit = hundredths(order["price"]) if order["type"] == "LIMIT" else None
        time_in_force = order["timeInForce"] if limit is not None else "IOC"
        fills, left = [], quantity
        if time_in_force != "FOK" or self.available(side, other, limit) >= quantity:
            fills, left = self.match(side, other, limit, quantity)
        if left and time_in_force == "GTC":
            key = -limit if side == "BUY" else limit
            self.levels[side].setdefault(key, deque()).append([self.last_order, left])
        return self.report(order, quantity, left, time_in_force, fills)

    def crosses(self, side: str, limit: int | None, price: int) -> bool:
        return limit is None or (price <= limit if side == "BUY" else price >= limit)

    def available(self, side: str, other: str, limit: int | None) -> int:
        total = 0
        for key, queue in self.levels[other].items():
            if not self.crosses(side, limit, abs(key)):
                break
            total += sum(quantity for _, quantity in queue)
        return total

    def match(self, side: str, other: str, limit: int | None, left: int) -> tuple[list, int]:
        fills, levels = [], self.levels[other]
        while left and levels:
            key, queue = levels.peekitem(0)
            if not self.crosses(side, limit, abs(key)):
                break
            resting = queue[0]
            taken = min(left, resting[1])
            left -= taken
            resting[1] -= taken
            self.last_trade += 1
            fills.append({"price": text(abs(key)), "qty": text(taken), "tradeId": self.last_trade})
            if not resting[1]:
                queue.popleft()
                if not queue:
                    del levels[key]
        return fills, left

    def report(self, order, quantity, left, time_in_force, fills) -> dict:
        if not left:
            status = "FILLED"
        elif time_in_force == "GTC":
            status = "PARTIALLY_FILLED" if fills else "NEW"
        else:
            status = "EXPIRED"
        return {
            "request": order["request"],
            "symbol": "BTCUSDT",
            "orderId": self.last_order,
            "clientOrderId": order["clientOrderId"],
            "transactTime": int(time.time() * 1000),
            "price": order["price"] or "0.00",
            "origQty": text(quantity),
            "executedQty": text(quantity - left),
            "status": status,
            "timeInForce": time_in_force,
            "type": order["type"],
            "side": order["side"],
            "fills": fills,
        }


def hundredths(decimal: str) -> int:
    return int(Decimal(decimal) * 100)


def text(amount: int) -> str:
    return f"{amount // 100}.{amount % 100:02}"


def main():
    # An order may take long to arrive.
    store = redis.from_url(os.environ["BASELINE_REDIS"], socket_timeout=None)
    book = Book()
    while True:
        first = store.blpop(ORDERS, timeout=0)[1]
        more = store.lpop(ORDERS, BATCH) or []
        pipeline = store.pipeline(transaction=False)
        for order in map(orjson.loads, [first, *more]):
            pipeline.publish(order["channel"], orjson.dumps(book.place(order)))
        pipeline.execute()


if __name__ == "__main__":
    main()
