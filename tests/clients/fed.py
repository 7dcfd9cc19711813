"""A venue whose history is in PostgreSQL, for the tests of it.

BUTTONWOOD_DATABASE_ROUNDS sets the number of rounds of kills, BUTTONWOOD_DATABASE_AWAY_S how long a
server is away.
"""

import contextlib
import os
import subprocess
import time

import pytest
import requests

from venue import BINARY, DEADLINE_S, Venue

# The venues of the tests must not take it for a setting.
ROUNDS = int(os.environ.pop("BUTTONWOOD_DATABASE_ROUNDS", "10"))
AWAY_S = float(os.environ.pop("BUTTONWOOD_DATABASE_AWAY_S", "6"))
# Without an answer for so long an order would have waited for the database.
ORDER_MAX_S = 1.0


class Fed(Venue):
    """A venue whose history is in the database of this address."""

    processes = []

    def __init__(self, folder, url, *flags, **others):
        environment = {**os.environ, "BUTTONWOOD_HISTORY": url}
        super().__init__(folder, "--no-bots", *flags, env=environment, **others)
        self.processes.append(self.process)

    def gauge(self, name):
        text = self.metrics()
        line = next(line for line in text.splitlines() if line.startswith(f"{name} "))
        return float(line.split()[1])

    def metrics(self):
        return requests.get(f"{self.url}/metrics", timeout=DEADLINE_S).text

    def stderr_text(self):
        return (self.folder / "stderr.txt").read_text()

    def wait_for(self, what, timeout=DEADLINE_S):
        end = time.monotonic() + timeout
        while not what():
            assert time.monotonic() < end, self.stderr_text()[-3000:]
            time.sleep(0.02)

    def wait_until_level(self):
        def is_level():
            status = self.operate("GET", "/status").json()
            return status["read_model_sequence"] >= status["sequence"]

        self.wait_for(is_level)

    def is_alarmed(self):
        return self.operate("GET", "/status").json()["read_model_failing"]

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.stderr.close()


class SmallDisk:
    """A disk of a few MB with a database on it, as `with` gives and takes it."""

    def __init__(self, server, database):
        self.server, self.database = server, database
        self.room = server.folder / "room"

    def __enter__(self):
        self.room.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m,mode=0777", "none", self.room])
        if mounted.returncode != 0:
            pytest.skip("only root can make a small disk")
        try:
            self.create()
        except BaseException:
            self.__exit__()
            raise
        return self

    def create(self):
        place = self.room / "space"
        subprocess.run(["install", "-d", "-o", "postgres", "-m", "0700", place], check=True)
        self.server.sql(f"CREATE TABLESPACE small LOCATION '{place}'")
        self.server.sql(f"CREATE DATABASE {self.database} OWNER bw TABLESPACE small")
        self.filler = place / "filler"
        self.url = self.server.url(self.database)

    def fill(self):
        with contextlib.suppress(OSError), open(self.filler, "wb") as file:
            while True:
                file.write(bytes(1 << 16))
                file.flush()

    def empty(self):
        self.filler.unlink()

    def __exit__(self, *_):
        self.server.kill()
        subprocess.run(["umount", self.room], check=True)


def tool(*arguments, url=None):
    environment = {**os.environ, **({"BUTTONWOOD_HISTORY": url} if url else {})}
    done = subprocess.run(
        [BINARY, *map(str, arguments)], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def tables(server, database, schema="buttonwood"):
    """Rows and a digest of each table."""
    names = server.sql(
        f"SELECT c.relname FROM pg_class c WHERE relnamespace = '{schema}'::regnamespace"
        " AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY 1",
        database,
    ).split()
    digest = "SELECT count(*), md5(coalesce(string_agg(t::text, E'\\n' ORDER BY t::text), ''))"
    return {name: server.sql(f"{digest} FROM {schema}.{name} t", database) for name in names}


async def place(venue, session, number):
    """Sends an order, and returns how long its answer took."""
    side, price = ("BUY", 60_010) if number % 2 else ("SELL", 59_990)
    name = ("alice", "bob")[number % 2]
    query = venue.signed(
        name, symbol="BTCUSDT", side=side, type="LIMIT", timeInForce="GTC",
        quantity="0.00010", price=str(price),
    )
    begun = time.monotonic()
    async with session.post(f"/api/v3/order?{query}", headers=venue.header(name)) as answer:
        body = await answer.json()
        assert answer.status == 200, body
    return time.monotonic() - begun


async def orders_until_alarmed(venue, session):
    """Orders that do not wait for the database, until the venue says that it cannot store them."""
    end = time.monotonic() + 20
    while not venue.is_alarmed():
        assert time.monotonic() < end, venue.stderr_text()[-3000:]
        _, slowest = await orders_for(venue, session, 0.5)
        assert slowest < ORDER_MAX_S


async def orders_for(venue, session, seconds):
    """Orders one after the other; returns their number and the slowest answer."""
    end, slowest, number = time.monotonic() + seconds, 0.0, 0
    while time.monotonic() < end:
        slowest = max(slowest, await place(venue, session, number))
        number += 1
    return number, slowest
