"""The answers that clients received, and whether a restarted venue agrees with them."""

import asyncio
import collections
import random
from decimal import Decimal

import aiohttp

from venue import DEADLINE_S

NAMES = ("alice", "bob")
SYMBOL = "BTCUSDT"
START = {"USDT": Decimal(1_000_000), "BTC": Decimal(100), "ETH": Decimal(1_000)}
OPEN = ("NEW", "PARTIALLY_FILLED")
# The venue stopped before it could answer.
UNKNOWN = -1007
# The venue had no room on its disk, and did nothing.
REFUSED = -1008


class Ledger:
    """Acknowledged requests, and requests without an answer."""

    def __init__(self):
        self.acknowledged = {}  # (name, order id) -> the last acknowledged state
        self.canceled = set()
        self.fills = {}  # (name, trade id) -> price, qty
        self.unanswered = []  # (name, client order id)
        self.refused = []  # the same
        self.last_order_id = 0
        self.last_trade_id = 0
        self.last_update_id = 0

    def forget_most(self, chance):
        """Orders of a round are checked after the next start; older orders at intervals."""
        keep = chance.sample(sorted(self.acknowledged), min(200, len(self.acknowledged)))
        self.acknowledged = {key: self.acknowledged[key] for key in keep}
        self.unanswered.clear()
        self.refused.clear()


async def send(venue, session, ledger, label):
    """Places, replaces and cancels orders near each other until the venue is gone."""
    chance = random.Random(label)
    name = chance.choice(NAMES)
    mine = []
    for number in range(1_000_000):
        client_id = f"{label}-{number}"
        try:
            if mine and chance.random() < 0.3:
                order_id = mine.pop()
                status, body = await call(
                    venue, session, "DELETE", name, symbol=SYMBOL, orderId=order_id
                )
                assert status == 200 or body["code"] in (UNKNOWN, REFUSED, -2011), body
                if status == 200:
                    ledger.canceled.add((name, order_id))
                    ledger.acknowledged[name, order_id] = body
                continue
            ledger.unanswered.append((name, client_id))
            status, body = await call(
                venue,
                session,
                "POST",
                name,
                symbol=SYMBOL,
                side=chance.choice(("BUY", "SELL")),
                type="LIMIT",
                timeInForce=chance.choice(("GTC", "GTC", "GTC", "IOC")),
                quantity=f"0.000{chance.randint(10, 99)}",
                price=f"{60_000 + chance.randint(-20, 20)}",
                newClientOrderId=client_id,
            )
            if status != 200 and body["code"] == UNKNOWN:
                continue
            ledger.unanswered.remove((name, client_id))
            if status != 200 and body["code"] == REFUSED:
                ledger.refused.append((name, client_id))
                continue
            assert status == 200, body
            order_id = body["orderId"]
            ledger.acknowledged[name, order_id] = body
            ledger.last_order_id = max(ledger.last_order_id, order_id)
            for fill in body["fills"]:
                ledger.fills[name, fill["tradeId"]] = (Decimal(fill["price"]), Decimal(fill["qty"]))
                ledger.last_trade_id = max(ledger.last_trade_id, fill["tradeId"])
            if body["status"] in OPEN:
                mine.append(order_id)
            if number % 16 == 0:
                async with session.get("/api/v3/depth", params={"symbol": SYMBOL}) as answer:
                    depth = await answer.json()
                ledger.last_update_id = max(ledger.last_update_id, depth["lastUpdateId"])
        except (aiohttp.ClientError, ConnectionError):
            return


async def check(venue, session, ledger):
    """Compares the restarted venue with the answers before the restart."""
    total = collections.Counter()
    for name in NAMES:
        trades = await all_trades(venue, session, name)
        open_orders = await get(venue, session, "/api/v3/openOrders", name, symbol=SYMBOL)
        account = await get(venue, session, "/api/v3/account", name)
        check_balances(account, trades, open_orders, total)
        by_id = {trade["id"]: trade for trade in trades}
        for (owner, trade_id), (price, qty) in ledger.fills.items():
            if owner == name:
                trade = by_id[trade_id]
                assert (Decimal(trade["price"]), Decimal(trade["qty"])) == (price, qty)
        filled = collections.Counter()
        for trade in trades:
            filled[trade["orderId"]] += Decimal(trade["qty"])
        await check_orders(venue, session, ledger, name, filled)
    assert total == START, total
    async with session.get("/api/v3/depth", params={"symbol": SYMBOL}) as answer:
        depth = await answer.json()
    assert depth["lastUpdateId"] >= ledger.last_update_id
    ledger.last_update_id = depth["lastUpdateId"]
    if depth["bids"] and depth["asks"]:
        assert Decimal(depth["bids"][0][0]) < Decimal(depth["asks"][0][0])
    # Ids continue without a jump back.
    status, body = await call(
        venue, session, "POST", "alice", symbol=SYMBOL, side="BUY", type="LIMIT",
        timeInForce="GTC", quantity="0.001", price="10000",
    )
    assert status == 200 and body["orderId"] > ledger.last_order_id, body
    ledger.last_order_id = body["orderId"]
    await call(venue, session, "DELETE", "alice", symbol=SYMBOL, orderId=body["orderId"])


def check_balances(account, trades, open_orders, total):
    """Balances are deposits plus trades less fees; the locked part is what open orders hold."""
    owned, locked = dict(START), collections.Counter()
    for trade in trades:
        sign = 1 if trade["isBuyer"] else -1
        owned["BTC"] += sign * Decimal(trade["qty"])
        owned["USDT"] -= sign * Decimal(trade["quoteQty"])
        fee = Decimal(trade["commission"])
        owned[trade["commissionAsset"]] -= fee
        total[trade["commissionAsset"]] += fee / len(NAMES)
    for order in open_orders:
        leaves = Decimal(order["origQty"]) - Decimal(order["executedQty"])
        if order["side"] == "BUY":
            locked["USDT"] += leaves * Decimal(order["price"])
        else:
            locked["BTC"] += leaves
    for balance in account["balances"]:
        free, held = Decimal(balance["free"]), Decimal(balance["locked"])
        assert free >= 0 and held == locked[balance["asset"]], balance
        assert free + held == owned[balance["asset"]], balance
        total[balance["asset"]] += (free + held) / len(NAMES)


async def check_orders(venue, session, ledger, name, filled):
    for (owner, order_id), told in ledger.acknowledged.items():
        if owner != name:
            continue
        now = await get(venue, session, "/api/v3/order", name, symbol=SYMBOL, orderId=order_id)
        assert Decimal(now["executedQty"]) >= Decimal(told["executedQty"]), (told, now)
        assert Decimal(now["executedQty"]) == filled[order_id], (told, now)
        assert now["clientOrderId"] == told.get("origClientOrderId", told["clientOrderId"]), (told, now)
        if told["status"] not in OPEN:
            assert now["status"] == told["status"], (told, now)
        if (name, order_id) in ledger.canceled:
            assert now["status"] == "CANCELED", now
    for owner, client_id in ledger.refused:
        if owner == name:
            _, now = await call(
                venue, session, "GET", name, symbol=SYMBOL, origClientOrderId=client_id
            )
            assert now.get("code") == -2013, now
    for owner, client_id in ledger.unanswered:
        if owner != name:
            continue
        status, now = await call(
            venue, session, "GET", name, symbol=SYMBOL, origClientOrderId=client_id
        )
        # A list is complete, or not there at all.
        if status == 200:
            assert Decimal(now["executedQty"]) == filled[now["orderId"]], now
        else:
            assert now["code"] == -2013, now


async def all_trades(venue, session, name):
    """Both rows of a self-trade have the same id, so a page begins at the id where the last ended."""
    trades, from_id = {}, 0
    while True:
        page = await get(
            venue, session, "/api/v3/myTrades", name, symbol=SYMBOL, fromId=from_id, limit=1000
        )
        trades |= {(trade["id"], trade["isBuyer"]): trade for trade in page}
        if len(page) < 1000:
            return list(trades.values())
        from_id = page[-1]["id"]


async def get(venue, session, path, name, **params):
    """Asks again while history is behind the venue, as the answer says."""
    async with asyncio.timeout(DEADLINE_S):
        while True:
            query = venue.signed(name, **params)
            async with session.get(f"{path}?{query}", headers=venue.header(name)) as answer:
                body = await answer.json()
            if answer.status == 503 and body["code"] == REFUSED:
                continue
            assert answer.status == 200, body
            return body


async def call(venue, session, method, name, **params):
    # Beside other work a request may wait for longer than the 5 s that are the default.
    query = venue.signed(name, **params, recvWindow=60_000)
    path = f"/api/v3/order?{query}"
    async with session.request(method, path, headers=venue.header(name)) as answer:
        return answer.status, await answer.json()
