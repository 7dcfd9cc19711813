"""Orders from Redis: the stream, the list, replies, kills of either side, bad input.

Each test starts a server of its own. BUTTONWOOD_DATABASE_ROUNDS sets the number of rounds of kills.
"""

import collections
import contextlib
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import disk
import jsonschema_rs
import pytest
import redis
import requests
import yaml

from certificates import certificate
from fed import ROUNDS as FEWER
from machine import Machine
from redis_server import PASSWORD, RedisServer
from venue import DEADLINE_S, ROOT, Venue

pytestmark = pytest.mark.databases
ROUNDS = 2 * FEWER
DOCUMENT = yaml.safe_load((ROOT / "api/intake.yaml").read_text())
# Without an answer for so long an order would have waited for Redis.
ORDER_MAX_S = 1.0
PRODUCERS = 3


@pytest.fixture
def server():
    running = RedisServer()
    yield running
    running.remove()


@pytest.fixture(autouse=True)
def none_left():
    """A test that fails leaves no venue behind."""
    yield
    for process in Fed.processes:
        process.kill()
    Fed.processes.clear()


class Fed(Venue):
    """A venue that takes orders from the Redis of this address."""

    processes = []

    def __init__(self, folder, url, *flags, **others):
        environment = {**os.environ, "BUTTONWOOD_INTAKE": url}
        super().__init__(folder, "--no-bots", *flags, env=environment, **others)
        self.processes.append(self.process)

    def gauge(self, name):
        text = requests.get(f"{self.url}/metrics", timeout=DEADLINE_S).text
        line = next(line for line in text.splitlines() if line.startswith(f"buttonwood_intake_{name} "))
        return float(line.split()[1])

    def said(self):
        return (self.folder / "stderr.txt").read_text()

    def wait_for(self, what, timeout=DEADLINE_S):
        end = time.monotonic() + timeout
        while not what():
            assert time.monotonic() < end, self.said()[-3000:]
            time.sleep(0.02)

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.stderr.close()

    def rest_order(self):
        """Sends an order over REST, and returns how long its answer took."""
        query = self.signed(
            "alice", symbol="BTCUSDT", side="BUY", type="LIMIT", timeInForce="IOC", quantity="0.001", price="10000"
        )
        begun = time.monotonic()
        answer = requests.post(f"{self.url}/api/v3/order?{query}", headers=self.header("alice"), timeout=DEADLINE_S)
        assert answer.status_code == 200, answer.text
        return time.monotonic() - begun

    def orders(self, name):
        """All orders of an account, oldest first."""
        found, from_id = [], 0
        while True:
            query = self.signed(name, symbol="BTCUSDT", orderId=from_id, limit=1000)
            answer = requests.get(f"{self.url}/api/v3/allOrders?{query}", headers=self.header(name), timeout=DEADLINE_S)
            if answer.status_code == 503:
                time.sleep(0.05)  # History is behind.
                continue
            assert answer.status_code == 200, answer.text
            found += answer.json()
            if len(answer.json()) < 1000:
                return found
            from_id = found[-1]["orderId"] + 1


class Desk:
    """A program that pushes orders and reads replies, each of which is one of api/intake.yaml."""

    def __init__(self, server):
        self.client = server.client()
        self.last = "0-0"
        self.checks = {name: self.check_of(name) for name in ("Order", "Reply", "Reject")}

    def check_of(self, name):
        return jsonschema_rs.validator_for({**DOCUMENT, "$ref": f"#/components/schemas/{name}"})

    def push(self, **message):
        self.checks["Order"].validate(message)
        return self.client.xadd("orders", {"data": json.dumps(message)})

    def push_to_list(self, **message):
        self.checks["Order"].validate(message)
        self.client.lpush("order_queue", json.dumps(message))

    def replies(self, count, timeout=DEADLINE_S):
        """The next replies."""
        found, end = [], time.monotonic() + timeout
        while len(found) < count:
            left = int(1000 * (end - time.monotonic()))
            assert left > 0, found
            for _, entries in self.client.xread({"order_replies": self.last}, block=left, count=count - len(found)):
                for self.last, fields in entries:
                    assert list(fields) == ["data"]
                    reply = json.loads(fields["data"])
                    self.checks["Reply"].validate(reply)
                    found.append(reply)
        return found

    def ask(self, **message):
        stream_id = self.push(**message)
        [reply] = self.replies(1)
        assert reply["streamId"] == stream_id
        return reply

    def rejects(self):
        found = [fields for _, fields in self.client.xrange("order_rejects")]
        for fields in found:
            self.checks["Reject"].validate(fields)
        return found


def limit(side, price, name="alice", **more):
    terms = {"symbol": "BTCUSDT", "side": side, "type": "LIMIT", "quantity": "0.001", "price": price}
    return {"account": name, **terms, **more}


def test_orders_are_taken_from_stream_and_list_and_get_replies(tmp_path, server):
    venue, desk = Fed(tmp_path, server.url()), Desk(server)
    rested = desk.ask(**limit("SELL", 60_000.5, id="ask-1"))
    assert (rested["status"], rested["id"], rested["clientOrderId"]) == ("NEW", "ask-1", "ask-1")
    assert (rested["price"], rested["executedQty"]) == ("60000.50000000", "0.00000000")
    desk.push_to_list(**limit("BUY", "60000.50", name="bob", id="bid-1", timeInForce="IOC"))
    [filled] = desk.replies(1)
    assert (filled["status"], filled["id"], filled["executedQty"]) == ("FILLED", "bid-1", "0.00100000")
    [fill] = filled["fills"]
    assert (fill["price"], fill["qty"], fill["commissionAsset"]) == ("60000.50000000", "0.00100000", "BTC")
    # A list is taken in the order in which it was pushed.
    for number in range(1200):
        desk.push_to_list(**limit("BUY", "10000", id=f"list-{number}", timeInForce="IOC"))
    assert [reply["id"] for reply in desk.replies(1200)] == [f"list-{number}" for number in range(1200)]
    # By number, without an id.
    account = filled["account"]
    by_number = desk.ask(**limit("BUY", "20000", name=account))
    assert by_number["status"] == "NEW" and "id" not in by_number
    canceled = desk.ask(action="CANCEL", account="bob", symbol="BTCUSDT", orderId=by_number["orderId"])
    assert (canceled["status"], canceled["action"], canceled["orderId"]) == ("CANCELED", "CANCEL", by_number["orderId"])
    for number in range(3):
        desk.ask(**limit("BUY", "20000", id=f"open-{number}"))
    gone = desk.ask(action="CANCEL", account="alice", symbol="BTCUSDT", origClientOrderId="open-1")
    assert (gone["status"], gone["clientOrderId"]) == ("CANCELED", "open-1")
    all_gone = desk.ask(action="CANCEL_ALL", account="alice", symbol="BTCUSDT")
    assert (all_gone["status"], all_gone["canceled"]) == ("DONE", 2)
    assert desk.ask(action="CANCEL_ALL", account="alice")["canceled"] == 0
    # What the engine refuses has its reason.
    poor = desk.ask(**limit("BUY", "60000", quantity="1000"))
    assert (poor["status"], poor["code"], poor["reason"]) == ("REJECTED", 150, "InsufficientBalance")
    assert desk.rejects() == []
    assert {order["clientOrderId"] for order in venue.orders("bob")} >= {"bid-1"}
    venue.wait_for(lambda: venue.gauge("stream_entries") < 200)
    assert venue.gauge("moved_total") == 1201 and venue.gauge("in_flight") == 0
    assert "appendfsync always" in venue.said() and PASSWORD not in venue.said()
    venue.stop()


def test_an_id_is_carried_out_once_and_an_entry_too(tmp_path, server):
    venue, desk = Fed(tmp_path, server.url()), Desk(server)
    first = desk.ask(**limit("BUY", "20000", id="once"))
    again = desk.ask(**limit("BUY", "20000", id="once"))
    assert again["repeated"] and again["orderId"] == first["orderId"]
    refused = desk.ask(**limit("BUY", "60000", quantity="1000", id="poor"))
    assert desk.ask(**limit("BUY", "1", quantity="1000", id="poor")) | {"streamId": 0} == refused | {
        "streamId": 0,
        "repeated": True,
    }
    # An id is one of its account and of its action.
    assert "repeated" not in desk.ask(**limit("BUY", "20000", name="bob", id="once"))
    cancel = {"action": "CANCEL", "account": "alice", "symbol": "BTCUSDT", "origClientOrderId": "once"}
    assert desk.ask(**cancel, id="once")["status"] == "CANCELED"
    assert desk.ask(**cancel, id="once")["repeated"]
    venue.stop()
    # Entries and replies that a crash has kept from each other: they are answered again.
    desk.push(**limit("BUY", "20000", id="while-away"))
    last = desk.client.xrevrange("order_replies", count=3)
    for entry, _ in last:
        desk.client.xdel("order_replies", entry)
    desk.client.xtrim("order_replies", maxlen=2, approximate=False)
    venue = Fed(tmp_path, server.url())
    venue.wait_for(lambda: venue.gauge("replies_total") > 0)
    replies = desk.replies(4)
    assert [reply["streamId"] for reply in replies[:3]] == [json.loads(f["data"])["streamId"] for _, f in last[::-1]]
    assert all(reply["repeated"] for reply in replies[:3])
    assert (replies[3]["id"], replies[3]["status"]) == ("while-away", "NEW") and "repeated" not in replies[3]
    names = collections.Counter(order["clientOrderId"] for order in venue.orders("alice"))
    assert (names["once"], names["while-away"]) == (1, 1)
    venue.stop()


def test_an_order_that_was_taken_stays_taken_under_other_settings(tmp_path, server):
    venue, desk = Fed(tmp_path, server.url()), Desk(server)
    desk.ask(**limit("BUY", "20000", id="first"))
    stream_id = desk.ask(**limit("BUY", "20000", id="taken"))["streamId"]
    venue.kill()
    # As if the crash had come before the reply.
    [(last, _)] = desk.client.xrevrange("order_replies", count=1)
    desk.client.xdel("order_replies", last)
    venue = Fed(tmp_path, server.url(), "--intake-accounts", "bob")
    [reply] = desk.replies(1)
    assert (reply["streamId"], reply["status"], reply["reason"]) == (stream_id, "UNKNOWN", "OutcomeGone")
    assert reply["repeated"] and desk.rejects() == []
    assert desk.ask(**limit("BUY", "20000"))["reason"] == "AccountNotAllowed"
    venue.stop()


def test_what_cannot_be_read_is_a_dead_letter(tmp_path, server):
    venue, desk = Fed(tmp_path, server.url(), "--intake-accounts", "alice"), Desk(server)
    wrong = {
        "{": ("MessageMalformed", 1002),
        "[]": ("MessageMalformed", 1002),
        "\xff": ("MessageMalformed", 1002),
        '{"prize": 1}': ("MessageMalformed", 1002),
        "x" * 5000: ("MessageTooLong", 1001),
        json.dumps(limit("BUY", "1.001")): ("FieldInvalid", 1004),
        json.dumps(limit("BUY", "1", symbol="NONE")): ("UnknownSymbol", 1006),
        json.dumps(limit("BUY", "1", name="nobody")): ("UnknownAccount", 1007),
        json.dumps(limit("BUY", "1", name=0)): ("UnknownAccount", 1007),
        json.dumps(limit("BUY", "1", name="bob")): ("AccountNotAllowed", 1008),
        json.dumps({"symbol": "BTCUSDT", "side": "BUY", "type": "MARKET"}): ("FieldMissing", 1003),
        json.dumps(limit("BUY", "1", stopPrice="2")): ("FieldNotAllowed", 1005),
    }
    ids = {text: desk.client.xadd("orders", {"data": text}) for text in wrong}
    ids[""] = desk.client.xadd("orders", {"other": "field"})
    wrong[""] = ("MessageMissing", 1000)
    # The account may be left out where only one can be meant.
    order = limit("BUY", "20000")
    del order["account"]
    desk.push(**order)
    *refused, taken = desk.replies(len(wrong) + 1)
    assert taken["status"] == "NEW"
    for text, reply in zip(wrong, refused):
        assert (reply["status"], reply["reason"], reply["code"]) == ("REJECTED", *wrong[text]), text
        assert reply["streamId"] == ids[text]
    rejects = desk.rejects()
    assert [(fields["id"], fields["data"]) for fields in rejects] == [(ids[text], text[:4096]) for text in wrong]
    assert [fields["reason"] for fields in rejects] == [reply["msg"] for reply in refused]
    # An id that no number has room for.
    large = desk.client.xadd("orders", {"data": json.dumps(order)}, id=f"{2**45}-0")
    [reply] = desk.replies(1)
    assert (reply["streamId"], reply["reason"]) == (large, "StreamIdTooLarge")
    venue.wait_for(lambda: venue.gauge("rejects_total") == len(wrong) + 1)
    venue.stop()
    # They are done: the next start takes none of them again.
    venue = Fed(tmp_path, server.url())
    time.sleep(2)
    assert venue.gauge("taken_total") == 0
    # After it all ids are too large, until the stream is deleted.
    desk.push(**limit("BUY", "20000"))
    assert [reply["reason"] for reply in desk.replies(1)] == ["StreamIdTooLarge"]
    desk.client.delete("orders")
    venue.wait_for(lambda: venue.gauge("alarm") == 1)
    desk.push(**limit("BUY", "20000"))
    assert [reply["status"] for reply in desk.replies(1)] == ["NEW"]
    venue.stop()


class Producer(threading.Thread):
    """Pushes orders as a service does: what got no answer is pushed again under its id."""

    def __init__(self, server, label):
        super().__init__()
        self.server, self.label, self.pushed, self.stopped = server, label, [], threading.Event()

    def run(self):
        chance, number, client = random.Random(self.label), 0, None
        message = None
        while message is not None or not self.stopped.is_set():
            try:
                client = client or self.server.client(socket_timeout=2)
                if message is None:
                    number += 1
                    message = limit(
                        chance.choice(("BUY", "SELL")),
                        str(60_000 + chance.randint(-20, 20)),
                        name=chance.choice(("alice", "bob")),
                        id=f"{self.label}-{number}",
                        timeInForce="IOC" if chance.random() < 0.9 else "GTC",
                        quantity=f"0.000{chance.randint(10, 99)}",
                    )
                if chance.random() < 0.5:
                    client.xadd("orders", {"data": json.dumps(message)})
                else:
                    client.lpush("order_queue", json.dumps(message))
                self.pushed.append(message)
                message = None
                time.sleep(0.001)
            except redis.RedisError:
                client = None
                time.sleep(0.02)


def test_kills_of_either_side_lose_and_double_nothing(tmp_path, server):
    chance, pushed = random.Random(7), []
    venue = None
    for number in range(ROUNDS):
        venue = venue or Fed(tmp_path, server.url(), "--snapshot-every", "500")
        producers = [Producer(server, f"{number}-{at}") for at in range(PRODUCERS)]
        for producer in producers:
            producer.start()
        time.sleep(chance.uniform(0.3, 0.9))
        victim = ("venue", "redis", "both", "redis first")[number % 4]
        if victim != "venue":
            server.kill()
            time.sleep(chance.uniform(0.0, 0.2))
        if victim != "redis":
            venue.kill()
            venue = None
        if victim != "venue":
            server.start()
            time.sleep(chance.uniform(0.0, 0.3))
        for producer in producers:
            producer.stopped.set()
        for producer in producers:
            producer.join()
            pushed += producer.pushed
    venue = venue or Fed(tmp_path, server.url())
    desk = Desk(server)
    ids = {message["id"] for message in pushed}
    assert len(ids) == len(pushed) > 100 * ROUNDS
    answered = {}
    end = time.monotonic() + DEADLINE_S
    while not ids <= answered.keys():
        assert time.monotonic() < end, (len(ids - answered.keys()), venue.said()[-3000:])
        for reply in desk.replies(1):
            first = answered.setdefault(reply["id"], reply)
            assert reply.get("orderId") == first.get("orderId"), (first, reply)
    found = collections.Counter()
    for name in ("alice", "bob"):
        found.update(order["clientOrderId"] for order in venue.orders(name))
    accepted = {name for name, reply in answered.items() if reply["status"] != "REJECTED"}
    lost = {name for name in accepted if found[name] == 0}
    doubled = {name for name in ids if found[name] > 1}
    assert not lost and not doubled, (lost, doubled)
    assert len(accepted) > 0.9 * len(ids) and desk.rejects() == []
    print(f"{len(ids)} orders over {ROUNDS} kills: {len(lost)} lost, {len(doubled)} doubled")
    venue.stop()


def poor_user(server, commands):
    client = server.client()
    client.execute_command("ACL", "SETUSER", "poor", "on", ">" + PASSWORD, "resetkeys", "~*", "-@all", *commands)
    return server.url(user="poor")


NEEDED = "+xread +xadd +xrevrange +xtrim +xlen +xinfo|stream +xdel +xsetid +exists +llen +lrange +rpop +blmove +eval +evalsha +script|load +multi +exec +select +ping".split()


def bad(server):
    """What is wrong: the address, and what the sentence has."""
    client = server.client()
    client.set("of_another", 1)
    few = [command for command in NEEDED if command != "+xread"]
    return {
        "nowhere": ("redis://:x@127.0.0.1:1/0", "cannot be reached"),
        "password": (server.url(password="wrong"), "does not admit the default user"),
        "user": (server.url(user="nemo"), "does not admit nemo"),
        "none": (f"redis://127.0.0.1:{server.port}/0", "does not admit the default user"),
        "rights": (poor_user(server, few), "does not give poor the right to use xread"),
        # It waits for the rest of a command.
        "tls": (server.url().replace("redis://", "rediss://"), "does not answer"),
    }


def check_stands_still(venue, sentence):
    venue.wait_for(lambda: sentence in venue.said())
    venue.wait_for(lambda: venue.gauge("alarm") == 1)
    slowest = max(venue.rest_order() for _ in range(5))
    assert slowest < ORDER_MAX_S


def test_bad_addresses_have_one_sentence_an_alarm_and_orders_go_on(tmp_path, server):
    for name, (url, sentence) in bad(server).items():
        folder = tmp_path / name
        folder.mkdir()
        venue = Fed(folder, url)
        check_stands_still(venue, sentence)
        time.sleep(1)
        venue.stop()
        said = venue.said()
        assert said.count("no orders are taken from Redis") == 1, f"{name}: {said}"
        assert PASSWORD not in said and "wrong" not in said.replace("is wrong or missing", "") and ":x@" not in said


def test_a_user_with_few_rights_is_enough(tmp_path, server):
    venue, desk = Fed(tmp_path, poor_user(server, NEEDED)), Desk(server)
    assert desk.ask(**limit("BUY", "20000"))["status"] == "NEW"
    desk.push_to_list(**limit("BUY", "20000"))
    assert desk.replies(1)[0]["status"] == "NEW"
    time.sleep(2)
    assert venue.gauge("failures_total") == 0 and venue.gauge("alarm") == 0, venue.said()
    assert "does not show whether" in venue.said()
    venue.stop()


def test_a_cluster_is_named(tmp_path):
    server = RedisServer(fsync=None, cluster_enabled="yes")
    try:
        server.client().execute_command("CLUSTER", "ADDSLOTSRANGE", 0, 100)
        venue = Fed(tmp_path, server.url())
        check_stands_still(venue, "is part of a cluster")
        venue.stop()
    finally:
        server.remove()


def test_keys_of_another_kind_are_named(tmp_path, server):
    server.client().set("orders", "text")
    venue = Fed(tmp_path, server.url())
    check_stands_still(venue, "has other data under the keys of the intake")
    server.client().delete("orders")
    venue.wait_for(lambda: venue.gauge("alarm") == 0)
    assert Desk(server).ask(**limit("BUY", "20000"))["status"] == "NEW"
    venue.stop()


@pytest.mark.parametrize("how", ["stopped", "frozen", "killed"])
def test_a_server_that_is_away_delays_no_order(tmp_path, server, how):
    venue, desk = Fed(tmp_path, server.url()), Desk(server)
    desk.ask(**limit("BUY", "20000", id="before"))
    {"stopped": server.stop, "frozen": server.freeze, "killed": server.kill}[how]()
    check_stands_still(venue, "does not answer" if how == "frozen" else "cannot be reached")
    (server.thaw if how == "frozen" else server.start)()
    desk.client = server.client()
    assert desk.ask(**limit("BUY", "20000", id="after"))["status"] == "NEW"
    venue.wait_for(lambda: venue.gauge("alarm") == 0)
    assert venue.said().count("orders are taken from Redis again") == 1
    venue.stop()


def test_a_stream_that_is_gone_is_named_and_begins_anew(tmp_path, server):
    venue, desk = Fed(tmp_path, server.url()), Desk(server)
    first = desk.ask(**limit("BUY", "20000", id="first"))
    desk.client.delete("orders")
    check_stands_still(venue, "the stream orders was deleted")
    assert venue.said().count("the stream orders was deleted") == 1
    # Ids go on above the last one.
    venue.wait_for(lambda: desk.client.exists("orders"))
    assert desk.client.xinfo_stream("orders")["last-generated-id"] >= first["streamId"]
    assert desk.ask(**limit("BUY", "20000", id="second"))["status"] == "NEW"
    # A server that was restored from a copy gives ids that were used.
    desk.client.delete("orders")
    old = desk.client.xadd("orders", {"data": json.dumps(limit("BUY", "20000", id="third"))}, id="5-1")
    [reply] = desk.replies(1)
    assert (reply["streamId"], reply["status"], reply["reason"]) == (old, "REJECTED", "NumberNotRising")
    assert desk.rejects()[-1]["id"] == old
    assert desk.ask(**limit("BUY", "20000", id="fourth"))["status"] == "NEW"
    names = collections.Counter(order["clientOrderId"] for order in venue.orders("alice"))
    assert [names[name] for name in ("first", "second", "third", "fourth")] == [1, 1, 0, 1]
    venue.stop()


def test_a_server_without_memory_keeps_the_list_and_loses_nothing(tmp_path, server):
    venue, desk = Fed(tmp_path, server.url()), Desk(server)
    desk.ask(**limit("BUY", "20000"))
    pushed = 300
    together = desk.client.pipeline(transaction=True)
    for number in range(pushed):
        together.lpush("order_queue", json.dumps(limit("BUY", "10000", id=f"m-{number}", timeInForce="IOC")))
    together.config_set("maxmemory", 1).execute()
    check_stands_still(venue, "has no memory left")
    assert desk.client.llen("order_queue") == pushed
    desk.client.config_set("maxmemory", 0)
    ids = {reply["id"] for reply in desk.replies(pushed)}
    while len(ids) < pushed:
        ids.update(reply["id"] for reply in desk.replies(1))
    names = collections.Counter(order["clientOrderId"] for order in venue.orders("alice"))
    assert [names[f"m-{number}"] for number in range(pushed)] == [1] * pushed
    venue.wait_for(lambda: venue.gauge("alarm") == 0)
    venue.stop()


def test_an_entry_of_which_the_venue_knows_nothing_any_more_is_unknown(tmp_path, server):
    venue, desk = Fed(tmp_path, server.url()), Desk(server)
    for _ in range(5):
        many = desk.client.pipeline()
        for _ in range(1000):
            many.xadd("orders", {"data": json.dumps(limit("BUY", "10000", timeInForce="IOC"))})
        many.execute()
    assert {reply["status"] for reply in desk.replies(5000)} == {"EXPIRED"}
    desk.client.delete("orders")
    # Below the numbers that the engine remembers: an entry with this id may have been taken.
    old = desk.client.xadd("orders", {"data": json.dumps(limit("BUY", "10000"))}, id="5-1")
    [reply] = desk.replies(1)
    assert (reply["streamId"], reply["status"], reply["reason"]) == (old, "UNKNOWN", "NumberForgotten")
    assert [fields["id"] for fields in desk.rejects()] == [old]
    venue.stop()


def test_with_a_full_disk_the_venue_takes_cancels_from_redis(tmp_path, server, shim):
    machine = Machine(tmp_path, shim, "--no-bots", "--log-segment-kib", "16", "--intake", server.url())
    venue = machine.start()
    Fed.processes.append(venue.process)
    desk = Desk(server)
    first = desk.ask(**limit("BUY", "20000"))
    machine.disk.set_free(0)
    while (reply := desk.ask(**limit("BUY", "10000", timeInForce="IOC")))["status"] == "EXPIRED":
        pass
    assert (reply["status"], reply["reason"], reply["code"]) == ("REJECTED", "DiskFull", 1012)
    cancel = {"action": "CANCEL", "account": "alice", "symbol": "BTCUSDT", "orderId": first["orderId"]}
    assert desk.ask(**cancel)["status"] == "CANCELED"
    assert desk.rejects()[0]["id"] == reply["streamId"]
    machine.disk.set_free(disk.UNLIMITED)
    while desk.ask(**limit("BUY", "20000"))["status"] != "NEW":
        time.sleep(0.05)
    disk.kill_group(venue.process)
    venue.stderr.close()


@pytest.mark.skipif(os.geteuid() != 0, reason="to mount a small disk takes root")
def test_a_full_disk_of_redis_is_named_and_orders_go_on(tmp_path):
    small = pathlib.Path(tempfile.mkdtemp(prefix="bw-redis-disk-", dir="/tmp"))
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "bw", small], capture_output=True).returncode != 0:
        small.rmdir()
        pytest.skip("this machine may not mount a disk")
    server = RedisServer(folder=small, fsync="everysec")
    try:
        venue, desk = Fed(tmp_path, server.url()), Desk(server)
        desk.ask(**limit("BUY", "20000", id="before"))
        assert "appendfsync everysec" in venue.said()
        filler = small / "filler"
        with contextlib.suppress(OSError), open(filler, "wb", buffering=0) as file:
            while True:
                file.write(b"x" * 4096)
        with contextlib.suppress(redis.RedisError):
            while True:
                desk.push(**limit("BUY", "10000", timeInForce="IOC"))
        check_stands_still(venue, "cannot store what is written: its disk is full or fails")
        filler.unlink()

        def takes_orders():
            with contextlib.suppress(redis.RedisError):
                return desk.push(**limit("BUY", "10000", id="after", timeInForce="IOC"))

        venue.wait_for(takes_orders)
        end = time.monotonic() + DEADLINE_S
        while desk.replies(1)[0].get("id") != "after":
            assert time.monotonic() < end
        venue.wait_for(lambda: venue.gauge("alarm") == 0)
        venue.stop()
    finally:
        server.kill()
        subprocess.run(["umount", "--lazy", small], check=True)
        shutil.rmtree(small)


def test_orders_by_tls_and_what_a_server_stores_is_named(tmp_path):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="bw-redis-", dir="/tmp"))
    authority = certificate(folder, "authority")
    certificate(folder, "localhost", authority)
    server = RedisServer(folder, fsync=None, tls=(folder / "localhost.pem", folder / "localhost.key"))
    try:
        url = server.url().replace("127.0.0.1", "localhost")
        (tmp_path / "password").write_text(PASSWORD + "\n")
        bare = url.replace(f":{PASSWORD}@", "")
        flags = ["--intake-ca", folder / "authority.pem", "--intake-password-file", tmp_path / "password"]
        venue, desk = Fed(tmp_path, bare, *flags), Desk(server)
        assert desk.ask(**limit("BUY", "20000"))["status"] == "NEW"
        assert "Redis keeps no log on disk" in venue.said()
        venue.stop()
        # The system's authorities do not know it.
        venue = Fed(tmp_path, url)
        check_stands_still(venue, "cannot be reached")
        venue.stop()
    finally:
        server.remove()


def test_the_example_pushes_by_stream_and_by_list(tmp_path, server):
    venue = Fed(tmp_path, server.url())
    example = ROOT / "examples/intake/producer.py"
    done = subprocess.run([sys.executable, example, server.url()], capture_output=True, text=True, timeout=DEADLINE_S)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(": NEW ") == 2, done.stdout
    venue.stop()
