"""Webhooks: calls that a receiver checks by the library of Standard Webhooks, through kills and refusals."""

import asyncio
import base64
import collections
import http.server
import json
import os
import random
import secrets
import socket
import threading
import time

import aiohttp
import pytest
import standardwebhooks

from ledger import Ledger, check, send
from publishing import ORDER_MAX_S, Publishing, none_left, schema, sinks
from venue import DEADLINE_S

__all__ = ["none_left"]  # A fixture.
ROUNDS = 4


class Receiver:
    """A server that checks each call and keeps it, and can refuse, be silent or be away."""

    def __init__(self, folder):
        self.secret = "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()
        self.file = folder / "secret"
        self.file.write_text(self.secret + "\n")
        self.calls, self.wrong, self.status, self.delay_s = [], [], 204, 0.0
        checked = standardwebhooks.Webhook(self.secret)
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                if receiver.is_away:
                    self.close_connection = True
                    self.connection.shutdown(socket.SHUT_RDWR)
                    return
                body = self.rfile.read(int(self.headers["content-length"])).decode()
                try:
                    checked.verify(body, dict(self.headers))
                except Exception as error:
                    receiver.wrong.append(repr(error))
                time.sleep(receiver.delay_s)
                status = receiver.status
                if status < 300:
                    receiver.calls.append((self.headers["webhook-id"], json.loads(body)))
                self.send_response(status)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.handler, self.port = Handler, 0
        self.start()

    def start(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", self.port), self.handler)
        self.server.daemon_threads, self.is_away = True, False
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def stop(self):
        """Also ends the connections that the venue keeps."""
        self.is_away = True
        self.server.shutdown()
        self.server.server_close()

    def url(self, **settings):
        more = "".join(f"&{name}={value}" for name, value in settings.items())
        return f"http://127.0.0.1:{self.port}/hook?secret-file={self.file}{more}"


@pytest.fixture
def receiver(tmp_path):
    running = Receiver(tmp_path)
    yield running
    running.stop()


async def test_each_fill_is_called_at_least_once_through_kills(tmp_path, receiver):
    chance, ledger = random.Random(3), Ledger()
    for number in range(ROUNDS):
        venue = Publishing(tmp_path, receiver.url(kinds="fills"))
        async with aiohttp.ClientSession(venue.url) as session:
            await check(venue, session, ledger)
            ledger.forget_most(chance)
            senders = [
                asyncio.create_task(send(venue, session, ledger, f"{number}-{at}")) for at in range(4)
            ]
            await asyncio.sleep(chance.uniform(0.3, 0.8))
            receiver.status = 503 if number % 2 else 204
            await asyncio.sleep(chance.uniform(0.1, 0.4))
            venue.process.kill()
            venue.process.wait()
            await asyncio.gather(*senders)
            venue.kill()
            receiver.status = 204
    venue = Publishing(tmp_path, receiver.url(kinds="fills"))
    venue.wait_until_level("/hook")
    trades = [
        trade["id"] for trade in venue.get("historicalTrades", symbol="BTCUSDT", limit=1000, fromId=1)
    ]
    while len(page := venue.get("historicalTrades", symbol="BTCUSDT", limit=1000, fromId=trades[-1] + 1)):
        trades += [trade["id"] for trade in page]
    venue.stop()
    assert receiver.wrong == []
    assert {call["type"] for _, call in receiver.calls} == {"trade.executed"}
    called = collections.defaultdict(set)
    described = schema("Call")
    for name, call in receiver.calls:
        described.validate(call)
        event = call["data"]
        assert name == f"{event['sequence']}-{event.get('index', 0)}"
        called[int(event["trade"]["tradeId"])].add(name)
    assert sorted(called) == trades and len(trades) > 100
    assert all(len(names) == 1 for names in called.values()), "a repeat has the id of the first"


def test_kinds_and_bad_receivers(tmp_path, receiver):
    venue = Publishing(tmp_path, receiver.url(kinds="deposits+withdrawals"))

    def types(reference):
        """Of the calls about this transfer; a demo makes some of its own."""
        calls = (call for _, call in receiver.calls)
        return [call["type"] for call in calls if call["data"]["transfer"]["reference"] == reference]

    def stands(sentence):
        venue.wait_for(lambda: venue.gauge("alarm", "/hook") == 1)
        venue.wait_for(lambda: sentence in venue.stderr_text())
        _, took = venue.order("alice", "BUY", "50000", "0.00100")
        assert took < ORDER_MAX_S

    deposit = {"account": "alice", "asset": "USDT", "amount": "5", "external_ref": "d-1"}
    assert venue.operate("POST", "/deposits", deposit).status_code == 200
    venue.wait_for(lambda: types("d-1") == ["deposit.made"])
    transfer = receiver.calls[-1][1]["data"]["transfer"]
    assert (transfer["account"], transfer["asset"], float(transfer["amount"])) == ("alice", "USDT", 5)

    receiver.status = 500
    assert venue.operate("POST", "/withdrawals", {**deposit, "external_ref": "w-1"}).status_code == 200
    stands("answers with 500 Internal Server Error, and not with 2xx")
    (sink,) = sinks(venue.data).values()
    assert sink["lag_events"] >= 1, sink
    receiver.status = 200
    venue.wait_for(lambda: types("w-1")[:1] == ["withdrawal.requested"] or types("w-1") == ["withdrawal.made"])
    venue.wait_for(lambda: venue.gauge("alarm", "/hook") == 0)
    receiver.stop()
    assert venue.operate("POST", "/deposits", {**deposit, "external_ref": "d-2"}).status_code == 200
    stands("cannot be called")
    receiver.start()
    venue.wait_for(lambda: types("d-2") == ["deposit.made"])
    assert receiver.wrong == []
    assert receiver.secret not in venue.stderr_text()
    venue.stop()


def test_alarms_are_raised_and_over(tmp_path, receiver):
    """Of another receiver, which refuses calls for some time."""
    other_folder = tmp_path / "other"
    other_folder.mkdir()
    other = Receiver(other_folder)
    other.status = 500
    venue = Publishing(tmp_path, receiver.url(kinds="alerts"), other.url(kinds="deposits"))
    deposit = {"account": "alice", "asset": "USDT", "amount": "5", "external_ref": "d-1"}
    assert venue.operate("POST", "/deposits", deposit).status_code == 200
    venue.wait_for(lambda: receiver.calls)
    other.status = 204
    venue.wait_for(lambda: len(receiver.calls) == 2)
    venue.stop()
    other.stop()
    for (name, call), (kind, is_raised) in zip(receiver.calls, [("alarm.raised", True), ("alarm.over", False)]):
        schema("Call").validate(call)
        assert (call["type"], call["data"]["raised"], call["data"]["alarm"]) == (kind, is_raised, "publisher")
        assert name.startswith("alarm-publisher-")
    assert receiver.wrong == []


def test_a_receiver_that_is_away_at_first_gets_what_happened_since(tmp_path, receiver):
    receiver.stop()
    url = receiver.url(kinds="deposits")
    deposit = {"account": "alice", "asset": "USDT", "amount": "5"}
    venue = Publishing(tmp_path, url)
    assert venue.operate("POST", "/deposits", {**deposit, "external_ref": "d-1"}).status_code == 200
    venue.wait_for(lambda: venue.gauge("alarm", "/hook") == 1)
    (sink,) = sinks(venue.data).values()
    assert sink["state"] == "failing" and "cannot be called" in sink["reason"], sink
    venue.stop()
    venue = Publishing(tmp_path, url)
    receiver.start()
    venue.wait_for(
        lambda: any(call["data"]["transfer"]["reference"] == "d-1" for _, call in receiver.calls)
    )
    receiver.delay_s, begun = 20, time.monotonic()
    assert venue.operate("POST", "/deposits", {**deposit, "external_ref": "d-2"}).status_code == 200
    time.sleep(0.5)
    venue.stop()
    assert time.monotonic() - begun < 15, "a slow receiver does not hold the end of the venue"


def test_secrets_that_cannot_be_used_end_the_start(tmp_path):
    file = tmp_path / "secret"
    for text, sentence in [("whsec_c2hvcnQ=", "24 to 64 bytes"), ("plain", "`whsec_`")]:
        file.write_text(text)
        with pytest.raises(RuntimeError) as refused:
            Publishing(tmp_path, f"https://receiver.example/?secret-file={file}")
        assert sentence in str(refused.value) and text not in str(refused.value)
    with pytest.raises(RuntimeError, match="a webhook needs secret-file"):
        Publishing(tmp_path, "https://receiver.example/")
