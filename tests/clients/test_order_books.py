"""Order books that clients keep from the depth stream equal the venue's own, though their connections are cut."""

import asyncio
import contextlib
import json
import os
import pathlib
import random

import aiohttp
import ccxt.pro
import pytest
from binance import AsyncClient, BinanceSocketManager, DepthCacheManager

from relay import Relay
from venue import DEADLINE_S, ROOT

SYMBOL, NAME = "BTC/USDT", "BTCUSDT"
SENDERS = 16
QUOTES = 10
HERE = pathlib.Path(__file__).parent
NAUTILUS = ROOT / ".venv-nautilus/bin/python", HERE / "nautilus/order_book.py"
BOOK_BYTES_MAX = 1 << 20


@pytest.mark.parametrize("events,cuts", [(5_000, 1), pytest.param(100_000, 5, marks=pytest.mark.slow)])
async def test_order_books_equal_rest_depth_after_many_events(venue, events, cuts):
    await keep_order_books(venue, events, cuts, [ccxt_pro, depth_cache])


@pytest.mark.slow
async def test_nautilus_trader_keeps_its_order_book_through_many_events(venue):
    """Its adapter (1.221) requests a new snapshot after each reconnect."""
    await keep_order_books(venue, 100_000, 5, [nautilus])


async def keep_order_books(venue, events, cuts, readers):
    """Cuts the readers' connections at intervals; at the end each reader has the venue's book."""
    async with (
        aiohttp.ClientSession(venue.url) as session,
        Relay(venue.url) as relay,
        contextlib.AsyncExitStack() as stack,
    ):
        books = [await stack.enter_async_context(reader(venue, relay)) for reader in readers]
        first = (await depth(session))["lastUpdateId"]
        for part in range(1, cuts + 2):
            until = first + events * part // (cuts + 1)
            await asyncio.gather(*(trade(venue, session, seed, until) for seed in range(SENDERS)))
            async with asyncio.timeout(DEADLINE_S):
                # NautilusTrader does not retry after its first handshake fails.
                while len(relay.open) < len(readers) or not all([any(await kept()) for kept in books]):
                    await asyncio.sleep(0.05)
            if part <= cuts:
                relay.cut()
        assert relay.cuts == cuts * len(readers)
        for kept in books:
            async with asyncio.timeout(DEADLINE_S):
                while await kept() != await sides(session):
                    # A reader that was away sees the gap in the next event.
                    await rest_far_away(venue, session)
                    await asyncio.sleep(0.3)


async def sides(session):
    told = await depth(session)
    return tuple([[float(price), float(qty)] for price, qty in told[side]] for side in ("bids", "asks"))


async def rest_far_away(venue, session):
    order = {"symbol": NAME, "side": "BUY", "type": "LIMIT", "timeInForce": "GTC", "quantity": "1", "price": "100"}
    query = venue.signed("alice", **order)
    async with session.post(f"/api/v3/order?{query}", headers=venue.header("alice")) as answer:
        assert answer.status == 200, await answer.text()


@contextlib.asynccontextmanager
async def in_background(work):
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@contextlib.asynccontextmanager
async def ccxt_pro(venue, relay):
    """Returns a function that returns ccxt.pro's book."""
    reader = venue.ccxt(ccxt.pro)
    reader.urls["api"]["ws"]["spot"] = f"{relay.address}/ws"
    latest = {}

    async def watch():
        while True:
            try:
                latest["book"] = await reader.watch_order_book(SYMBOL)
            except ccxt.NetworkError:
                await asyncio.sleep(0.1)

    async def book():
        found = latest.get("book") or {"bids": [], "asks": []}
        return tuple([list(level[:2]) for level in found[side]] for side in ("bids", "asks"))

    try:
        async with in_background(watch()):
            yield book
    finally:
        await reader.close()


@contextlib.asynccontextmanager
async def depth_cache(venue, relay):
    """Returns a function that returns the book of python-binance's DepthCacheManager."""

    class Client(AsyncClient):
        API_URL = f"{venue.url}/api"

    class SocketManager(BinanceSocketManager):
        STREAM_URL = f"{relay.address}/"

    client = await Client.create()
    manager = DepthCacheManager(client, NAME, bm=SocketManager(client), limit=5000, ws_interval=100)
    async with manager as cache:

        async def watch():
            while True:
                await cache.recv()

        async def book():
            kept = cache.get_depth_cache()
            return kept.get_bids(), kept.get_asks()

        async with in_background(watch()):
            yield book
    await client.close_connection()


@contextlib.asynccontextmanager
async def nautilus(venue, relay):
    """Returns a function that returns the book of NautilusTrader, in an environment of its own."""
    addresses = {
        "BUTTONWOOD_URL": venue.url,
        "BUTTONWOOD_STREAMS_URL": relay.address,
        "BUTTONWOOD_KEYS": str(venue.data / "demo.json"),
    }
    reader = await asyncio.create_subprocess_exec(
        *NAUTILUS,
        env={**os.environ, **addresses},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=BOOK_BYTES_MAX,
    )

    async def book():
        reader.stdin.write(b"book\n")
        return tuple(json.loads(await reader.stdout.readline()))

    try:
        yield book
        reader.stdin.close()
        async with asyncio.timeout(DEADLINE_S):
            assert await reader.wait() == 0
    finally:
        if reader.returncode is None:
            reader.kill()


async def trade(venue, session, seed, until):
    """Moves a few quotes, to prices where some of them trade."""
    chance = random.Random(seed)
    name = ("alice", "bob")[seed % 2]
    resting = []
    while True:
        order = {
            "symbol": NAME,
            "side": chance.choice(("BUY", "SELL")),
            "type": "LIMIT",
            "timeInForce": "GTC",
            "quantity": f"0.00{chance.randint(100, 999)}",
            "price": f"{60_000 + chance.randint(-300, 300)}.{chance.randint(0, 99):02}",
            "newOrderRespType": "RESULT",
        }
        path = "/api/v3/order"
        if len(resting) == QUOTES:
            moved = resting.pop(chance.randrange(QUOTES))
            order |= {"cancelReplaceMode": "ALLOW_FAILURE", "cancelOrderId": moved}
            path = "/api/v3/order/cancelReplace"
        query = venue.signed(name, **order)
        async with session.post(f"{path}?{query}", headers=venue.header(name)) as answer:
            body = await answer.json()
        done = body.get("newOrderResponse") or body.get("data", {}).get("newOrderResponse") or body
        assert "orderId" in done, body
        if done["status"] in ("NEW", "PARTIALLY_FILLED"):
            resting.append(done["orderId"])
        if chance.random() < 0.05 and (await depth(session, 5))["lastUpdateId"] >= until:
            return


async def depth(session, limit=5000):
    async with session.get("/api/v3/depth", params={"symbol": NAME, "limit": limit}) as answer:
        return await answer.json()
