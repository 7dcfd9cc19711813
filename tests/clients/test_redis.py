"""Events, market data and the present state in Redis: each once and in order where that is said.

Each test starts servers of its own. BUTTONWOOD_DATABASE_ROUNDS sets the number of rounds of kills.
"""

import json
import subprocess
import time
from decimal import Decimal

import pytest
import redis
import requests

from fed import ROUNDS
from publishing import ORDER_MAX_S, Publishing, check_complete, kills, none_left, schema, sinks
from redis_server import PASSWORD, RedisServer
from venue import DEADLINE_S

pytestmark = pytest.mark.databases
__all__ = ["none_left"]  # A fixture.


@pytest.fixture
def server():
    running = RedisServer()
    yield running
    running.remove()


def entries(client, stream="events"):
    """All entries, with their events."""
    found, last = [], "-"
    while page := client.xrange(stream, last, "+", count=5_000):
        found += [(entry, json.loads(fields["data"])) for entry, fields in page]
        last = f"({page[-1][0]}"
    return found


def test_a_stream_that_has_gone_back_gets_again_what_it_lost(tmp_path):
    """A server that keeps a copy now and then, and is killed."""
    server = RedisServer(fsync=None)
    try:
        venue = Publishing(tmp_path, f"{server.url()}?kinds=streams")
        for _ in range(20):
            venue.order("alice", "BUY", "50000", "0.00100")
        venue.wait_until_level("stream events")
        server.client().save()
        for _ in range(20):
            venue.order("alice", "BUY", "50000", "0.00100")
        venue.wait_until_level("stream events")
        server.kill()
        server.start()
        had = server.client().xlen("events")
        venue.order("alice", "BUY", "50000", "0.00100")
        venue.wait_until_level("stream events")
        head = venue.operate("GET", "/status").json()["sequence"]
        venue.wait_for(lambda: "it has gone back" in venue.stderr_text())
        venue.stop()
        found = entries(server.client())
        check_complete(found, head)
        assert len(found) > had + 20
    finally:
        server.remove()


async def test_a_stream_has_each_event_once_through_kills_of_either_side(tmp_path, server):
    venue = await kills(tmp_path, [f"{server.url()}?kinds=streams"], server, ROUNDS, seed=5)
    venue.wait_until_level("stream events")
    head = venue.operate("GET", "/status").json()["sequence"]
    venue.stop()
    check_complete(entries(server.client()), head)
    (sink,) = sinks(venue.data).values()
    assert (sink["position"], sink["head"], sink["state"]) == (head, head, "level"), sink


def read(pubsub, until):
    """Messages of subscribed channels until one of them is what is waited for."""
    messages, end = [], time.monotonic() + DEADLINE_S
    while time.monotonic() < end:
        message = pubsub.get_message(ignore_subscribe_messages=True, timeout=0.5)
        if message:
            messages.append((message["channel"], json.loads(message["data"])))
            if until(*messages[-1]):
                return messages
    raise AssertionError(messages[-10:])


def test_channels_carry_the_market_and_a_book_is_kept_by_them(tmp_path, server):
    venue = Publishing(tmp_path, f"{server.url()}?kinds=channels+cache&prefix=test.")
    pubsub = server.client().pubsub()
    pubsub.subscribe("test.trade_events", "test.bbo", "test.l2")
    client = server.client()
    venue.wait_for(lambda: client.get("test.order_book_snapshot:BTCUSDT"))
    start = json.loads(client.get("test.order_book_snapshot:BTCUSDT"))
    for number in range(40):
        venue.order("alice", "BUY", str(60_000 - number % 7), "0.00300")
        venue.order("bob", "SELL", str(60_001 - number % 5), "0.00200")
    taken, _ = venue.order("bob", "SELL", "59990", "0.01000")
    last = taken["fills"][-1]["tradeId"]
    messages = read(pubsub, lambda _, it: it.get("tradeId") == last)
    depth = venue.get("depth", symbol="BTCUSDT", limit=5000)
    book_ends = ("test.l2", depth["lastUpdateId"])
    messages += read(pubsub, lambda channel, it: (channel, it["updateId"]) == book_ends)

    trades = [it for channel, it in messages if channel == "test.trade_events"]
    theirs = venue.get("trades", symbol="BTCUSDT", limit=1000)
    assert [it["tradeId"] for it in trades] == [it["id"] for it in theirs]
    for mine, its in zip(trades, theirs):
        assert [Decimal(mine[name]) for name in ("price", "quantity", "quote")] == [
            Decimal(its[name]) for name in ("price", "qty", "quoteQty")
        ]
        assert mine["side"] == ("SELL" if its["isBuyerMaker"] else "BUY")

    described = {"test.trade_events": "PublicTrade", "test.bbo": "Bbo", "test.l2": "L2"}
    for channel, it in messages:
        schema(described[channel]).validate(it)

    book = {side: dict(start[side]) for side in ("bids", "asks")}
    next_id = start["updateId"] + 1
    for channel, it in messages:
        if channel != "test.l2" or it["updateId"] < next_id:
            continue
        assert it["firstUpdateId"] <= next_id, (it, next_id)
        next_id = it["updateId"] + 1
        for side in book:
            book[side].update(it[side])
    levels = {
        side: {price: quantity for price, quantity in of.items() if Decimal(quantity) > 0}
        for side, of in book.items()
    }
    assert levels == {side: dict(depth[side]) for side in book}
    best = [it for channel, it in messages if channel == "test.bbo"][-1]
    assert [best["bidPrice"], best["bidQuantity"]] == depth["bids"][0]
    venue.stop()


def test_keys_have_the_present_state_and_come_back_within_a_second(tmp_path, server):
    venue = Publishing(tmp_path, f"{server.url()}?kinds=cache&levels=3")
    client = server.client()

    def key(name):
        return json.loads(client.get(name) or "{}")

    for number in range(6):
        venue.order("alice", "BUY", str(60_000 - number), "0.00300")
    venue.order("bob", "SELL", "59999", "0.00400")
    depth = venue.get("depth", symbol="BTCUSDT", limit=3)
    venue.wait_for(lambda: key("order_book_snapshot:BTCUSDT").get("bids") == depth["bids"])
    snapshot = key("order_book_snapshot:BTCUSDT")
    assert (snapshot["updateId"], snapshot["asks"]) == (depth["lastUpdateId"], [])
    assert [key("bbo:BTCUSDT")["bidPrice"], key("bbo:BTCUSDT")["bidQuantity"]] == depth["bids"][0]
    day = venue.get("ticker/24hr", symbol="BTCUSDT")
    ticker = key("ticker:BTCUSDT")
    assert ticker["count"] == day["count"]
    for name in ("lastPrice", "openPrice", "highPrice", "lowPrice", "volume", "quoteVolume"):
        assert Decimal(ticker[name]) == Decimal(day[name]), name

    query = venue.signed("alice", omitZeroBalances="true")
    owned = requests.get(f"{venue.url}/api/v3/account?{query}", headers=venue.header("alice")).json()

    def balances():
        return {it["asset"]: (it["free"], it["locked"]) for it in key("balance:alice").get("balances", ())}

    theirs = {it["asset"]: (it["free"], it["locked"]) for it in owned["balances"]}
    venue.wait_for(lambda: balances() == theirs)
    sequence = venue.operate("GET", "/status").json()["sequence"]
    assert key("balance:alice")["sequence"] == sequence == key("ticker:BTCUSDT")["sequence"]

    described = {"order_book_snapshot": "Snapshot", "bbo": "Bbo", "ticker": "Ticker"}
    for name in client.keys():
        kind = name.split(":")[0]
        schema(described.get(kind, "Balances")).validate(key(name))
    client.flushall()
    venue.wait_for(lambda: not client.exists("balance:alice"))
    client.client_kill_filter(_type="normal", skipme=True)
    venue.wait_for(lambda: balances() == theirs and client.exists("balance:bob"))
    names = [f"{name}:BTCUSDT" for name in ("order_book_snapshot", "bbo", "ticker")]
    client.delete(*names)
    venue.wait_for(lambda: client.exists(*names) == 3, timeout=2)
    assert client.exists("events") == 0
    venue.stop()


def test_a_cluster_takes_all_kinds(tmp_path):
    nodes = [
        RedisServer(fsync=None, cluster_enabled="yes", cluster_node_timeout=2_000)
        for _ in range(3)
    ]
    try:
        places = [f"127.0.0.1:{node.port}" for node in nodes]
        made = subprocess.run(
            ["redis-cli", "-a", PASSWORD, "--cluster", "create", *places, "--cluster-yes"],
            capture_output=True, text=True,
        )
        assert made.returncode == 0, made.stdout + made.stderr
        url = f"redis-cluster://:{PASSWORD}@{places[0]}?nodes={places[1]}+{places[2]}"
        cluster = redis.RedisCluster("127.0.0.1", nodes[0].port, password=PASSWORD, decode_responses=True)
        deadline = time.monotonic() + DEADLINE_S
        while cluster.cluster_info(target_nodes="random")["cluster_state"] != "ok":
            assert time.monotonic() < deadline
            time.sleep(0.05)
        pubsub = nodes[2].client().pubsub()
        pubsub.subscribe("trade_events")
        venue = Publishing(tmp_path, url)
        venue.wait_until_level("channels and cache")
        for number in range(20):
            venue.order("alice", "BUY", "60000", "0.00300")
            venue.order("bob", "SELL", "60000", "0.00300")
        messages = read(pubsub, lambda _, it: it["tradeId"] >= 20)
        assert [it["tradeId"] for _, it in messages] == list(range(1, 21))
        venue.wait_until_level("stream events")
        head = venue.operate("GET", "/status").json()["sequence"]
        check_complete(entries(cluster), head)
        venue.wait_for(lambda: json.loads(cluster.get("ticker:BTCUSDT") or "{}").get("count") == 20)
        venue.stop()
    finally:
        for node in nodes:
            node.remove()


def test_what_is_wrong_with_redis_is_one_sentence_and_delays_no_order(tmp_path, server):
    client = server.client()
    wrong = server.url(password="not-it")
    venue = Publishing(tmp_path, f"{wrong}?kinds=streams")

    def alarm():
        return venue.gauge("alarm", "stream") == 1

    def stands(sentence):
        for _ in range(2):
            _, took = venue.order("alice", "BUY", "50000", "0.00100")
            assert took < ORDER_MAX_S
            venue.wait_for(lambda: alarm() and sentence in venue.stderr_text())

    def goes_on():
        venue.wait_for(lambda: not alarm())
        venue.wait_until_level("stream")

    stands("does not admit the venue: wrong user or password")
    (sink,) = sinks(venue.data).values()
    assert sink["state"] == "failing" and "wrong user or password" in sink["reason"], sink
    assert "not-it" not in venue.stderr_text() + json.dumps(sink)
    client.config_set("requirepass", "not-it")
    client.config_rewrite()
    server.password = "not-it"
    goes_on()

    client = server.client()
    client.config_set("maxmemory", 1)
    stands("has no memory left")
    client.config_set("maxmemory", 0)
    goes_on()

    client.delete("events")
    venue.order("alice", "BUY", "50000", "0.00100")
    venue.wait_for(lambda: "was deleted while the venue published to it" in venue.stderr_text())
    goes_on()
    assert "what was published is no longer there" in venue.stderr_text()
    assert client.xlen("events") > 0

    client.execute_command("ACL", "SETUSER", "default", "-xadd")
    stands("does not allow what publishing needs")
    client.execute_command("ACL", "SETUSER", "default", "+xadd")
    goes_on()

    server.freeze()
    for _ in range(50):
        _, took = venue.order("alice", "BUY", "50000", "0.00100")
        assert took < ORDER_MAX_S
    server.thaw()
    goes_on()
    venue.stop()

    other = tmp_path / "other"
    other.mkdir()
    venue = Publishing(other, f"{server.url()}?kinds=streams")
    stands("holds events that the log here does not have")
    client.delete("events")
    goes_on()
    server.stop()
    stands("cannot be reached")
    server.start()
    goes_on()
    venue.stop()


def test_urls_that_cannot_be_used_end_the_start_without_a_password(tmp_path):
    for url, sentence in [
        ("redis://:secret@127.0.0.1:1?kinds=all", "kinds are streams, channels and cache"),
        ("amqp://:secret@127.0.0.1", "this build publishes to"),
        ("redis://:secret@127.0.0.1:1?password-file=/none", "/none: No such file"),
    ]:
        with pytest.raises(RuntimeError) as refused:
            Publishing(tmp_path, url)
        assert sentence in str(refused.value) and "secret" not in str(refused.value)
