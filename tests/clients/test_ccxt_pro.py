"""ccxt.pro keeps an order book that equals the venue's own."""

import asyncio
import random

import aiohttp
import ccxt.pro

SYMBOL, NAME = "BTC/USDT", "BTCUSDT"
EVENTS = 100_000
SENDERS = 16
QUOTES = 10


async def test_the_order_book_equals_rest_depth_after_many_events(venue):
    reader = venue.ccxt(ccxt.pro)
    latest = {}

    async def watch():
        while True:
            latest["book"] = await reader.watch_order_book(SYMBOL)

    async with aiohttp.ClientSession(venue.url) as session:
        watching = asyncio.create_task(watch())
        try:
            first = (await depth(session))["lastUpdateId"]
            senders = [trade(venue, session, seed, first + EVENTS) for seed in range(SENDERS)]
            await asyncio.gather(*senders)
            rest = await depth(session)
            assert rest["lastUpdateId"] >= first + EVENTS
            for _ in range(200):
                book = latest.get("book")
                if book and book["nonce"] == rest["lastUpdateId"]:
                    break
                assert not watching.done(), watching.result()
                await asyncio.sleep(0.05)
            for side in ("bids", "asks"):
                expected = [[float(price), float(qty)] for price, qty in rest[side]]
                assert [list(level[:2]) for level in latest["book"][side]] == expected
                assert expected
        finally:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)
            await reader.close()


async def trade(venue, session, seed, until):
    """Moves a few quotes about, at prices where some of them trade."""
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
