"""binance-connector: orders over REST and the WebSocket API, a listen key, a book."""

import json

from binance.error import ClientError
from binance.spot import Spot
from binance.websocket.spot.websocket_api import SpotWebsocketAPIClient
from binance.websocket.spot.websocket_stream import SpotWebsocketStreamClient

from venue import HTTP, KEYS, SYMBOL, WS, Book, told, until

client, other = (Spot(*KEYS[name], base_url=HTTP) for name in ("alice", "bob"))
LIMIT = {"symbol": SYMBOL, "side": "BUY", "type": "LIMIT", "timeInForce": "GTC", "quantity": "0.5", "price": "60000"}

assert client.exchange_info(symbol=SYMBOL)["symbols"][0]["status"] == "TRADING"
assert client.depth(SYMBOL)["bids"] == []

events, book, subscribed = [], Book(), []


def heard(_, text):
    message = json.loads(text)
    if "id" in message:
        subscribed.append(message["id"])
    elif message["e"] == "depthUpdate":
        book.apply(message)
    else:
        events.extend(told(message))


key = client.new_listen_key()["listenKey"]
client.renew_listen_key(key)
stream = SpotWebsocketStreamClient(f"{WS}", on_message=heard)
stream.user_data(key)
stream.diff_book_depth(SYMBOL, speed=100)
until(lambda: len(subscribed) == 2, "both streams are subscribed")
book.start(client.depth(SYMBOL, limit=5000))

first = client.new_order(**LIMIT, newClientOrderId="first")
assert (first["status"], first["clientOrderId"]) == ("NEW", "first")
sold = other.new_order(SYMBOL, "SELL", "MARKET", quantity="0.1")
assert (sold["status"], sold["fills"][0]["price"]) == ("FILLED", "60000.00000000")
found = client.get_order(SYMBOL, orderId=first["orderId"])
assert (found["status"], found["executedQty"]) == ("PARTIALLY_FILLED", "0.10000000")

changed = {**LIMIT, "price": "59000", "cancelReplaceMode": "STOP_ON_FAILURE"}
replaced = client.cancel_and_replace(**changed, cancelOrderId=first["orderId"])
assert (replaced["cancelResult"], replaced["newOrderResult"]) == ("SUCCESS", "SUCCESS")
client.new_order(**{**LIMIT, "side": "SELL", "type": "STOP_LOSS_LIMIT", "price": "49000", "stopPrice": "50000"})
oco = client.new_oco_order(
    SYMBOL, "SELL", "0.2", "LIMIT_MAKER", "STOP_LOSS", abovePrice="70000", belowStopPrice="50000"
)
assert client.get_oco_order(orderListId=oco["orderListId"])["listOrderStatus"] == "EXECUTING"
assert len(client.get_open_orders(SYMBOL)) == 4
client.cancel_oco_order(SYMBOL, orderListId=oco["orderListId"])
client.cancel_order(SYMBOL, orderId=replaced["newOrderResponse"]["orderId"])
snapshot = client.depth(SYMBOL, limit=5000)
until(lambda: book.is_as_new_as(snapshot), "the book is as new as the snapshot")
book.equals(snapshot)
client.cancel_open_orders(SYMBOL)
assert client.get_open_orders(SYMBOL) == []

assert len(client.get_orders(SYMBOL)) == 5
assert client.my_trades(SYMBOL)[0]["isMaker"] is True
balances = {balance["asset"]: balance for balance in client.account(omitZeroBalances="true")["balances"]}
assert balances["BTC"]["locked"] == "0.00000000"
try:
    client.cancel_order(SYMBOL, orderId=1)
    raise AssertionError("an order that is done was canceled")
except ClientError as error:
    assert error.error_code == -2011

answers = []
socket = SpotWebsocketAPIClient(
    f"{WS}/ws-api/v3", *KEYS["alice"], on_message=lambda _, text: answers.append(json.loads(text))
)
socket.new_order(**LIMIT, id="placed")
until(lambda: len(answers) == 1, "the order is answered")
assert (answers[0]["id"], answers[0]["result"]["status"]) == ("placed", "NEW")
socket.cancel_order(SYMBOL, orderId=answers[0]["result"]["orderId"])
until(lambda: len(answers) == 2, "the cancel is answered")
assert answers[1]["result"]["status"] == "CANCELED"

until(lambda: len(events) >= 13, "everything was told")
assert events[:4] == ["BUY LIMIT NEW", "BUY LIMIT TRADE", "BUY LIMIT CANCELED", "BUY LIMIT NEW"]
client.close_listen_key(key)
stream.stop()
socket.stop()
