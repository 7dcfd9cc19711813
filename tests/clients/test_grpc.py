"""gRPC with programs that are not ours: stubs that grpcio-tools and grpc-java make of api/buttonwood.proto, grpcurl and
ghz."""

import hashlib
import hmac
import importlib
import itertools
import json
import os
import secrets
import subprocess
import sys
import time

import grpc
import pytest
from grpc_tools import protoc

from venue import ROOT, Venue

PROTO = ROOT / "api/buttonwood.proto"
JAVA = ROOT / "tests/clients/java/target"
PATIENCE_S = 20
LOAD_PATIENCE_S = 120
# Calls that ghz makes.
LOAD = 2_000
# What grpcurl adds to the code of a refused call for its own exit status.
GRPCURL_STATUS = 64
tools = pytest.mark.skipif("BUTTONWOOD_GRPC_TOOLS" not in os.environ, reason="make grpc")


@pytest.fixture(scope="module")
def stubs(tmp_path_factory):
    """The messages and the stubs, as grpcio-tools generates them."""
    folder = tmp_path_factory.mktemp("stubs")
    arguments = ["", f"-I{PROTO.parent}", f"--python_out={folder}", f"--grpc_python_out={folder}", PROTO.name]
    assert protoc.main(arguments) == 0
    sys.path.insert(0, str(folder))
    return importlib.import_module("buttonwood_pb2"), importlib.import_module("buttonwood_pb2_grpc")


@pytest.fixture
def house(tmp_path):
    running = Venue(tmp_path, "--no-bots", "--grpc", "127.0.0.1:0")
    yield running
    running.stop()


def signed(key, path):
    """The metadata of a call that is signed with a key."""
    timestamp, nonce = str(time.time_ns() // 1_000_000), secrets.token_hex(16)
    payload = "\n".join(["POST", path, "", hashlib.sha256(b"").hexdigest(), timestamp, nonce])
    signature = hmac.new(key["secret_key"].encode(), payload.encode(), hashlib.sha256).hexdigest()
    return (
        ("x-bw-api-key", key["api_key"]),
        ("x-bw-timestamp", timestamp),
        ("x-bw-nonce", nonce),
        ("x-bw-signature", signature),
    )


def test_an_orders_life(house, stubs):
    messages, services = stubs
    with grpc.insecure_channel(house.listening["grpc"]) as channel:
        alice = house.keys["alice"]
        path = "/buttonwood.v1.Sessions/Login"
        login = services.SessionsStub(channel).Login(messages.LoginRequest(), metadata=signed(alice, path))
        by_token = (("authorization", f"Bearer {login.token}"),)
        trading = services.TradingStub(channel)
        events = trading.StreamAccount(
            messages.StreamAccountRequest(from_event=login.last_event + 1), metadata=by_token, timeout=PATIENCE_S
        )
        order = messages.PlaceOrderRequest(
            symbol="BTCUSDT",
            side=messages.SIDE_BUY,
            type=messages.ORDER_TYPE_LIMIT,
            quantity="0.003",
            price="50000",
            client_order_id="mine",
        )
        placed = trading.PlaceOrder(order, metadata=by_token)
        assert placed.order.status == messages.ORDER_STATUS_NEW

        with pytest.raises(grpc.RpcError) as refused:
            trading.PlaceOrder(order, metadata=by_token)
        assert refused.value.code() == grpc.StatusCode.ALREADY_EXISTS
        details = dict(refused.value.trailing_metadata())["grpc-status-details-bin"]
        assert b"DUPLICATE_CL_ORD_ID" in details

        taker = messages.PlaceOrderRequest(
            symbol="BTCUSDT", side=messages.SIDE_SELL, type=messages.ORDER_TYPE_MARKET, quantity="0.001"
        )
        path = "/buttonwood.v1.Trading/PlaceOrder"
        taken = trading.PlaceOrder(taker, metadata=signed(house.keys["bob"], path))
        assert [fill.price for fill in taken.fills] == ["50000.00000000"]

        replaced = trading.ReplaceOrder(
            messages.ReplaceOrderRequest(symbol="BTCUSDT", client_order_id="mine", quantity="0.004", price="49000"),
            metadata=by_token,
        )
        assert replaced.order.order_id == placed.order.order_id

        requests = [
            messages.OrderRequests(
                requests=[
                    messages.OrderRequest(
                        request_id=1,
                        cancel=messages.CancelOrderRequest(symbol="BTCUSDT", client_order_id="mine"),
                    ),
                    messages.OrderRequest(
                        request_id=2,
                        cancel=messages.CancelOrderRequest(symbol="BTCUSDT", client_order_id="never"),
                    ),
                ]
            )
        ]
        answers = trading.StreamOrders(iter(requests), metadata=by_token, timeout=PATIENCE_S)
        answered = {one.request_id: one for message in answers for one in message.responses}
        assert answered[1].reply.order.status == messages.ORDER_STATUS_CANCELED
        assert answered[2].refusal.reason == "ORDER_NOT_FOUND"

        kinds = [next(events) for _ in range(4)]
        assert [event.kind for event in kinds] == [
            "OrderAccepted",
            "TradeExecuted",
            "OrderModified",
            "OrderCanceled",
        ]
        numbers = [event.number for event in kinds]
        assert numbers == list(range(numbers[0], numbers[0] + 4))
        events.cancel()

        market = services.MarketDataStub(channel)
        [trade] = market.ListTrades(messages.ListTradesRequest(symbol="BTCUSDT")).trades
        assert trade.price == "50000.00000000"


def test_a_deadline_that_has_passed_changes_nothing(house, stubs):
    messages, services = stubs
    with grpc.insecure_channel(house.listening["grpc"]) as channel:
        path = "/buttonwood.v1.Trading/PlaceOrder"
        trading = services.TradingStub(channel)
        order = messages.PlaceOrderRequest(
            symbol="BTCUSDT", side=messages.SIDE_BUY, type=messages.ORDER_TYPE_LIMIT, quantity="0.001", price="40000"
        )
        # As a header, for the venue alone: with `timeout=0` the client ends the call itself, or, when its timer is late,
        # sends what is left in whole milliseconds, in which the venue may place the order.
        passed = (*signed(house.keys["alice"], path), ("grpc-timeout", "1n"))
        with pytest.raises(grpc.RpcError) as late:
            trading.PlaceOrder(order, metadata=passed)
        assert late.value.code() == grpc.StatusCode.DEADLINE_EXCEEDED
        assert "Nothing was carried out" in late.value.details()
        path = "/buttonwood.v1.Trading/ListOpenOrders"
        listed = trading.ListOpenOrders(
            messages.ListOpenOrdersRequest(), metadata=signed(house.keys["alice"], path), timeout=PATIENCE_S
        )
        assert not listed.orders


def test_tls(tmp_path, stubs):
    messages, services = stubs
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    make = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1"]
    subprocess.run([*make, *subject, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    flags = ["--tls-cert", certificate, "--tls-key", key, "--no-bots", "--grpc", "127.0.0.1:0"]
    house = Venue(tmp_path, *flags)
    port = house.listening["grpc"].rsplit(":", 1)[1]
    trusted = grpc.ssl_channel_credentials(certificate.read_bytes())
    with grpc.secure_channel(f"localhost:{port}", trusted) as channel:
        listed = services.MarketDataStub(channel).ListInstruments(messages.ListInstrumentsRequest())
        assert "BTCUSDT" in [instrument.symbol for instrument in listed.instruments]
    house.stop()


@tools
def test_grpcurl_lists_describes_and_calls(house):
    address, trading, key = house.listening["grpc"], "buttonwood.v1.Trading", house.keys["alice"]

    def grpcurl(*arguments):
        command = ["grpcurl", "-plaintext", "-format-error", *arguments]
        run = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S)
        return run.returncode, run.stdout + run.stderr

    def call(method, request, metadata):
        headers = [f"-H={name}: {value}" for name, value in metadata]
        status, text = grpcurl(*headers, "-d", json.dumps(request), address, method)
        return status, json.loads(text)

    def check_refused(answer, code, reason):
        status, refused = answer
        [detail] = refused["details"]
        assert (status, refused["code"]) == (GRPCURL_STATUS + code.value[0], code.value[0]), refused
        assert detail["@type"] == "type.googleapis.com/google.rpc.ErrorInfo", refused
        assert (detail["domain"], detail["reason"]) == ("buttonwood", reason), refused

    _, listed = grpcurl(address, "list")
    services = {"Sessions", "Trading", "MarketData", "Administration", "Ouch"}
    expected = {f"buttonwood.v1.{name}" for name in services} | {"grpc.health.v1.Health"}
    assert expected <= set(listed.split()), listed
    _, listed = grpcurl(address, "list", trading)
    assert {f"{trading}.{name}" for name in ("PlaceOrder", "StreamOrders", "StreamAccount")} <= set(listed.split())
    _, described = grpcurl(address, "describe", f"{trading}.PlaceOrder")
    assert "rpc PlaceOrder ( .buttonwood.v1.PlaceOrderRequest ) returns ( .buttonwood.v1.OrderReply );" in described
    _, described = grpcurl(address, "describe", "buttonwood.v1.PlaceOrderRequest")
    assert "string client_order_id = 8;" in described
    assert call("grpc.health.v1.Health/Check", {}, ()) == (0, {"status": "SERVING"})

    place, login = f"{trading}/PlaceOrder", "buttonwood.v1.Sessions/Login"
    order = {
        "symbol": "BTCUSDT",
        "side": "SIDE_BUY",
        "type": "ORDER_TYPE_LIMIT",
        "quantity": "0.001",
        "price": "50000",
        "client_order_id": "by-grpcurl",
    }
    status, placed = call(place, order, signed(key, f"/{place}"))
    assert status == 0 and placed["order"]["status"] == "ORDER_STATUS_NEW", placed
    status, session = call(login, {}, signed(key, f"/{login}"))
    assert status == 0, session
    by_token = (("authorization", f"Bearer {session['token']}"),)
    check_refused(call(place, order, by_token), grpc.StatusCode.ALREADY_EXISTS, "DUPLICATE_CL_ORD_ID")
    check_refused(call(place, order, ()), grpc.StatusCode.UNAUTHENTICATED, "KEY_REJECTED")
    status, listed = call(f"{trading}/ListOpenOrders", {}, by_token)
    assert status == 0 and [one["orderId"] for one in listed["orders"]] == [placed["order"]["orderId"]], listed


@tools
def test_an_orders_life_by_java(house):
    key = house.keys["alice"]
    command = ["java", "-cp", f"{JAVA}/classes:{JAVA}/libraries/*", "OrderLife"]
    command += [house.listening["grpc"], key["api_key"], key["secret_key"]]
    run = subprocess.run(command, capture_output=True, text=True, timeout=LOAD_PATIENCE_S)
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines() == [
        "placed ORDER_STATUS_NEW 50000.00000000 0.00300000",
        "refused ALREADY_EXISTS DUPLICATE_CL_ORD_ID",
        "replaced ORDER_STATUS_NEW 49000.00000000 0.00400000",
        "canceled ORDER_STATUS_CANCELED 49000.00000000 0.00400000",
        "unknown ORDER_NOT_FOUND",
    ]


@tools
def test_ghz_brings_load_and_no_order_is_doubled(house, stubs):
    messages, services = stubs
    with grpc.insecure_channel(house.listening["grpc"]) as channel:
        key, sessions = house.keys["alice"], services.SessionsStub(channel)

        def login():
            return sessions.Login(messages.LoginRequest(), metadata=signed(key, "/buttonwood.v1.Sessions/Login"))

        before = login()
        metadata = {"authorization": f"Bearer {before.token}"}
        order = {
            "symbol": "BTCUSDT",
            "side": "SIDE_BUY",
            "type": "ORDER_TYPE_LIMIT",
            "time_in_force": "TIME_IN_FORCE_IOC",
            "quantity": "0.001",
            "price": "50000",
            "client_order_id": "ghz-{{.RequestNumber}}",
            "retry_key": "ghz-{{.RequestNumber}}",
        }
        command = ["ghz", "--insecure", "--call", "buttonwood.v1.Trading.PlaceOrder", "--total", str(LOAD)]
        command += ["--concurrency", "8", "--format", "json", "--data", json.dumps(order)]
        command += ["--metadata", json.dumps(metadata), house.listening["grpc"]]
        # The second time all are repeats.
        for _ in range(2):
            run = subprocess.run(command, capture_output=True, text=True, check=True, timeout=LOAD_PATIENCE_S)
            report = json.loads(run.stdout)
            assert (report["count"], report["statusCodeDistribution"]) == (LOAD, {"OK": LOAD}), run.stdout

        happened = login().last_event - before.last_event
        events = services.TradingStub(channel).StreamAccount(
            messages.StreamAccountRequest(from_event=before.last_event + 1),
            metadata=list(metadata.items()),
            timeout=LOAD_PATIENCE_S,
        )
        events = list(itertools.islice(events, happened))
        assert [event.number for event in events] == [before.last_event + 1 + at for at in range(happened)]
        accepted = [event.order.client_order_id for event in events if event.kind == "OrderAccepted"]
        assert len(accepted) == len(set(accepted)) == LOAD
        ended = {event.order.client_order_id for event in events if event.cause == "ImmediateOrCancel"}
        assert ended == set(accepted) and happened == 2 * LOAD
