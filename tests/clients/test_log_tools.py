"""Questions about the log over HTTP, against the tools that read the same folder."""

import json
import os
import pathlib
import signal
import subprocess
import threading
import time

import pytest
import requests

from test_admin_api import operator_key
from venue import BINARY, DEADLINE_S, OperatorSignature, Signature, Venue

SCHED_IDLE = 5


class Desk:
    def __init__(self, venue, key):
        self.venue, self.key = venue, key

    def send(self, path, method="GET", body=None):
        return requests.request(
            method, f"{self.venue.url}/admin/v1{path}", json=body, auth=OperatorSignature(self.key)
        )

    def ask(self, path):
        answer = self.send(path)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def refused(self, status, path):
        answer = self.send(path)
        assert answer.status_code == status, answer.text
        return answer.json()["msg"]

    def tool(self, *words):
        return subprocess.check_output([BINARY, "log", words[0], self.venue.data, *words[1:], "--json"], text=True)

    def children(self):
        pid = self.venue.process.pid
        lists = pathlib.Path(f"/proc/{pid}/task").glob("*/children")
        return sorted({int(child) for text in lists for child in text.read_text().split()})


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    venue = Venue(tmp_path_factory.mktemp("log"), "--no-bots")
    desk = Desk(venue, operator_key(venue))
    for number in range(30):
        order(venue, "alice", "SELL", 50000 + number)
    order(venue, "bob", "BUY", 50010)
    for level in (1, 2):
        assert desk.send("/halt", "POST", {"level": level}).ok
        assert desk.send("/resume", "POST").ok
    yield desk
    venue.stop()


def order(venue, name, side, price):
    fields = {"symbol": "BTCUSDT", "side": side, "type": "LIMIT", "timeInForce": "GTC", "quantity": "0.1", "price": price}
    answer = requests.post(f"{venue.url}/api/v3/order", params=fields, auth=Signature(venue.keys[name]))
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_state_is_that_of_the_tool(desk):
    commands = [json.loads(line) for line in desk.tool("dump").splitlines()]
    middle = commands[len(commands) // 2]
    for at in (str(commands[0]["sequence"]), str(middle["sequence"]), middle["time"]):
        # Twice: the second answer may be of the kept position.
        for _ in range(2):
            assert desk.ask(f"/log/state?at={at}") == json.loads(desk.tool("state", "--until", at))
    assert desk.ask("/log/state") == json.loads(desk.tool("state"))
    # What was applied after the position that is kept.
    order(desk.venue, "alice", "SELL", 60000)
    assert desk.ask("/log/state") == json.loads(desk.tool("state"))
    alone = desk.ask("/log/state?account=bob&symbol=BTCUSDT")
    assert [row["account"] for row in alone["accounts"]] == ["bob"]
    assert [row["symbol"] for row in alone["instruments"]] == ["BTCUSDT"]


def test_pages_lead_through_all_commands_in_both_directions(desk):
    commands = [json.loads(line) for line in desk.tool("dump").splitlines()]
    forward, page = [], {"next": 1}
    while page["next"] is not None:
        page = desk.ask(f"/log/commands?from={page['next']}&limit=7")
        assert len(page["commands"]) <= 7
        forward += page["commands"]
    assert forward == commands
    page = desk.ask("/log/commands?limit=7")
    backward = page["commands"]
    while page["previous"] is not None:
        page = desk.ask(f"/log/commands?to={page['previous']}&limit=7")
        backward = page["commands"] + backward
    assert backward == commands
    # And forth again.
    page = desk.ask(f"/log/commands?to={commands[20]['sequence']}&limit=7")
    assert page["commands"] == commands[14:21]
    assert desk.ask(f"/log/commands?from={page['next']}&limit=1")["commands"] == [commands[21]]


def test_commands_are_found_by_account_instrument_order_and_name(desk):
    def found(query):
        return desk.ask(f"/log/commands?from=1&limit=1000&{query}")["commands"]

    commands = found("")
    halts = [row for row in commands if row["command"] == "HaltVenue"]
    assert found("kind=HaltVenue") == halts and len(halts) == 2
    sent = found("account=bob&kind=NewOrder")
    assert [row["account"] for row in sent] == ["bob"]
    # The operator's commands that name bob are his, too.
    assert {"CreateKey", "Deposit"} <= {row["command"] for row in found("account=bob")}
    assert found("symbol=ETHUSDT&kind=NewOrder") == []
    placed = order(desk.venue, "alice", "SELL", 61000)
    query = {"symbol": "BTCUSDT", "orderId": placed["orderId"]}
    ended = requests.delete(f"{desk.venue.url}/api/v3/order", params=query, auth=Signature(desk.venue.keys["alice"]))
    assert ended.status_code == 200, ended.text
    life = found(f"symbol=BTCUSDT&order={placed['orderId']}")
    assert [row["command"] for row in life] == ["NewOrder", "CancelOrder"]


def test_bad_questions_are_refused_with_a_sentence(desk):
    assert "before the venue's first command" in desk.refused(400, "/log/state?at=2001-09-10T00:00:00Z")
    assert "beyond the end of the log" in desk.refused(400, "/log/state?at=1000000")
    assert "beyond the end of the log" in desk.refused(400, "/log/state?at=2100-01-01T00:00:00Z")
    assert "neither a sequence" in desk.refused(400, "/log/state?at=noon")
    assert "there is no account `carol`" in desk.refused(404, "/log/state?account=carol")
    assert "no instrument" in desk.refused(404, "/log/commands?symbol=XYZ")
    assert "the kind `Halt` is not the name of a command" in desk.refused(400, "/log/commands?kind=Halt")
    assert "limit" in desk.refused(400, "/log/commands?limit=0")
    assert "add `symbol`" in desk.refused(400, "/log/commands?order=1")
    assert "exchange them" in desk.refused(400, "/log/commands?from=9&to=8")
    assert "beyond the end of the log" in desk.refused(400, "/log/commands?from=1000000")
    assert "the query string has `until`" in desk.refused(400, "/log/state?until=1")
    page = desk.ask("/log/commands?from=1&to=1000000000&limit=5")
    assert len(page["commands"]) == 5 and page["next"] == page["commands"][-1]["last_sequence"] + 1


def test_the_readers_take_what_the_venue_leaves_and_are_two_at_most(desk):
    desk.ask("/log/state")
    [first] = desk.children()
    stat = pathlib.Path(f"/proc/{first}/stat").read_text().rsplit(")", 1)[1].split()
    assert int(stat[38]) == SCHED_IDLE
    assert pathlib.Path(f"/proc/{first}/oom_score_adj").read_text().strip() == "1000"
    limits = pathlib.Path(f"/proc/{first}/limits").read_text()
    assert f"{8 << 30}" in next(line for line in limits.splitlines() if line.startswith("Max address space"))
    assert pathlib.Path(f"/proc/{first}/environ").read_bytes() == b""

    answers = []
    stopped = []
    threads = []
    for _ in range(2):
        # The reader that waits is stopped, and the next question is asked of it.
        reader = next(pid for pid in desk.children() if pid not in stopped)
        os.kill(reader, signal.SIGSTOP)
        stopped.append(reader)
        thread = threading.Thread(target=lambda: answers.append(desk.send("/log/state").status_code))
        thread.start()
        threads.append(thread)
        time.sleep(0.3)
        if len(stopped) == 1:
            assert desk.send("/log/state").status_code == 200
    answer = desk.send("/log/state")
    assert (answer.status_code, answer.json()["code"]) == (429, -1008)
    assert "ask again" in answer.json()["msg"]
    order(desk.venue, "alice", "SELL", 62000)
    for reader in stopped:
        os.kill(reader, signal.SIGCONT)
    for thread in threads:
        thread.join(DEADLINE_S)
    assert answers == [200, 200]

    # The system may end one at any time.
    for reader in desk.children():
        os.kill(reader, signal.SIGKILL)
    time.sleep(0.3)
    assert desk.send("/log/state").status_code == 200


def test_a_test_has_no_log_to_ask(tmp_path):
    venue = Venue(tmp_path, keys=tmp_path / "keys.json")
    try:
        desk = Desk(venue, venue.operator)
        assert "keeps no log" in desk.refused(400, "/log/state")
        assert "keeps no log" in desk.refused(400, "/log/commands")
    finally:
        venue.stop()
