"""History in PostgreSQL: kills of either side, a server that is away, bad input.

Each test starts a server of its own. `fed` has what environment variables set.
"""

import asyncio
import json
import os
import pathlib
import random
import signal
import tempfile
import time

import aiohttp
import pytest

from certificates import certificate
from fed import AWAY_S, ORDER_MAX_S, ROUNDS, Fed, SmallDisk, orders_for, orders_until_alarmed, tables, tool
from ledger import Ledger, check, send
from postgres import PASSWORD, Postgres, give

pytestmark = pytest.mark.databases
SENDERS = 6


@pytest.fixture(scope="module")
def server():
    running = Postgres()
    yield running
    running.remove()


@pytest.fixture(autouse=True)
def none_left():
    """A test that fails leaves no venue behind."""
    yield
    for process in Fed.processes:
        process.kill()
    Fed.processes.clear()


def check_equals_rebuild(server, database, url, data):
    """The tables of a stopped venue are what its log leads to, row for row."""
    before = tables(server, database)
    tool("projection", "rebuild", data, url=url)
    assert tables(server, database) == before
    assert int(before["orders"].split("|")[0]) > 0
    return before


async def test_kills_of_either_side_leave_the_rows_of_a_rebuild(tmp_path):
    server = Postgres()
    try:
        url = server.create("kills")
        chance, ledger = random.Random(11), Ledger()
        for number in range(ROUNDS):
            venue = Fed(tmp_path, url, "--snapshot-every", "300")
            async with aiohttp.ClientSession(venue.url) as session:
                await check(venue, session, ledger)
                ledger.forget_most(chance)
                senders = [
                    asyncio.create_task(send(venue, session, ledger, f"{number}-{at}"))
                    for at in range(SENDERS)
                ]
                await asyncio.sleep(chance.uniform(0.3, 1.2))
                victims = ("venue", "database", "both", "database first")[number % 4]
                if victims != "venue":
                    server.kill()
                    if victims != "both":
                        await asyncio.sleep(chance.uniform(0.0, 0.4))
                        server.start()
                        await asyncio.sleep(chance.uniform(0.0, 0.8))
                venue.process.send_signal(signal.SIGKILL)
                venue.process.wait()
                await asyncio.gather(*senders)
                venue.kill()
                if victims == "both":
                    server.start()
        venue = Fed(tmp_path, url)
        async with aiohttp.ClientSession(venue.url) as session:
            await check(venue, session, ledger)
        venue.wait_until_level()
        venue.stop()
        check_equals_rebuild(server, "kills", url, tmp_path / "data")
    finally:
        server.remove()


@pytest.mark.parametrize("how", ["stopped", "frozen", "killed"])
async def test_a_server_that_is_away_delays_no_order(tmp_path, how):
    server = Postgres()
    try:
        url = server.create("away")
        venue = Fed(tmp_path, url)
        async with aiohttp.ClientSession(venue.url) as session:
            await orders_for(venue, session, 1)
            venue.wait_until_level()
            {"stopped": server.stop, "frozen": server.freeze, "killed": server.kill}[how]()
            number, slowest = await orders_for(venue, session, AWAY_S)
            assert number > 20 and slowest < ORDER_MAX_S, (number, slowest)
            if how != "frozen":
                venue.wait_for(venue.is_alarmed)
                assert "cannot be reached" in venue.stderr_text()
            status = venue.operate("GET", "/status").json()
            assert status["sequence"] - status["read_model_sequence"] >= number
            (server.thaw if how == "frozen" else server.start)()
            _, slowest = await orders_for(venue, session, 1)
            assert slowest < ORDER_MAX_S
            venue.wait_until_level()
            venue.wait_for(lambda: not venue.is_alarmed())
        venue.stop()
        check_equals_rebuild(server, "away", url, tmp_path / "data")
    finally:
        server.remove()


async def test_a_venue_ends_while_its_server_is_frozen(tmp_path, server):
    url = server.create("ends")
    venue = Fed(tmp_path, url)
    async with aiohttp.ClientSession(venue.url) as session:
        await orders_for(venue, session, 0.5)
        server.freeze()
        try:
            await orders_for(venue, session, 0.5)
            begun = time.monotonic()
            venue.stop()
            assert time.monotonic() - begun < 15
        finally:
            server.thaw()


# What is wrong, the address, and what the sentence has.
def bad(server):
    server.sql("CREATE ROLE poor LOGIN PASSWORD '" + PASSWORD + "'")
    server.create("rights")
    other = server.create("newer")
    tool_schema = "CREATE SCHEMA buttonwood; CREATE TABLE buttonwood.schema_version (version integer);"
    server.sql(tool_schema + "INSERT INTO buttonwood.schema_version VALUES (99)", "newer", "bw")
    return {
        "nowhere": ("postgres://bw:x@127.0.0.1:1/market", "cannot be reached"),
        "password": (server.url("rights", password="wrong"), "does not admit bw"),
        "user": (server.url("rights", user="nemo"), "does not admit nemo"),
        "database": (server.url("nothing"), "has no database nothing"),
        "rights": (server.url("rights", user="poor"), "does not give poor the rights"),
        "newer": (other, "was fed by a later build: its tables have version 99"),
        "tls": (server.url("rights") + "?sslmode=require", "TLS"),
    }


async def test_bad_addresses_have_one_sentence_an_alarm_and_orders_go_on(tmp_path, server):
    for name, (url, sentence) in bad(server).items():
        folder = tmp_path / name
        folder.mkdir()
        venue = Fed(folder, url)
        venue.wait_for(venue.is_alarmed)
        async with aiohttp.ClientSession(venue.url) as session:
            _, slowest = await orders_for(venue, session, 1.2)
            assert slowest < ORDER_MAX_S
            query = venue.signed("alice", symbol="BTCUSDT")
            async with session.get(f"/api/v3/allOrders?{query}", headers=venue.header("alice")) as answer:
                body = await answer.json()
                assert answer.status == 503 and body["code"] == -1008, (name, body)
        assert venue.gauge("buttonwood_projection_alarm") == 1
        venue.stop()
        said = venue.stderr_text()
        assert sentence in said, f"{name}: {said}"
        assert said.count("the read model stands still") == 1, f"{name}: {said}"
        assert PASSWORD not in said and "wrong@" not in said and ":x@" not in said


async def test_a_server_has_to_show_the_certificate_that_sslmode_asks_for(tmp_path):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="bw-pg-", dir="/tmp"))
    authority = certificate(folder, "authority")
    certificate(folder, "other")
    certificate(folder, "localhost", authority)
    give(folder / "localhost.key", 0o600)
    cert, key = folder / "localhost.pem", folder / "localhost.key"
    server = Postgres(folder, ssl="on", ssl_cert_file=cert, ssl_key_file=key)
    try:
        server.create("tls")
        by_name = server.url("tls").replace("127.0.0.1", "localhost")
        by_address = server.url("tls")
        ours, others = folder / "authority.pem", folder / "other.pem"
        venue = Fed(tmp_path, f"{by_name}?sslmode=verify-full&sslrootcert={ours}")
        async with aiohttp.ClientSession(venue.url) as session:
            await orders_for(venue, session, 0.5)
            venue.wait_until_level()
            query = venue.signed("alice", symbol="BTCUSDT")
            async with session.get(f"/api/v3/allOrders?{query}", headers=venue.header("alice")) as answer:
                assert answer.status == 200 and await answer.json()
        encrypted = "SELECT bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE usename = 'bw'"
        assert server.sql(encrypted).strip() == "t"
        venue.stop()
        for url, is_taken in {
            f"{by_name}?sslmode=verify-full&sslrootcert={ours}": True,
            f"{by_address}?sslmode=verify-full&sslrootcert={ours}": False,
            f"{by_address}?sslmode=verify-ca&sslrootcert={ours}": True,
            f"{by_name}?sslmode=verify-full&sslrootcert={others}": False,
            f"{by_address}?sslmode=verify-ca&sslrootcert={others}": False,
            f"{by_address}?sslmode=require&sslrootcert={others}": False,
            f"{by_address}?sslmode=require": True,
            f"{by_address}?sslmode=prefer": True,
            # The system's authorities do not know it.
            f"{by_name}?sslmode=verify-full": False,
            f"{by_name}?sslmode=verify-full&sslrootcert={key}": False,
        }.items():
            [found] = json.loads(tool("projection", "status", "--json", venue.data, url=url))
            assert (found["state"] == "level") == is_taken, (url, found)
            assert is_taken or "cannot be reached" in found["reason"], found
    finally:
        server.remove()


async def test_the_database_of_another_venue_is_left_alone(tmp_path, server):
    url = server.create("another")
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
    first = Fed(tmp_path / "first", url)
    async with aiohttp.ClientSession(first.url) as session:
        await orders_for(first, session, 0.5)
    first.wait_until_level()
    first.stop()
    before = tables(server, "another")
    second = Fed(tmp_path / "second", url)
    second.wait_for(second.is_alarmed)
    async with aiohttp.ClientSession(second.url) as session:
        await orders_for(second, session, 1)
    second.stop()
    assert "it is of another venue" in second.stderr_text()
    assert tables(server, "another") == before
    first = Fed(tmp_path / "first", url)
    first.wait_until_level()
    first.stop()


async def test_a_restored_backup_catches_up(tmp_path, server):
    url = server.create("restored")
    venue = Fed(tmp_path, url)
    async with aiohttp.ClientSession(venue.url) as session:
        await orders_for(venue, session, 1)
        venue.wait_until_level()
        backup = tmp_path / "backup.sql"
        environment = {**os.environ, "PGPASSWORD": PASSWORD}
        place_of = ["--host", "127.0.0.1", "--port", server.port, "--username", "bw"]
        backup.write_text(server.run("pg_dump", *place_of, "restored", env=environment))
        backup.chmod(0o644)
        tmp_path.chmod(0o755)
        await orders_for(venue, session, 1)
        venue.wait_until_level()
        server.sql("DROP DATABASE restored WITH (FORCE)")
        await orders_for(venue, session, 0.5)
        # An empty database under the venue's name for it would be filled from the log meanwhile.
        server.create("whole")
        flags = ["--dbname", "whole", "--quiet", "--set", "ON_ERROR_STOP=1"]
        with open(backup) as script:
            server.run("psql", *place_of, *flags, env=environment, stdin=script)
        server.sql("ALTER DATABASE whole RENAME TO restored")
        await orders_for(venue, session, 0.5)
        venue.wait_until_level()
    venue.stop()
    check_equals_rebuild(server, "restored", url, tmp_path / "data")


async def test_a_full_disk_stops_history_and_no_order(tmp_path):
    server = Postgres()
    try:
        with SmallDisk(server, "crowded") as disk:
            venue = Fed(tmp_path, disk.url)
            async with aiohttp.ClientSession(venue.url) as session:
                await orders_for(venue, session, 0.5)
                venue.wait_until_level()
                disk.fill()
                await orders_until_alarmed(venue, session)
                assert "has no room on its disk" in venue.stderr_text()
                disk.empty()
                venue.wait_until_level()
                venue.wait_for(lambda: not venue.is_alarmed())
            venue.stop()
            check_equals_rebuild(server, "crowded", disk.url, tmp_path / "data")
    finally:
        server.remove()


QUERIES = [
    ("allOrders", {"symbol": "BTCUSDT"}),
    ("allOrders", {"symbol": "BTCUSDT", "orderId": 20, "limit": 7}),
    ("allOrders", {"symbol": "BTCUSDT", "limit": 1000}),
    ("myTrades", {"symbol": "BTCUSDT"}),
    ("myTrades", {"symbol": "BTCUSDT", "fromId": 5, "limit": 9}),
    ("myTrades", {"symbol": "BTCUSDT", "orderId": 30}),
    ("order", {"symbol": "BTCUSDT", "orderId": 10}),
    ("myPreventedMatches", {"symbol": "BTCUSDT", "orderId": 10}),
    ("order/amendments", {"symbol": "BTCUSDT", "orderId": 10}),
    ("allOrderList", {}),
]
PUBLIC = [
    ("klines", {"symbol": "BTCUSDT", "interval": "1s", "limit": 1000}),
    ("klines", {"symbol": "BTCUSDT", "interval": "1d"}),
    ("uiKlines", {"symbol": "BTCUSDT", "interval": "1w", "timeZone": "-3:30"}),
    ("aggTrades", {"symbol": "BTCUSDT"}),
    ("aggTrades", {"symbol": "BTCUSDT", "fromId": 3, "limit": 11}),
    ("historicalTrades", {"symbol": "BTCUSDT", "fromId": 2, "limit": 5}),
]


async def answers(venue, session):
    found = []
    for name in ("alice", "bob"):
        for path, params in QUERIES:
            query = venue.signed(name, **params)
            async with session.get(f"/api/v3/{path}?{query}", headers=venue.header(name)) as answer:
                found.append((path, name, answer.status, await answer.json()))
    for path, params in PUBLIC:
        async with session.get(f"/api/v3/{path}", params=params, headers=venue.header("alice")) as answer:
            body = await answer.json()
            found.append((path, params.get("interval"), answer.status, body))
    return found


async def test_answers_are_those_of_sqlite(tmp_path, server):
    url = server.create("answers")
    ledger = Ledger()
    venue = Fed(tmp_path, "sqlite")
    async with aiohttp.ClientSession(venue.url) as session:
        senders = [
            asyncio.create_task(send(venue, session, ledger, f"same-{at}")) for at in range(SENDERS)
        ]
        await asyncio.sleep(2)
        for sender in senders:
            sender.cancel()
        await asyncio.gather(*senders, return_exceptions=True)
    venue.stop()
    venue = Fed(tmp_path, "sqlite")
    async with aiohttp.ClientSession(venue.url) as session:
        expected = await answers(venue, session)
    venue.stop()
    venue = Fed(tmp_path, url)
    venue.wait_until_level()
    async with aiohttp.ClientSession(venue.url) as session:
        found = await answers(venue, session)
    venue.stop()
    # An order is of one of the two accounts: the other one is refused.
    refused = [path for path, _, status, _ in expected if status != 200]
    assert len(refused) < len(expected) / 4, refused
    assert settled(found) == settled(expected)
    traded = [kline for _, which, _, body in settled(found) if which == "1s" for kline in body]
    assert traded, "seconds with trades are compared"


def settled(found):
    """Without the seconds in which nothing was traded: their number grows with the time."""
    return [
        (path, which, status, [kline for kline in body if kline[8]] if which == "1s" else body)
        for path, which, status, body in found
    ]


async def test_status_names_position_head_and_lag(tmp_path, server):
    url = server.create("status")
    venue = Fed(tmp_path, url)
    async with aiohttp.ClientSession(venue.url) as session:
        await orders_for(venue, session, 0.5)
    venue.wait_until_level()
    [running] = json.loads(tool("projection", "status", "--json", venue.data, url=url))
    assert running["name"] == f"postgres://bw@127.0.0.1:{server.port}/status"
    assert running["state"] == "level" and running["lag_events"] == 0 and running["lag_ms"] == 0
    assert running["position"] == running["head"] > 0 and running["events_per_s"] == 0
    venue.stop()
    # The file of the same folder was never fed.
    [file] = json.loads(tool("projection", "status", "--json", venue.data))
    assert (file["name"], file["state"], file["position"]) == ("sqlite", "failing", None)
    text = tool("projection", "status", venue.data, url=url)
    assert text.startswith(f"commands 1 to {running['head']}\n")


def test_the_benchmark_prints_its_figures_and_leaves_nothing(server):
    url = server.create("bench")
    figures = json.loads(tool(
        "bench", "history", "--sink", url, "--orders", 3_000, "--duration", 1, "--rate", 500, "--json"
    ))
    for name in ("orders_per_s", "copy_per_s", "cpu_us_per_order", "lag_ms_max", "rss_mb"):
        assert figures[name] >= 0, figures
    # An order has a row at least, and half of them trade.
    assert figures["orders"] == 3_000 and figures["rows"] > 6_000, figures
    left = server.sql("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'bench%'", "bench")
    assert left.strip() == ""
