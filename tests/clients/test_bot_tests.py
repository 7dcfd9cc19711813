"""A venue as tests of bots use it: `serve --test`, a clock that the test moves, and faults."""

import json
import pathlib
import signal
import stat
import subprocess
import time

import ccxt
import pytest
import requests
from binance.client import Client

from venue import BINARY, DEADLINE_S, Signature, Venue

HOUR_MS = 3_600_000


@pytest.fixture
def venue(tmp_path):
    running = Venue(tmp_path, keys=tmp_path / "keys.json")
    yield running
    running.stop()


def order(venue, name, price="50000", **more):
    """Sends a limit order; gives the response."""
    terms = {"symbol": "BTCUSDT", "side": "BUY", "type": "LIMIT", "timeInForce": "GTC", "quantity": "0.001"}
    data, auth = {**terms, "price": price, **more}, Signature(venue.keys[name])
    return requests.post(f"{venue.url}/api/v3/order", data=data, auth=auth, timeout=2)


def open_orders(venue, name):
    auth = Signature(venue.keys[name])
    return requests.get(f"{venue.url}/api/v3/openOrders", auth=auth).json()


def advance(venue, by_ms):
    answer = venue.operate("POST", "/test/clock", {"advance_ms": by_ms})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_test_venue_leaves_its_keys_and_nothing_else(tmp_path):
    keys = tmp_path / "keys.json"
    first = Venue(tmp_path, keys=keys)
    written = json.loads(keys.read_text())
    assert written["url"] == first.url
    assert [account["name"] for account in written["accounts"]] == ["alice", "bob"]
    assert written["operator"]["name"] == "operator"
    assert stat.S_IMODE(keys.stat().st_mode) == 0o600
    assert order(first, "alice").status_code == 200
    assert first.data.is_dir()
    first.stop()
    assert not first.data.exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["keys.json", "stderr.txt"]

    # A killed venue cannot clean up; the next one does.
    killed = Venue(tmp_path, keys=keys)
    killed.process.send_signal(signal.SIGKILL)
    killed.process.wait(DEADLINE_S)
    assert killed.data.is_dir()
    other = Venue(tmp_path, keys=keys)
    assert not killed.data.exists() and other.data.is_dir()
    assert open_orders(other, "alice") == []
    other.stop()


def test_the_clock_moves_and_clients_keep_their_own(venue):
    exchange = venue.ccxt(ccxt, "alice")
    expires = int(time.time() * 1000) + HOUR_MS
    dated = order(venue, "alice", timeInForce="GTD", goodTillDate=str(expires)).json()
    exchange.create_order("BTC/USDT", "limit", "sell", 0.001, 60_000)
    venue.ccxt(ccxt, "bob").create_order("BTC/USDT", "limit", "buy", 0.001, 60_000)
    assert [row["orderId"] for row in open_orders(venue, "alice")] == [dated["orderId"]]

    shown = advance(venue, HOUR_MS + 1)
    assert shown["ahead_ms"] == HOUR_MS + 1
    assert open_orders(venue, "alice") == []
    status = requests.get(
        f"{venue.url}/api/v3/order",
        params={"symbol": "BTCUSDT", "orderId": dated["orderId"]},
        auth=Signature(venue.keys["alice"]),
    ).json()
    assert status["status"] == "EXPIRED", status
    served = requests.get(f"{venue.url}/api/v3/time").json()["serverTime"]
    assert served >= expires
    # The candle of the trade is closed, and the present one has none.
    candles = requests.get(f"{venue.url}/api/v3/klines", params={"symbol": "BTCUSDT", "interval": "1m"})
    with_trades = [row for row in candles.json() if row[8]]
    assert len(with_trades) == 1 and with_trades[0][6] < served, with_trades

    # By their own clock, and by the venue's.
    assert exchange.fetch_balance()["BTC"]["free"] > 99
    exchange.load_time_difference()
    assert exchange.create_order("BTC/USDT", "limit", "buy", 0.001, 50_000)["status"] == "open"
    Client.API_URL = f"{venue.url}/api"
    client = Client(venue.keys["bob"]["api_key"], venue.keys["bob"]["secret_key"])
    placed = client.order_limit_buy(symbol="BTCUSDT", quantity="0.001", price="50000")
    assert placed["status"] == "NEW"
    # An hour back is neither.
    exchange.options["timeDifference"] = HOUR_MS // 2
    with pytest.raises(ccxt.InvalidNonce):
        exchange.fetch_balance()


def test_sessions_begin_and_keys_expire_by_the_moved_clock(venue):
    now_s = time.time()
    until = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now_s + 1_800))
    key = venue.operate("POST", "/keys", {"account": "alice", "expires": until}).json()
    venue.keys["short"] = key
    assert requests.get(f"{venue.url}/api/v3/account", auth=Signature(key)).status_code == 200
    begun, ends = (time.strftime("%H:%M", time.gmtime(now_s + by_s)) for by_s in (-3_600, 7_200))
    sessions = [["Mon-Sun", begun, "Continuous"], ["Mon-Sun", ends, "Closed"]]
    answer = venue.operate("PATCH", "/instruments/BTCUSDT/calendar", {"sessions": sessions})
    assert answer.status_code == 200, answer.text
    for_the_day = order(venue, "alice", timeInForce="DAY")
    assert for_the_day.status_code == 200, for_the_day.text

    advance(venue, HOUR_MS)
    refused = requests.get(f"{venue.url}/api/v3/account", auth=Signature(key))
    assert refused.json()["code"] == -2015, refused.text
    assert [row["orderId"] for row in open_orders(venue, "alice")] == [for_the_day.json()["orderId"]]

    advance(venue, HOUR_MS)
    assert open_orders(venue, "alice") == []
    closed = order(venue, "alice")
    assert closed.json()["msg"] == "Market is closed.", closed.text
    advance(venue, 22 * HOUR_MS)
    assert order(venue, "alice").status_code == 200


def test_a_clock_that_cannot_be_is_refused_in_a_sentence(venue, tmp_path):
    for by_ms in (-1, 0, 365 * 24 * HOUR_MS, 2**62):
        answer = venue.operate("POST", "/test/clock", {"advance_ms": by_ms})
        assert answer.status_code == 400 and "forward only, by 1 to 2678400000 ms" in answer.text, answer.text
    assert abs(requests.get(f"{venue.url}/api/v3/time").json()["serverTime"] - time.time() * 1000) < 60_000
    months = [venue.operate("POST", "/test/clock", {"advance_ms": 31 * 24 * HOUR_MS}) for _ in range(118)]
    assert [answer.status_code for answer in months] == [200] * 117 + [400]
    assert "(ten years) in all" in months[-1].text, months[-1].text
    for body, part in (
        ({"fault": "earthquake"}, "earthquake"),
        ({"fault": "delay"}, "a delay needs its ms"),
        ({"fault": "halt", "ms": 5}, "ms is the time of a delay"),
        ({"fault": "halt", "count": 0}, "the count `0`"),
        ({"fault": "halt", "account": "nemo"}, "there is no account `nemo`"),
    ):
        answer = venue.operate("POST", "/test/faults", body)
        assert answer.status_code in (400, 404) and part in answer.text, answer.text
    assert venue.operate("GET", "/test/faults").json() == []


# What the client gets, and whether the venue has the order.
FAULTS = {
    "drop-ack": (None, True),
    "disconnect": (None, False),
    "internal-error": ((500, -1000), False),
    "rate-limit": ((429, -1003), False),
    "unknown": ((504, -1007), True),
    "overload": ((503, -1008), False),
    "reject": ((400, -2010), False),
    "halt": ((400, -2010), False),
    "delay": ((200, None), True),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_meets_one_order_of_its_account(venue, fault):
    expected, is_there = FAULTS[fault]
    body = {"fault": fault, "count": 1, "account": "alice", **({"ms": 300} if fault == "delay" else {})}
    assert venue.operate("POST", "/test/faults", body).status_code == 200
    assert [row["fault"] for row in venue.operate("GET", "/test/faults").json()] == [fault]
    # Neither another account nor a question meets it.
    assert order(venue, "bob").status_code == 200
    assert open_orders(venue, "alice") == []

    begun = time.monotonic()
    if expected is None:
        cause = requests.ConnectionError if fault == "disconnect" else requests.Timeout
        with pytest.raises(cause):
            order(venue, "alice")
    else:
        answer = order(venue, "alice")
        assert (answer.status_code, answer.json().get("code")) == expected, answer.text
        assert ("Retry-After" in answer.headers) == (fault == "rate-limit")
    if fault == "delay":
        assert time.monotonic() - begun >= 0.3
    assert len(open_orders(venue, "alice")) == is_there
    assert order(venue, "alice").status_code == 200
    assert venue.operate("GET", "/test/faults").json() == []


def test_faults_are_removed(venue):
    venue.operate("POST", "/test/faults", {"fault": "halt", "count": 5})
    assert [row["count"] for row in venue.operate("DELETE", "/test/faults").json()] == [5]
    assert order(venue, "alice").status_code == 200


def test_a_venue_that_is_no_test_refuses_it(tmp_path):
    data = tmp_path / "data"
    data.mkdir()

    def admin(*words):
        command = [BINARY, "admin", *words, "--data", data]
        return subprocess.run(command, capture_output=True, text=True)

    assert admin("asset", "add", "EUR").returncode == 0
    refused = admin("test", "clock", "1000")
    assert refused.returncode == 1 and "only `serve --test` and `serve --demo`" in refused.stderr, refused.stderr
    both = subprocess.run(
        [BINARY, "serve", "--test", "--keys", tmp_path / "k", "--data", data, "--http", "127.0.0.1:0"],
        capture_output=True,
        text=True,
    )
    assert both.returncode == 1 and "leave data_dir out (from --test, --data)" in both.stderr, both.stderr
    assert not pathlib.Path(tmp_path / "k").exists()
