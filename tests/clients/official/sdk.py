"""binance-sdk-spot: orders over REST and the WebSocket API, a user data stream by signature, a book."""

import asyncio

from binance_common.configuration import (
    ConfigurationRestAPI,
    ConfigurationWebSocketAPI,
    ConfigurationWebSocketStreams,
)
from binance_common.errors import BadRequestError
from binance_sdk_spot.spot import Spot
from binance_sdk_spot.websocket_api.models import ExecutionReport

from venue import HTTP, KEYS, SYMBOL, WS, Book, until


def connect(name):
    key, secret = KEYS[name]
    return Spot(
        config_rest_api=ConfigurationRestAPI(api_key=key, api_secret=secret, base_path=HTTP, timeout=10_000),
        config_ws_api=ConfigurationWebSocketAPI(api_key=key, api_secret=secret, stream_url=f"{WS}/ws-api/v3"),
        config_ws_streams=ConfigurationWebSocketStreams(stream_url=WS),
    )


client, other = connect("alice"), connect("bob")
rest = client.rest_api
LIMIT = {"symbol": SYMBOL, "side": "BUY", "type": "LIMIT", "time_in_force": "GTC", "quantity": 0.5, "price": 60000}


def raw(answer):
    """As it came: the client's models name every field in its own way."""
    return answer.data().model_dump(by_alias=True)


async def main():
    assert raw(rest.exchange_info(symbol=SYMBOL))["symbols"][0]["status"] == "TRADING"
    assert raw(rest.depth(SYMBOL))["bids"] == []

    events, book = [], Book()
    socket = client.websocket_api
    await socket.create_connection()
    user = await socket.user_data_stream_subscribe_signature()
    user.stream.on("message", lambda event: events.extend(reported(event.actual_instance)))
    streams = client.websocket_streams
    await streams.create_connection()
    depth = await streams.diff_book_depth(symbol=SYMBOL.lower(), update_speed="100ms")
    depth.on("message", lambda event: book.apply(event.model_dump(by_alias=True)))
    book.start(snapshot())

    await asyncio.to_thread(live, book)
    last = snapshot()
    while not book.is_as_new_as(last):
        await asyncio.sleep(0.02)
    book.equals(last)

    placed = (await socket.order_place(**LIMIT)).data().result
    assert placed.status == "NEW"
    canceled = (await socket.order_cancel(symbol=SYMBOL, order_id=placed.order_id)).data().result
    assert canceled.status == "CANCELED"
    await asyncio.to_thread(until, lambda: len(events) >= 14, "everything was told")
    assert events[:3] == ["BUY LIMIT NEW", "BUY LIMIT TRADE", "BUY LIMIT REPLACED"]
    await streams.close_connection(close_session=True)
    await socket.close_connection(close_session=True)


def live(book):
    first = raw(rest.new_order(**LIMIT, new_client_order_id="first"))
    assert (first["status"], first["clientOrderId"]) == ("NEW", "first")
    sold = raw(other.rest_api.new_order(symbol=SYMBOL, side="SELL", type="MARKET", quantity=0.1))
    assert (sold["status"], sold["fills"][0]["price"]) == ("FILLED", "60000.00000000")
    amended = raw(rest.order_amend_keep_priority(symbol=SYMBOL, order_id=first["orderId"], new_qty=0.4))
    assert amended["amendedOrder"]["qty"] == "0.40000000"
    found = raw(rest.get_order(symbol=SYMBOL, order_id=first["orderId"]))
    assert (found["status"], found["executedQty"]) == ("PARTIALLY_FILLED", "0.10000000")

    changed = {**LIMIT, "price": 59000, "cancel_replace_mode": "STOP_ON_FAILURE"}
    replaced = raw(rest.order_cancel_replace(**changed, cancel_order_id=first["orderId"]))
    assert (replaced["cancelResult"], replaced["newOrderResult"]) == ("SUCCESS", "SUCCESS")
    rest.new_order(**{**LIMIT, "side": "SELL", "type": "STOP_LOSS_LIMIT", "price": 49000, "stop_price": 50000})
    oco = raw(
        rest.order_list_oco(
            symbol=SYMBOL,
            side="SELL",
            quantity=0.2,
            above_type="LIMIT_MAKER",
            above_price=70000,
            below_type="STOP_LOSS",
            below_stop_price=50000,
        )
    )
    assert raw(rest.get_order_list(order_list_id=oco["orderListId"]))["listOrderStatus"] == "EXECUTING"
    assert len(rest.get_open_orders(symbol=SYMBOL).data()) == 4
    rest.delete_order_list(symbol=SYMBOL, order_list_id=oco["orderListId"])
    rest.delete_order(symbol=SYMBOL, order_id=replaced["newOrderResponse"]["orderId"])
    rest.delete_open_orders(symbol=SYMBOL)
    assert rest.get_open_orders(symbol=SYMBOL).data() == []

    assert len(rest.all_orders(symbol=SYMBOL).data()) == 5
    assert rest.my_trades(symbol=SYMBOL).data()[0].is_maker is True
    balances = {balance["asset"]: balance for balance in raw(rest.get_account(omit_zero_balances=True))["balances"]}
    assert balances["BTC"]["locked"] == "0.00000000"
    try:
        rest.delete_order(symbol=SYMBOL, order_id=1)
        raise AssertionError("an order that is done was canceled")
    except BadRequestError as error:
        assert "Unknown order sent." in str(error)


def snapshot():
    return raw(rest.depth(SYMBOL, limit=5000))


def reported(event):
    """The client's models know an event's type by their own."""
    return [f"{event.S} {event.o} {event.x}"] if isinstance(event, ExecutionReport) else []


asyncio.run(main())
