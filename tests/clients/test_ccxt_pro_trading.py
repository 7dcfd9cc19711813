"""ccxt.pro trades over the WebSocket API and receives the events of its account."""

import asyncio

import ccxt.pro

SYMBOL = "BTC/USDT"


async def test_orders_trades_and_balances_are_told_as_they_change(venue):
    alice, bob = (venue.ccxt(ccxt.pro, name) for name in ("alice", "bob"))
    try:
        before = (await alice.fetch_balance())["BTC"]["total"]
        # The first call subscribes and waits for the next event.
        told = asyncio.create_task(alice.watch_orders(SYMBOL))
        trades = asyncio.create_task(alice.watch_my_trades(SYMBOL))
        balances = asyncio.create_task(alice.watch_balance())
        await asyncio.sleep(1)
        assert not told.done() and not trades.done()

        order = await alice.create_order_ws(SYMBOL, "limit", "buy", 0.01, 60_000)
        assert [o["id"] for o in await asyncio.wait_for(told, 5)] == [order["id"]]
        told = asyncio.create_task(alice.watch_orders(SYMBOL))
        await bob.create_order_ws(SYMBOL, "limit", "sell", 0.004, 60_000)
        [update] = await asyncio.wait_for(told, 5)
        assert (update["id"], update["filled"], update["status"]) == (order["id"], 0.004, "open")
        [trade] = await asyncio.wait_for(trades, 5)
        assert (trade["order"], trade["amount"], trade["takerOrMaker"]) == (
            order["id"], 0.004, "maker",
        )
        balance = await asyncio.wait_for(balances, 5)
        for _ in range(20):
            if balance["BTC"]["total"] > before:
                break
            balance = await asyncio.wait_for(alice.watch_balance(), 5)
        fee = trade["fee"]["cost"] if trade["fee"]["currency"] == "BTC" else 0
        assert abs(balance["BTC"]["total"] - (before + 0.004 - fee)) < 1e-9

        told = asyncio.create_task(alice.watch_orders(SYMBOL))
        await asyncio.sleep(0)
        assert (await alice.fetch_order_ws(order["id"], SYMBOL))["remaining"] == 0.006
        await alice.cancel_order_ws(order["id"], SYMBOL)
        [update] = await asyncio.wait_for(told, 5)
        assert update["status"] == "canceled"
    finally:
        await alice.close()
        await bob.close()
