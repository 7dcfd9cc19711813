"""Kill -9 again and again: what was acknowledged is there, to the last unit.

The venue is killed under load, while it writes snapshots and goes over to new files of the log, which
it does all the time here; while it recovers; and the unacknowledged end of its log is cut anywhere.
BUTTONWOOD_CRASH_ROUNDS sets the number of rounds.
"""

import asyncio
import collections
import os
import random
import signal
import subprocess
from decimal import Decimal

import aiohttp

from venue import BINARY, Venue

ROUNDS = int(os.environ.get("BUTTONWOOD_CRASH_ROUNDS", "20"))
NAMES = ("alice", "bob")
SENDERS = 12
# Small files and frequent snapshots, so that most kills come in the midst of one or the other.
SETTINGS = ("--no-bots", "--snapshot-every", "150", "--log-segment-kib", "16")
# What a round checks grows with what was traded before it: a new venue after so many.
ROUNDS_OF_A_VENUE = 25
RECOVERIES_KILLED = 3
SYMBOL = "BTCUSDT"
START = {"USDT": Decimal(1_000_000), "BTC": Decimal(100), "ETH": Decimal(1_000)}
OPEN = ("NEW", "PARTIALLY_FILLED")


class Ledger:
    """What clients were told, and what they asked without being told."""

    def __init__(self):
        self.acknowledged = {}  # (name, order id) -> the last state that was told
        self.canceled = set()
        self.fills = {}  # (name, trade id) -> price, qty
        self.unanswered = []  # (name, client order id)
        self.last_order_id = 0
        self.last_trade_id = 0
        self.last_update_id = 0


async def test_nothing_acknowledged_is_lost(tmp_path):
    chance = random.Random(7)
    for first in range(0, ROUNDS, ROUNDS_OF_A_VENUE):
        folder = tmp_path / str(first)
        folder.mkdir()
        await survive(folder, range(first, min(first + ROUNDS_OF_A_VENUE, ROUNDS)), chance)


async def survive(folder, rounds, chance):
    ledger = Ledger()
    for round_number in rounds:
        kill_recoveries(folder, chance)
        venue = Venue(folder, *SETTINGS)
        try:
            async with aiohttp.ClientSession(venue.url) as session:
                await check(venue, session, ledger)
                # What this round adds is checked after the next start; older orders now and then.
                keep = chance.sample(sorted(ledger.acknowledged), min(200, len(ledger.acknowledged)))
                ledger.acknowledged = {key: ledger.acknowledged[key] for key in keep}
                ledger.unanswered.clear()
                senders = [
                    asyncio.create_task(send(venue, session, ledger, f"{round_number}-{at}"))
                    for at in range(SENDERS)
                ]
                await asyncio.sleep(chance.uniform(0.3, 1.2))
                os.kill(venue.process.pid, signal.SIGKILL)
                venue.process.wait()
                await asyncio.gather(*senders)
        finally:
            venue.process.kill()
            venue.process.wait()
            venue.stderr.close()
    assert ledger.last_order_id > len(rounds) * 20, "there was hardly any load"
    assert list((folder / "data/snapshots").glob("*.snapshot")), "no snapshot was ever written"
    assert len(list((folder / "data/log").glob("*.log"))) > 3, "the log is in one file still"
    venue = Venue(folder, *SETTINGS)
    async with aiohttp.ClientSession(venue.url) as session:
        await check(venue, session, ledger)
    venue.stop()


def kill_recoveries(folder, chance):
    """Starts the venue and kills it before, or just after, it is ready, a few times."""
    data = folder / "data"
    if not (data / "log").exists():
        return
    for _ in range(chance.randrange(RECOVERIES_KILLED)):
        if chance.random() < 0.5:
            cut_torn_end(data / "log", chance)
        command = [BINARY, "serve", "--demo", "--data", data, "--http", "127.0.0.1:0", *SETTINGS]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            process.wait(chance.uniform(0.001, 0.12))
        except subprocess.TimeoutExpired:
            pass
        finally:
            process.kill()
            process.wait()


def cut_torn_end(log, chance):
    """Leaves some bytes of a frame that never was whole, as an interrupted write does."""
    newest = max(log.glob("*.log"))
    content = newest.read_bytes()
    end = 56  # behind the header of the file, frames follow each other (docs/log.md)
    while content[end : end + 4] == b"BWL1":
        payload_size = int.from_bytes(content[end + 8 : end + 12], "little")
        end += (80 + payload_size + 7) // 8 * 8
    torn = b"BWL1" + chance.randbytes(chance.randrange(200))
    if end + len(torn) < len(content):
        with open(newest, "r+b") as file:
            file.seek(end)
            file.write(torn[: chance.randrange(1, len(torn))])


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
                assert status == 200 or body["code"] == -2011, body
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
            assert status == 200, body
            ledger.unanswered.remove((name, client_id))
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
    """Holds what the restarted venue says against what was told before."""
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
    # Ids go on without a jump back.
    status, body = await call(
        venue, session, "POST", "alice", symbol=SYMBOL, side="BUY", type="LIMIT",
        timeInForce="GTC", quantity="0.001", price="10000",
    )
    assert status == 200 and body["orderId"] > ledger.last_order_id, body
    ledger.last_order_id = body["orderId"]
    await call(venue, session, "DELETE", "alice", symbol=SYMBOL, orderId=body["orderId"])


def check_balances(account, trades, open_orders, total):
    """Balances are what the trades made of the deposits, and locked what open orders hold."""
    owned, locked = dict(START), collections.Counter()
    for trade in trades:
        sign = 1 if trade["isBuyer"] else -1
        owned["BTC"] += sign * Decimal(trade["qty"])
        owned["USDT"] -= sign * Decimal(trade["quoteQty"])
        assert Decimal(trade["commission"]) == 0
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
    for owner, client_id in ledger.unanswered:
        if owner != name:
            continue
        status, now = await call(
            venue, session, "GET", name, symbol=SYMBOL, origClientOrderId=client_id
        )
        # Whole or not there at all.
        if status == 200:
            assert Decimal(now["executedQty"]) == filled[now["orderId"]], now
        else:
            assert now["code"] == -2013, now


async def all_trades(venue, session, name):
    """Both rows of a trade with oneself have the same id, so a page begins where the last ended."""
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
    query = venue.signed(name, **params)
    async with session.get(f"{path}?{query}", headers=venue.header(name)) as answer:
        body = await answer.json()
        assert answer.status == 200, body
        return body


async def call(venue, session, method, name, **params):
    query = venue.signed(name, **params)
    path = f"/api/v3/order?{query}"
    async with session.request(method, path, headers=venue.header(name)) as answer:
        return answer.status, await answer.json()
