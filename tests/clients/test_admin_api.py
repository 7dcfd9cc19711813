"""The operators' API against its own document: each operation once, with the documented answer; then allowed and forbidden
requests that schemathesis generates from the document."""

import collections
import json
import subprocess
import time

import pytest
import requests
import schemathesis
from schemathesis.generation import GenerationMode

from drawn import send_drawn
from venue import BINARY, DEADLINE_S, OperatorSignature, Signature, Venue

# The values that are allowed can depend on the venue: a price is a whole number of its instrument's
# ticks, which no schema states. So a request that fits the schema may be refused with 400.
CHECKS = {"positive_data_acceptance": {"expected-statuses": ["2xx", 400, 404, 409]}}

BTCUSDT, CAROL = {"symbol": "BTCUSDT"}, {"account": "carol"}
MONEY = {"account": "carol", "asset": "USDT", "amount": "5000"}

# In this order, on a venue where bob has bought one BTC from alice, twice, and owns no other. A None in a
# path stands for an id from an earlier answer.
LIFE = [
    ("GET", "/status", {}, None),
    ("POST", "/snapshots", {}, None),
    ("GET", "/snapshots", {}, None),
    ("GET", "/audit", {}, None),
    ("GET", "/log/state", {}, None),
    ("GET", "/log/commands", {}, None),
    ("POST", "/halt", {}, {"level": 1}),
    ("POST", "/resume", {}, None),
    ("POST", "/numbering-day", {}, None),
    ("PUT", "/breaker", {}, {"symbol": "BTCUSDT", "levels": [700, 900, 2000, 0]}),
    ("POST", "/accounts", {}, {"name": "carol"}),
    ("GET", "/accounts", {}, None),
    ("PATCH", "/accounts/{name}", {"name": "carol"}, {"maker_fee_bps": "1", "taker_fee_bps": "2"}),
    ("POST", "/deposits", {}, {**MONEY, "external_ref": "in"}),
    ("POST", "/withdrawals", {}, {**MONEY, "amount": "4000", "external_ref": "out"}),
    ("POST", "/accounts/{account}/withdrawals", CAROL, {"asset": "USDT", "amount": "600", "external_ref": "leaves"}),
    ("POST", "/accounts/{account}/withdrawals", CAROL, {"asset": "USDT", "amount": "400", "external_ref": "stays"}),
    ("GET", "/withdrawals", {}, None),
    ("POST", "/accounts/{account}/withdrawals/{external_ref}/approve", {**CAROL, "external_ref": "leaves"}, None),
    ("POST", "/accounts/{account}/withdrawals/{external_ref}/confirm", {**CAROL, "external_ref": "leaves"}, None),
    ("POST", "/accounts/{account}/withdrawals/{external_ref}/cancel", {**CAROL, "external_ref": "stays"}, None),
    ("GET", "/accounts/{account}/withdrawals", CAROL, None),
    ("GET", "/accounts/{name}/balances", {"name": "carol"}, None),
    ("PUT", "/accounts/{account}/kill", CAROL, {"switch": "On"}),
    ("PATCH", "/accounts/{account}/risk", CAROL, {"orders_per_day": 1000}),
    ("PATCH", "/accounts/{account}/limits/{symbol}", {**CAROL, **BTCUSDT}, {"max_order_qty": "5"}),
    ("POST", "/keys", {}, {"account": "carol"}),
    ("GET", "/keys", {}, None),
    ("DELETE", "/keys/{key}", {"key": None}, None),
    ("POST", "/logins", {}, {"user": "carol", "account": "carol", "password": "correct horse"}),
    ("GET", "/logins", {}, None),
    ("PATCH", "/logins/{user}", {"user": "carol"}, {"totp": "new", "sign_out": True}),
    ("DELETE", "/logins/{user}", {"user": "carol"}, None),
    ("POST", "/assets", {}, {"name": "KWH"}),
    ("GET", "/assets", {}, None),
    ("POST", "/instruments", {}, {"symbol": "KWHUSDT", "base": "KWH", "quote": "USDT", "tick_size": "0.01", "lot_size": "0.01"}),
    ("GET", "/instruments", {}, None),
    ("GET", "/market", {}, None),
    ("PATCH", "/instruments/{symbol}", BTCUSDT, {"max_open_orders": 50}),
    ("PATCH", "/instruments/{symbol}/rules", BTCUSDT, {"avg_price_mins": 5}),
    ("PATCH", "/instruments/{symbol}/fees", BTCUSDT, {"tiers": [["0", "2", "5"]], "asset": "Quote"}),
    ("GET", "/accounts/{account}/orders", {"account": "alice"}, None),
    ("GET", "/instruments/{symbol}/orders/{order_id}", {**BTCUSDT, "order_id": None}, None),
    ("DELETE", "/instruments/{symbol}/orders/{order_id}", {**BTCUSDT, "order_id": None}, None),
    ("GET", "/instruments/{symbol}/trades/{trade_id}", {**BTCUSDT, "trade_id": 1}, None),
    ("POST", "/instruments/{symbol}/trades/{trade_id}/correct", {**BTCUSDT, "trade_id": 1}, {"buyer": "bob", "seller": "alice", "price": "49000"}),
    ("POST", "/instruments/{symbol}/trades/{trade_id}/bust", {**BTCUSDT, "trade_id": 2}, {"buyer": "bob", "seller": "alice"}),
    ("GET", "/receivables", {}, None),
    ("POST", "/receivables/{receivable}/settle", {"receivable": None}, None),
    ("PATCH", "/instruments/{symbol}/calendar", BTCUSDT, {"sessions": [["Mon-Fri", "09:00", "Continuous"]]}),
    ("PUT", "/instruments/{symbol}/phase", BTCUSDT, {"phase": "PreOpen"}),
    ("DELETE", "/instruments/{symbol}", {"symbol": "KWHUSDT"}, None),
    ("PUT", "/log-level", {}, {"level": "info,gateway=debug"}),
    ("POST", "/test/clock", {}, {"advance_ms": 1000}),
    ("POST", "/test/faults", {}, {"fault": "delay", "account": "carol", "ms": 5}),
    ("GET", "/test/faults", {}, None),
    ("DELETE", "/test/faults", {}, None),
]


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    """A venue, and an operator's key for it."""
    venue = Venue(tmp_path_factory.mktemp("admin"), "--no-bots")
    yield venue, operator_key(venue)
    venue.stop()


def operator_key(venue):
    admin = [BINARY, "admin", "--data", venue.data, "key", "add", "alice", "--role", "operator"]
    return json.loads(subprocess.check_output(admin))


@pytest.fixture(scope="module")
def document(desk):
    venue, _ = desk
    document = requests.get(f"{venue.url}/admin/v1/openapi.json").json()
    # Other tests cover bad signatures; here each request has a good one.
    del document["security"]
    config = schemathesis.Config.from_dict({"checks": CHECKS})
    return schemathesis.openapi.from_dict(document, config=config)


def test_the_document_is_one_of_openapi_3_1(desk):
    described = requests.get(f"{desk[0].url}/admin/v1/openapi.json").json()
    assert described["openapi"] == "3.1.0"
    schemathesis.openapi.from_dict(described).validate()


def test_every_operation_is_answered_as_the_document_says(document, desk):
    venue, key = desk
    for _ in range(2):
        trade_once(venue)
    rest = {"symbol": "BTCUSDT", "side": "BUY", "type": "LIMIT", "timeInForce": "GTC", "quantity": "1", "price": "40000"}
    requests.post(f"{venue.url}/api/v3/order", params=rest, auth=Signature(venue.keys["alice"])).raise_for_status()
    # So that bob owes what the bust takes back.
    bob = {"account": "bob", "asset": "BTC", "external_ref": "away"}
    answered = call(document, venue, key, "GET", "/accounts/{name}/balances", {"name": "bob"}, None)
    bob["amount"] = next(row["free"] for row in answered if row["asset"] == "BTC")
    call(document, venue, key, "POST", "/withdrawals", {}, bob)
    told, other = {}, operator_key(venue)
    for method, path, places, body in LIFE:
        if path.endswith("settle"):
            trade_once(venue)
        places = {name: told[name] if value is None else value for name, value in places.items()}
        deadline = time.monotonic() + DEADLINE_S
        # A snapshot is taken in the background, and a settled receivable is not listed.
        # Another operator than the requester approves a withdrawal.
        by = other if path.endswith("approve") else key
        while (answered := call(document, venue, by, method, path, places, body)) == [] and method == "GET":
            assert time.monotonic() < deadline, f"{method} {path} shows nothing"
            time.sleep(0.1)
        told.update(answered[-1] if isinstance(answered, list) and answered else answered)
    asked = {(method, path) for method, path, _, _ in LIFE}
    described = (result.ok() for result in document.get_all_operations())
    assert asked == {(operation.method.upper(), operation.path) for operation in described}


def trade_once(venue):
    for name, side in (("alice", "SELL"), ("bob", "BUY")):
        order = {"symbol": "BTCUSDT", "side": side, "type": "LIMIT", "timeInForce": "GTC", "quantity": "1", "price": "50000"}
        answer = requests.post(f"{venue.url}/api/v3/order", params=order, auth=Signature(venue.keys[name]))
        assert answer.status_code == 200, answer.text


def call(document, venue, key, method, path, places, body):
    given_body = {} if body is None else {"body": body, "media_type": "application/json"}
    case = document[path][method].Case(path_parameters=places, **given_body)
    answer = case.call_and_validate(base_url=f"{venue.url}/admin/v1", auth=OperatorSignature(key))
    assert answer.status_code == 200, f"{method} {path} {answer.text}"
    return answer.json()


@pytest.mark.parametrize("mode", list(GenerationMode))
def test_answers_are_those_of_the_document(mode, document, desk):
    venue, key = desk
    base_url = f"{venue.url}/admin/v1"
    operations = [result.ok() for result in document.get_all_operations()]
    assert len(operations) > 30
    seen = collections.Counter()
    for operation in operations:

        def send(case):
            # The key that signs must outlive the test.
            if (case.path_parameters or {}).get("key") != key["key"]:
                answer = case.call_and_validate(base_url=base_url, auth=OperatorSignature(key))
                seen[answer.status_code] += 1

        send_drawn(operation, mode, send)
    # Else the test would be about signatures. Most generated names name nothing.
    expected = 200 if mode == GenerationMode.POSITIVE else 400
    assert seen[expected] > 10 and not seen[401], seen
