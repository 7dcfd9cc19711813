"""Streams of auctions, phases, halts and rules, over the client `websockets`: each message is one of api/asyncapi.yaml.

Each says at its end how long after the operator's request it came; bench/results has the times of a release build.
"""

import json
import time

import jsonschema_rs
import pytest
import requests
import yaml
from websockets.sync.client import connect

from venue import DEADLINE_S, ROOT, Venue

COMPONENTS = yaml.safe_load((ROOT / "api/asyncapi.yaml").read_text())["components"]
STREAMS = {"!status@arr": "symbolStatuses", "btcusdt@auction": "auction"}


class Reader:
    def __init__(self, venue, socket):
        self.venue, self.socket, self.times = venue, socket, []
        self.waiting = {stream: [] for stream in STREAMS}

    def next_of(self, stream):
        while not self.waiting[stream]:
            message = json.loads(self.socket.recv(timeout=DEADLINE_S))
            payload = COMPONENTS["messages"][STREAMS[message["stream"]]]["payload"]
            jsonschema_rs.validate({**payload, "components": COMPONENTS}, message["data"])
            self.waiting[message["stream"]].append(message["data"])
        return self.waiting[stream].pop(0)

    def after(self, what, method, path, body=None, stream="!status@arr", is_it=lambda data: True):
        """The first message of a stream after an operator's request that is the one."""
        begun = time.perf_counter()
        answer = self.venue.operate(method, path, body)
        assert answer.status_code == 200, answer.text
        while not is_it(found := self.next_of(stream)):
            pass
        self.times.append((what, time.perf_counter() - begun))
        return found


@pytest.fixture
def reader(tmp_path):
    venue = Venue(tmp_path, "--no-bots")
    with connect(f"{venue.socket}/stream?streams={'/'.join(STREAMS)}") as socket:
        reader = Reader(venue, socket)
        yield reader
    venue.stop()
    print(*(f"{what}: {1000 * seconds:.1f} ms after the request" for what, seconds in reader.times), sep="\n")


def order(venue, name, **parameters):
    query = venue.signed(name, symbol="BTCUSDT", quantity=1, **parameters)
    answer = requests.post(f"{venue.url}/api/v3/order?{query}", headers=venue.header(name))
    assert answer.status_code == 200, answer.text


def test_each_change_of_an_operator_is_on_its_stream(reader):
    causes = {status["s"]: status["c"] for status in reader.next_of("!status@arr")}
    assert causes["BTCUSDT"] == "PRESENT"
    phase = "/instruments/BTCUSDT/phase"
    (opened,) = reader.after("phase", "PUT", phase, {"phase": "OpeningAuction"})
    assert (opened["s"], opened["c"]) == ("BTCUSDT", "PHASE")
    for name, side in (("alice", "SELL"), ("bob", "BUY")):
        order(reader.venue, name, side=side, type="LIMIT", timeInForce="GTC", price="50000")
    while (would := reader.next_of("btcusdt@auction"))["p"] is None:
        pass
    assert (float(would["p"]), float(would["q"]), would["x"]) == (50_000, 1, False)
    is_over = lambda auction: auction["x"]
    result = reader.after("auction", "PUT", phase, {"phase": "Continuous"}, "btcusdt@auction", is_over)
    assert (float(result["p"]), float(result["q"]), result["x"]) == (50_000, 1, True)
    (continuous,) = reader.next_of("!status@arr")
    assert continuous["c"] == "PHASE"
    halted = reader.after("halt", "POST", "/halt", {"level": 1})
    assert {status["c"] for status in halted} == {"HALT"} and len(halted) == len(causes)
    resumed = reader.after("resume", "POST", "/resume")
    assert {status["c"] for status in resumed} == {"HALT"}
    (ruled,) = reader.after("rules", "PATCH", "/instruments/ETHUSDT/rules", {"max_stop_orders": 7})
    assert (ruled["s"], ruled["c"]) == ("ETHUSDT", "RULES")
    assert max(seconds for _, seconds in reader.times) < 1, reader.times
