"""python-binance, unchanged except for its addresses."""

import asyncio

import pytest
from binance import AsyncClient, BinanceSocketManager, DepthCacheManager
from binance.exceptions import BinanceAPIException

SYMBOL = "BTCUSDT"
LIMIT = {"symbol": SYMBOL, "side": "BUY", "type": "LIMIT", "timeInForce": "GTC", "quantity": "0.5", "price": "60000"}


async def connect(venue, name):
    class Client(AsyncClient):
        API_URL = f"{venue.url}/api"
        MARGIN_API_URL = f"{venue.url}/sapi"
        WS_API_URL = f"{venue.socket}/ws-api/v3"

    keys = venue.keys[name]
    return await Client.create(keys["api_key"], keys["secret_key"])


def streams(venue, client):
    class SocketManager(BinanceSocketManager):
        STREAM_URL = f"{venue.socket}/"

    return SocketManager(client)


async def test_life_of_an_order(venue):
    client, other = await connect(venue, "alice"), await connect(venue, "bob")
    try:
        assert (await client.get_symbol_info(SYMBOL))["status"] == "TRADING"
        assert (await client.get_order_book(symbol=SYMBOL))["bids"] == []
        async with streams(venue, client).user_socket() as user:
            await live(client, other)
            told = [await asyncio.wait_for(report(user), 10) for _ in range(13)]
        assert told[:4] == ["BUY LIMIT NEW", "BUY LIMIT TRADE", "BUY LIMIT CANCELED", "BUY LIMIT NEW"]
    finally:
        await client.close_connection()
        await other.close_connection()


async def live(client, other):
    first = await client.create_order(**LIMIT, newClientOrderId="first")
    assert (first["status"], first["clientOrderId"]) == ("NEW", "first")
    sold = await other.order_market_sell(symbol=SYMBOL, quantity="0.1")
    assert (sold["status"], sold["fills"][0]["price"]) == ("FILLED", "60000.00000000")
    found = await client.get_order(symbol=SYMBOL, orderId=first["orderId"])
    assert (found["status"], found["executedQty"]) == ("PARTIALLY_FILLED", "0.10000000")

    changed = {**LIMIT, "price": "59000", "cancelReplaceMode": "STOP_ON_FAILURE"}
    replaced = await client.cancel_replace_order(**changed, cancelOrderId=first["orderId"])
    assert (replaced["cancelResult"], replaced["newOrderResult"]) == ("SUCCESS", "SUCCESS")
    stop = {"side": "SELL", "type": "STOP_LOSS_LIMIT", "price": "49000", "stopPrice": "50000"}
    await client.create_order(**{**LIMIT, **stop})
    oco = await client.create_oco_order(
        symbol=SYMBOL, side="SELL", quantity="0.2",
        aboveType="LIMIT_MAKER", abovePrice="70000", belowType="STOP_LOSS", belowStopPrice="50000",
    )
    assert len(oco["orderReports"]) == 2
    assert len(await client.get_open_orders(symbol=SYMBOL)) == 4
    await client.v3_delete_order_list(symbol=SYMBOL, orderListId=oco["orderListId"])
    await client.cancel_order(symbol=SYMBOL, orderId=replaced["newOrderResponse"]["orderId"])
    await client.cancel_all_open_orders(symbol=SYMBOL)
    assert await client.get_open_orders(symbol=SYMBOL) == []

    assert len(await client.get_all_orders(symbol=SYMBOL)) == 5
    assert (await client.get_my_trades(symbol=SYMBOL))[0]["isMaker"] is True
    assert (await client.get_asset_balance("BTC"))["locked"] == "0.00000000"
    with pytest.raises(BinanceAPIException) as caught:
        await client.cancel_order(symbol=SYMBOL, orderId=1)
    assert caught.value.code == -2011

    placed = await client.ws_create_order(**LIMIT)
    assert placed["status"] == "NEW"
    assert (await client.ws_cancel_order(symbol=SYMBOL, orderId=placed["orderId"]))["status"] == "CANCELED"


async def report(user):
    """The next execution report of a user data stream, in short."""
    while True:
        told = await user.recv()
        told = told.get("event", told)
        if told["e"] == "executionReport":
            return f"{told['S']} {told['o']} {told['x']}"


async def test_the_depth_cache_is_the_book(venue):
    client = await connect(venue, "alice")
    try:
        await client.create_order(**LIMIT)
        manager = DepthCacheManager(client, SYMBOL, bm=streams(venue, client), ws_interval=100)
        async with manager as depth:
            await client.create_order(**{**LIMIT, "price": "59000"})
            cache = await asyncio.wait_for(depth.recv(), 10)
            assert cache.get_bids() == [[60_000.0, 0.5], [59_000.0, 0.5]]
            await client.cancel_all_open_orders(symbol=SYMBOL)
            cache = await asyncio.wait_for(depth.recv(), 10)
            assert cache.get_bids() == []
    finally:
        await client.close_connection()
