"""The trading API against its own document: the life of some orders, which uses each operation and checks its documented
answer; then allowed and forbidden requests that schemathesis generates from the document."""

import collections

import pytest
import requests
import schemathesis
from schemathesis.generation import GenerationMode

from drawn import send_drawn
from venue import Signature, Venue

# A number may be too large for its field, and a filter may refuse a well-formed order, or the order that a request names may
# not exist.
CHECKS = {"positive_data_acceptance": {"expected-statuses": ["2xx", 400, 409]}}
SYMBOLS = ["BTCUSDT", "ETHUSDT", "NONE"]

MARKET = {"symbol": "BTCUSDT"}
LIMIT = {**MARKET, "side": "SELL", "type": "LIMIT", "timeInForce": "GTC", "quantity": "1", "price": "60000"}
OCO = {**MARKET, "side": "SELL", "quantity": "1"}
LEGS = {"AboveType": "LIMIT_MAKER", "AbovePrice": "65000", "BelowType": "STOP_LOSS", "BelowStopPrice": "45000"}
ABOVE_AND_BELOW = {f"{name[0].lower()}{name[1:]}": value for name, value in LEGS.items()}
WORKING = {
    **MARKET,
    "workingType": "LIMIT",
    "workingSide": "BUY",
    "workingPrice": "40000",
    "workingQuantity": "1",
    "workingTimeInForce": "GTC",
    "pendingSide": "SELL",
    "pendingQuantity": "1",
}
PAYING = {name: value for name, value in WORKING.items() if name != "pendingQuantity"}
PENDING = {f"pending{name}": value for name, value in LEGS.items()}
BATCH = {"batchOrders": '[{"symbol":"BTCUSDT","side":"BUY","type":"LIMIT","timeInForce":"GTC","quantity":"1","price":"41000"},{}]'}

# No symbol has a reference price: these are refused.
REFUSED = {"/api/v3/referencePrice", "/api/v3/referencePrice/calculation"}

# Alice's requests, in this order, on a market whose last price is 50,000.
LIFE = [
    ("GET", "/api/v3/ping", {}),
    ("GET", "/api/v3/time", {}),
    ("GET", "/api/v3/exchangeInfo", {}),
    ("POST", "/api/v3/order/test", LIMIT),
    ("POST", "/api/v3/order/test", {**LIMIT, "computeCommissionRates": "true"}),
    ("POST", "/api/v3/order", {**LIMIT, "newClientOrderId": "one", "icebergQty": "0.5", "strategyId": 7}),
    ("POST", "/api/v3/order", {**LIMIT, "newClientOrderId": "ack", "newOrderRespType": "ACK"}),
    ("POST", "/api/v3/order", {**LIMIT, "side": "BUY", "price": "50000", "quantity": "0.1"}),
    ("POST", "/api/v3/order", {**MARKET, "side": "SELL", "type": "MARKET", "quantity": "0.1"}),
    ("POST", "/api/v3/order", {**LIMIT, "side": "BUY", "selfTradePreventionMode": "EXPIRE_TAKER"}),
    ("GET", "/api/v3/myPreventedMatches", {**MARKET, "preventedMatchId": 1}),
    ("PUT", "/api/v3/order/amend/keepPriority", {**MARKET, "origClientOrderId": "ack", "newClientOrderId": "less", "newQty": "0.5"}),
    ("GET", "/api/v3/order/amendments", {**MARKET, "orderId": 4}),
    ("POST", "/api/v3/order/cancelReplace", {**LIMIT, "cancelReplaceMode": "STOP_ON_FAILURE", "cancelOrigClientOrderId": "one"}),
    ("GET", "/api/v3/order", {**MARKET, "origClientOrderId": "one"}),
    ("DELETE", "/api/v3/order", {**MARKET, "origClientOrderId": "less"}),
    ("POST", "/api/v3/batchOrders", BATCH),
    ("POST", "/api/v3/batchCancel", {"batchOrders": '[{"symbol":"BTCUSDT","orderId":1}]'}),
    ("POST", "/api/v3/orderList/oco", {**OCO, **ABOVE_AND_BELOW, "listClientOrderId": "oco"}),
    ("GET", "/api/v3/orderList", {"origClientOrderId": "oco"}),
    ("DELETE", "/api/v3/orderList", {**MARKET, "listClientOrderId": "oco"}),
    ("POST", "/api/v3/order/oco", {**OCO, "price": "65000", "stopPrice": "45000"}),
    ("POST", "/api/v3/orderList/oto", {**WORKING, "pendingType": "LIMIT_MAKER", "pendingPrice": "66000"}),
    ("POST", "/api/v3/orderList/otoco", {**WORKING, **PENDING}),
    ("POST", "/api/v3/orderList/opo", {**PAYING, "pendingType": "MARKET"}),
    ("POST", "/api/v3/orderList/opoco", {**PAYING, **PENDING}),
    ("GET", "/api/v3/openOrderList", {}),
    ("GET", "/api/v3/allOrderList", {}),
    ("POST", "/api/v3/sor/order/test", LIMIT),
    ("POST", "/api/v3/sor/order", LIMIT),
    ("GET", "/api/v3/executionRules", {}),
    ("GET", "/api/v3/referencePrice", MARKET),
    ("GET", "/api/v3/referencePrice/calculation", MARKET),
    ("GET", "/api/v3/historicalBlockTrades", {**MARKET, "fromId": 0}),
    ("GET", "/api/v3/myFilters", MARKET),
    ("GET", "/api/v3/myAllocations", MARKET),
    ("GET", "/sapi/v1/system/status", {}),
    ("GET", "/sapi/v1/capital/deposit/hisrec", {}),
    ("GET", "/sapi/v1/capital/withdraw/history", {}),
    ("GET", "/api/v3/openOrders", MARKET),
    ("GET", "/api/v3/depth", MARKET),
    ("DELETE", "/api/v3/openOrders", MARKET),
    ("GET", "/api/v3/allOrders", MARKET),
    ("GET", "/api/v3/myTrades", MARKET),
    ("GET", "/api/v3/account", {}),
    ("GET", "/api/v3/account/commission", MARKET),
    ("GET", "/api/v3/rateLimit/order", {}),
    ("GET", "/api/v3/trades", MARKET),
    ("GET", "/api/v3/historicalTrades", MARKET),
    ("GET", "/api/v3/aggTrades", MARKET),
    ("GET", "/api/v3/klines", {**MARKET, "interval": "1m"}),
    ("GET", "/api/v3/uiKlines", {**MARKET, "interval": "1M"}),
    ("GET", "/api/v3/avgPrice", MARKET),
    ("GET", "/api/v3/ticker/24hr", MARKET),
    ("GET", "/api/v3/ticker/24hr", {"type": "MINI"}),
    ("GET", "/api/v3/ticker/tradingDay", MARKET),
    ("GET", "/api/v3/ticker", MARKET),
    ("GET", "/api/v3/ticker/price", {}),
    ("GET", "/api/v3/ticker/bookTicker", MARKET),
    ("POST", "/api/v3/userDataStream", {}),
    ("PUT", "/api/v3/userDataStream", {"listenKey": None}),
    ("DELETE", "/api/v3/userDataStream", {"listenKey": None}),
    ("GET", "/sapi/v1/asset/tradeFee", {}),
    ("GET", "/sapi/v1/capital/config/getall", {}),
    ("GET", "/sapi/v1/margin/allPairs", {}),
    ("GET", "/sapi/v1/margin/isolated/allPairs", {}),
]


class Key(requests.auth.AuthBase):
    """Sends the key without a signature."""

    def __init__(self, key):
        self.key = key

    def __call__(self, request):
        request.headers["X-MBX-APIKEY"] = self.key["api_key"]
        return request


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    running = Venue(tmp_path_factory.mktemp("trading"), "--no-bots")
    yield running
    running.stop()


@pytest.fixture(scope="module")
def raw(desk):
    return requests.get(f"{desk.url}/openapi.json").json()


@pytest.fixture(scope="module")
def proofs(raw, desk):
    """By method and path: how a request is authenticated."""
    alice = desk.keys["alice"]
    by_scheme = {(): None, ("key",): Key(alice), ("key", "signature", "timestamp"): Signature(alice)}
    return {
        (method.upper(), path): by_scheme[tuple(sorted(operation["security"][0])) if operation["security"] else ()]
        for path, methods in raw["paths"].items()
        for method, operation in methods.items()
    }


@pytest.fixture(scope="module")
def document(raw, proofs):
    for methods in raw["paths"].values():
        for operation in methods.values():
            # Other tests cover bad signatures; here each request has a good one.
            operation["security"] = []
            for parameter in operation["parameters"]:
                if parameter["name"] == "symbol":
                    # Else nearly all requests would name markets that do not exist.
                    parameter["schema"] = {"enum": SYMBOLS}
    return schemathesis.openapi.from_dict(raw, config=schemathesis.Config.from_dict({"checks": CHECKS}))


def test_the_document_is_one_of_openapi_3_1(desk):
    described = requests.get(f"{desk.url}/openapi.json").json()
    assert described["openapi"] == "3.1.0"
    schemathesis.openapi.from_dict(described).validate()


def test_every_operation_is_answered_as_the_document_says(document, proofs, desk):
    bob = Signature(desk.keys["bob"])
    for side, price in (("BUY", "50000"), ("SELL", "70000")):
        order = {**LIMIT, "side": side, "quantity": "5", "price": price}
        assert requests.post(f"{desk.url}/api/v3/order", params=order, auth=bob).status_code == 200
    listen_key = None
    for method, path, params in LIFE:
        params = {name: listen_key if value is None else str(value) for name, value in params.items()}
        case = document[path][method].Case(query=params)
        answer = case.call_and_validate(base_url=desk.url, auth=proofs[method, path])
        expected = 400 if path in REFUSED else 200
        assert answer.status_code == expected, f"{method} {path} {answer.text}"
        if path == "/api/v3/userDataStream":
            listen_key = listen_key or answer.json()["listenKey"]
    assert {row[:2] for row in LIFE} == set(proofs)


@pytest.mark.parametrize("mode", list(GenerationMode))
def test_answers_are_those_of_the_document(mode, document, proofs, desk):
    seen = collections.Counter()
    for result in document.get_all_operations():
        operation = result.ok()
        proof = proofs[operation.method.upper(), operation.path]

        def send(case):
            answer = case.call_and_validate(base_url=desk.url, auth=proof)
            seen[answer.status_code] += 1

        send_drawn(operation, mode, send)
    expected = 200 if mode == GenerationMode.POSITIVE else 400
    assert seen[expected] > 100 and not seen[401], seen
