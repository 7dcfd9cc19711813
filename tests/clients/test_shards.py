"""History in several databases, by account: growth under load, kills in the middle of it, one that is away.

`fed` has what environment variables set.
"""

import asyncio
import json
import random
import signal
import time

import aiohttp
import pytest

from fed import AWAY_S, ORDER_MAX_S, ROUNDS, Fed, SmallDisk, orders_for, orders_until_alarmed, tool
from ledger import Ledger, check, send
from postgres import Postgres
from venue import DEADLINE_S

pytestmark = pytest.mark.databases
SENDERS = 6
ACCOUNTS = 24
MOVED_S = 60
# Rows of accounts, each in one database.
BY_ACCOUNT = (
    "amendments", "balance_changes", "fills", "open_orders", "order_lists", "orders", "transfers",
    "withdrawal_approvals",
)
OF_THE_FIRST = ("audit", "candles", "trades")


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


def rows(server, database, table):
    text = server.sql(f"SELECT t::text FROM buttonwood.{table} t", database)
    return text.splitlines()


def check_equals_one(server, names, url_of_one, one, data):
    """The rows of all databases together are those of a rebuild into one: none is missing, none twice."""
    tool("projection", "rebuild", data, url=url_of_one)
    for table in BY_ACCOUNT:
        parts = [rows(server, name, table) for name in names]
        assert sorted(sum(parts, [])) == sorted(rows(server, one, table)), table
    for table in OF_THE_FIRST:
        assert sorted(rows(server, names[0], table)) == sorted(rows(server, one, table)), table
        assert not any(rows(server, name, table) for name in names[1:]), table
    matches = set(sum((rows(server, name, "prevented_matches") for name in names), []))
    assert sorted(matches) == sorted(rows(server, one, "prevented_matches"))
    assert len(rows(server, one, "orders")) > 100


def add_accounts(venue):
    """Further accounts with a key each, beside the two of the demo."""
    for number in range(ACCOUNTS):
        name = f"trader-{number}"
        assert venue.operate("POST", "/accounts", {"name": name}).status_code == 200
        for asset, amount in (("USDT", "1000000"), ("BTC", "100")):
            deposit = {"account": name, "asset": asset, "amount": amount, "external_ref": f"first-{asset}"}
            assert venue.operate("POST", "/deposits", deposit).status_code == 200
        venue.keys[name] = venue.operate("POST", "/keys", {"account": name}).json()


async def trade(venue, session, keys, label, stop):
    """Orders of all accounts in turn, which trade with one another."""
    chance, names = random.Random(label), list(keys)
    venue.keys.update(keys)
    while not stop.is_set():
        name = chance.choice(names)
        query = venue.signed(
            name, symbol="BTCUSDT", side=chance.choice(("BUY", "SELL")), type="LIMIT",
            timeInForce=chance.choice(("GTC", "IOC")), quantity=f"0.000{chance.randint(10, 99)}",
            price=f"{60_000 + chance.randint(-9, 9)}",
        )
        async with session.post(f"/api/v3/order?{query}", headers=venue.header(name)) as answer:
            assert answer.status == 200, await answer.json()


async def query_all_the_time(venue, session, keys, stop, found):
    """Each account's newest order of its own is in its history at once, wherever its rows are."""
    chance, names = random.Random(5), list(keys)
    while not stop.is_set():
        name = chance.choice(names)
        query = venue.signed(
            name, symbol="BTCUSDT", side="BUY", type="LIMIT", timeInForce="IOC", quantity="0.001",
            price="10000",
        )
        async with session.post(f"/api/v3/order?{query}", headers=venue.header(name)) as answer:
            placed = await answer.json()
        begun = time.monotonic()
        query = venue.signed(name, symbol="BTCUSDT", orderId=placed["orderId"], limit=5)
        async with session.get(f"/api/v3/allOrders?{query}", headers=venue.header(name)) as answer:
            listed = await answer.json()
            assert answer.status == 200, listed
        assert any(order["orderId"] == placed["orderId"] for order in listed), (name, placed, listed)
        found.append(time.monotonic() - begun)


def has_moved(server, names):
    spread = server.sql("SELECT count(DISTINCT shard) FROM buttonwood.buckets", names[0]).strip()
    return spread == str(len(names)) and not any(rows(server, name, "moves") for name in names)


async def test_three_databases_become_six_under_load(tmp_path, server):
    names = [f"six_{number}" for number in range(6)]
    urls = [server.create(name) for name in names]
    one = server.create("six_one")
    venue = Fed(tmp_path, ",".join(urls[:3]))
    add_accounts(venue)
    keys = dict(venue.keys)
    async with aiohttp.ClientSession(venue.url) as session:
        stop = asyncio.Event()
        senders = [asyncio.create_task(trade(venue, session, keys, at, stop)) for at in range(SENDERS)]
        await asyncio.sleep(3)
        stop.set()
        await asyncio.gather(*senders)
        venue.wait_until_level()
    venue.stop()
    before = [len(rows(server, name, "orders")) for name in names[:3]]
    assert all(before), before
    venue = Fed(tmp_path, ",".join(urls))
    venue.keys.update(keys)
    answered = []
    async with aiohttp.ClientSession(venue.url) as session:
        stop = asyncio.Event()
        tasks = [asyncio.create_task(trade(venue, session, keys, 90 + at, stop)) for at in range(SENDERS)]
        tasks.append(asyncio.create_task(query_all_the_time(venue, session, keys, stop, answered)))
        end = time.monotonic() + MOVED_S
        while not has_moved(server, names):
            assert time.monotonic() < end, venue.stderr_text()[-3000:]
            failed = [task for task in tasks if task.done()]
            assert not failed, failed[0].exception()
            await asyncio.sleep(0.2)
        stop.set()
        await asyncio.gather(*tasks)
        venue.wait_until_level()
    status = json.loads(tool("projection", "status", "--json", venue.data, url=",".join(urls)))
    assert [it["state"] for it in status] == ["level"] * 6
    assert len({it["name"] for it in status}) == 6
    venue.stop()
    assert len(answered) > 50 and max(answered) < 5, (len(answered), max(answered))
    assert all(rows(server, name, "orders") for name in names)
    check_equals_one(server, names, one, "six_one", tmp_path / "data")
    # Made anew, they have the same rows, dealt in another way.
    tool("projection", "rebuild", tmp_path / "data", url=",".join(urls))
    assert all(rows(server, name, "orders") for name in names)
    check_equals_one(server, names, one, "six_one", tmp_path / "data")


async def test_kills_in_the_middle_of_a_move_leave_each_row_once(tmp_path, server):
    names = [f"kills_{number}" for number in range(6)]
    urls = [server.create(name) for name in names]
    one = server.create("kills_one")
    chance, ledger = random.Random(17), Ledger()
    for number in range(ROUNDS):
        # One database, then three, then six: some rounds end while accounts move.
        count = 1 if number < 2 else 3 if number < ROUNDS // 2 else 6
        venue = Fed(tmp_path, ",".join(urls[:count]), "--snapshot-every", "300")
        async with aiohttp.ClientSession(venue.url) as session:
            await check(venue, session, ledger)
            ledger.forget_most(chance)
            senders = [
                asyncio.create_task(send(venue, session, ledger, f"{number}-{at}")) for at in range(SENDERS)
            ]
            await asyncio.sleep(chance.uniform(0.05, 1.0))
            venue.process.send_signal(signal.SIGKILL)
            venue.process.wait()
            await asyncio.gather(*senders)
        venue.kill()
    venue = Fed(tmp_path, ",".join(urls))
    async with aiohttp.ClientSession(venue.url) as session:
        await check(venue, session, ledger)
    venue.wait_for(lambda: has_moved(server, names), MOVED_S)
    venue.wait_until_level()
    venue.stop()
    check_equals_one(server, names, one, "kills_one", tmp_path / "data")


async def test_a_database_that_is_away_loses_no_row_and_delays_no_order(tmp_path, server):
    away = Postgres()
    try:
        urls = [server.create("here"), away.create("there")]
        venue = Fed(tmp_path, ",".join(urls))
        async with aiohttp.ClientSession(venue.url) as session:
            await orders_for(venue, session, 0.5)
            until = int(time.time() * 1000)
            await orders_for(venue, session, 0.5)
            venue.wait_until_level()
            away.kill()
            number, slowest = await orders_for(venue, session, AWAY_S)
            assert number > 20 and slowest < ORDER_MAX_S, (number, slowest)
            venue.wait_for(venue.is_alarmed)
            assert f":{away.port}/there cannot be reached" in venue.stderr_text()
            # What the other one has is answered, as far as it cannot change.
            answers = {}
            for name in ("alice", "bob"):
                query = venue.signed(name, symbol="BTCUSDT", startTime=until - 400, endTime=until)
                async with session.get(f"/api/v3/allOrders?{query}", headers=venue.header(name)) as answer:
                    answers[name] = answer.status
            assert sorted(answers.values()) == [200, 503], answers
            away.start()
            await orders_for(venue, session, 1)
            venue.wait_until_level()
            venue.wait_for(lambda: not venue.is_alarmed())
        venue.stop()
        here, there = ([len(rows(at, name, "orders")), len(rows(at, name, "open_orders"))]
                       for at, name in ((server, "here"), (away, "there")))
        one = server.create("away_one")
        tool("projection", "rebuild", tmp_path / "data", url=one)
        for at, table in enumerate(("orders", "open_orders")):
            assert here[at] + there[at] == len(rows(server, "away_one", table)), (here, there)
    finally:
        away.remove()


async def test_a_full_disk_of_one_stops_history_and_no_order(tmp_path, server):
    crowded = Postgres()
    try:
        with SmallDisk(crowded, "cramped") as disk:
            roomy, one = server.create("roomy"), server.create("roomy_one")
            venue = Fed(tmp_path, f"{roomy},{disk.url}")
            async with aiohttp.ClientSession(venue.url) as session:
                await orders_for(venue, session, 0.5)
                venue.wait_until_level()
                disk.fill()
                await orders_until_alarmed(venue, session)
                assert f":{crowded.port}/cramped has no room on its disk" in venue.stderr_text()
                disk.empty()
                venue.wait_until_level()
                venue.wait_for(lambda: not venue.is_alarmed())
            venue.stop()
            tool("projection", "rebuild", tmp_path / "data", url=one)
            for table in BY_ACCOUNT:
                both = rows(server, "roomy", table) + rows(crowded, "cramped", table)
                assert sorted(both) == sorted(rows(server, "roomy_one", table)), table
            assert rows(crowded, "cramped", "orders")
    finally:
        crowded.remove()


async def test_a_list_that_is_not_whole_or_not_in_order_is_refused(tmp_path, server):
    names = [f"list_{number}" for number in range(3)]
    urls = [server.create(name) for name in names]
    venue = Fed(tmp_path, ",".join(urls))
    async with aiohttp.ClientSession(venue.url) as session:
        await orders_for(venue, session, 0.5)
        venue.wait_until_level()
    venue.stop()
    for named, reason in {
        ",".join(urls[:2]): "a history that lies in 3 databases: name all of them",
        ",".join([urls[1], urls[0], urls[2]]): "is database 2 of this history and is named as number 1",
    }.items():
        said = (venue.folder / "stderr.txt").stat().st_size
        venue = Fed(tmp_path, named)
        venue.wait_for(venue.is_alarmed, DEADLINE_S)
        async with aiohttp.ClientSession(venue.url) as session:
            await orders_for(venue, session, 0.3)
        venue.stop()
        assert reason in venue.stderr_text()[said:], venue.stderr_text()[said:]
    venue = Fed(tmp_path, ",".join(urls))
    venue.wait_until_level()
    venue.stop()
