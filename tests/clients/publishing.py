"""A venue that publishes its events, and the check of what a place has got."""

import asyncio
import collections
import json
import os
import random
import subprocess
import time

import aiohttp
import jsonschema_rs
import pytest
import requests
import yaml

from ledger import Ledger, check, send
from venue import BINARY, DEADLINE_S, ROOT, Venue

DOCUMENT = yaml.safe_load((ROOT / "api/publishers.yaml").read_text())

# Without an answer for so long an order would have waited for a broker.
ORDER_MAX_S = 1.0
SENDERS = 6


@pytest.fixture(autouse=True)
def none_left():
    """A test that fails leaves no venue behind."""
    yield
    for process in Publishing.processes:
        process.kill()
    Publishing.processes.clear()


class Publishing(Venue):
    """A venue that publishes to these addresses."""

    processes = []

    def __init__(self, folder, *urls, flags=("--no-bots",)):
        environment = {**os.environ, "BUTTONWOOD_PUBLISH": ",".join(urls)}
        super().__init__(folder, *flags, env=environment)
        self.processes.append(self.process)

    def gauge(self, name, sink):
        text = requests.get(f"{self.url}/metrics", timeout=DEADLINE_S).text
        line = next(
            line
            for line in text.splitlines()
            if line.startswith(f"buttonwood_publisher_{name}{{") and sink in line
        )
        return float(line.rsplit(" ", 1)[1])

    def stderr_text(self):
        return (self.folder / "stderr.txt").read_text()

    def wait_for(self, what, timeout=DEADLINE_S):
        end = time.monotonic() + timeout
        while not what():
            assert time.monotonic() < end, self.stderr_text()[-3000:]
            time.sleep(0.02)

    def wait_until_level(self, sink):
        sequence = self.operate("GET", "/status").json()["sequence"]
        self.wait_for(lambda: self.gauge("sequence", sink) >= sequence)

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.stderr.close()

    def order(self, name, side, price, quantity, **more):
        more = {"type": "LIMIT", "timeInForce": "GTC", "price": price, **more}
        query = self.signed(name, symbol="BTCUSDT", side=side, quantity=quantity, **more)
        begun = time.monotonic()
        answer = requests.post(f"{self.url}/api/v3/order?{query}", headers=self.header(name))
        assert answer.status_code == 200, answer.text
        return answer.json(), time.monotonic() - begun

    def get(self, path, **params):
        return requests.get(f"{self.url}/api/v3/{path}", params=params, timeout=DEADLINE_S).json()


async def kills(folder, urls, server, rounds, seed):
    """Orders in rounds, each of which ends with a kill of the venue, of the server, or of both. Returns a venue
    that goes on, whose last command has events."""
    chance, ledger = random.Random(seed), Ledger()
    for number in range(rounds):
        venue = Publishing(folder, *urls)
        async with aiohttp.ClientSession(venue.url) as session:
            await check(venue, session, ledger)
            ledger.forget_most(chance)
            senders = [asyncio.create_task(send(venue, session, ledger, f"{number}-{at}")) for at in range(SENDERS)]
            await asyncio.sleep(chance.uniform(0.2, 0.8))
            if number % 3 != 0:
                server.kill()
                await asyncio.sleep(chance.uniform(0.0, 0.3))
                if number % 3 == 1:
                    server.start()
                    await asyncio.sleep(chance.uniform(0.0, 1.5))
            venue.process.kill()
            venue.process.wait()
            await asyncio.gather(*senders)
            venue.kill()
            if number % 3 == 2:
                server.start()
    venue = Publishing(folder, *urls)
    venue.order("alice", "BUY", "50000", "0.00100")
    return venue


def schema(name):
    """Validates messages as api/publishers.yaml describes them."""
    return jsonschema_rs.validator_for({**DOCUMENT, "$ref": f"#/components/schemas/{name}"})


def sinks(data):
    """What `projection status --json` says of the publishers."""
    done = subprocess.run(
        [BINARY, "projection", "status", data, "--json"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return {sink["name"]: sink for sink in json.loads(done.stdout) if sink["name"] != "sqlite"}


def check_complete(found, head):
    """In order and without a gap or a repeat, by every number that the events have."""
    ids = [tuple(map(int, entry.split("-"))) for entry, _ in found]
    assert ids == sorted(set(ids))
    instruments, accounts, described = collections.Counter(), collections.Counter(), schema("Event")
    for (sequence, index), (_, event) in zip(ids, found):
        described.validate(event)
        assert (int(event["sequence"]), event.get("index", 0)) == (sequence, index)
        if "symbol" in event:
            instruments[event["symbol"]] += 1
            assert int(event["instrumentEvent"]) == instruments[event["symbol"]], event
        for account in event.get("accounts", ()):
            accounts[account["account"]] += 1
            assert int(account["event"]) == accounts[account["account"]], event
    assert ids[-1][0] == head and len(instruments) > 1 and len(accounts) > 2
