"""A replica of history's database that answers queries, and the database where it cannot."""

import asyncio
import time

import aiohttp
import pytest

from fed import Fed, orders_for, place
from postgres import Postgres
from venue import DEADLINE_S

pytestmark = pytest.mark.databases
LAG = "X-BW-History-Lag-Ms"


@pytest.fixture(autouse=True)
def none_left():
    """A test that fails leaves no venue behind."""
    yield
    for process in Fed.processes:
        process.kill()
    Fed.processes.clear()


@pytest.fixture
def servers():
    """A database and its standby."""
    primary = Postgres()
    standby = primary.standby()
    yield primary, standby
    standby.remove()
    primary.remove()


async def listed(venue, session, name="alice"):
    """The orders of an account, and the lag of the replica that has answered; None if none has."""
    query = venue.signed(name, symbol="BTCUSDT", limit=1000)
    async with session.get(f"/api/v3/allOrders?{query}", headers=venue.header(name)) as answer:
        body = await answer.json()
        assert answer.status == 200, body
        lag = answer.headers.get(LAG)
        return len(body), None if lag is None else int(lag)


def waits_for_replay(primary, standby):
    at = primary.sql("SELECT pg_current_wal_lsn()").strip()
    while standby.sql(f"SELECT pg_last_wal_replay_lsn() >= '{at}'").strip() != "t":
        pass


async def test_a_replica_answers_if_it_has_what_the_client_has_seen(tmp_path, servers):
    primary, standby = servers
    url = primary.create("market")
    venue = Fed(tmp_path, url, "--history-replica", standby.url("market"))
    async with aiohttp.ClientSession(venue.url) as session:
        await orders_for(venue, session, 1)
        venue.wait_until_level()
        waits_for_replay(primary, standby)
        before, lag = await listed(venue, session)
        assert before > 3 and lag == 0, (before, lag)
        # It stands still: an order that the client has placed is in the answer, from the database.
        standby.sql("SELECT pg_wal_replay_pause()")
        while standby.sql("SELECT pg_get_wal_replay_pause_state()").strip() != "paused":
            pass
        for number in range(4):
            await place(venue, session, number)
        assert await listed(venue, session) == (before + 2, None)
        standby.sql("SELECT pg_wal_replay_resume()")
        waits_for_replay(primary, standby)
        assert await listed(venue, session) == (before + 2, 0)
        # Queries that are no history, and orders, have no such header.
        async with session.get("/api/v3/depth", params={"symbol": "BTCUSDT"}) as answer:
            assert answer.status == 200 and LAG not in answer.headers
        # It is away, and comes back.
        standby.kill()
        assert await listed(venue, session) == (before + 2, None)
        assert "a replica does not answer" in venue.stderr_text() and not venue.is_alarmed()
        standby.start()
        waits_for_replay(primary, standby)

        end = time.monotonic() + DEADLINE_S
        while (await listed(venue, session))[1] is None:
            assert time.monotonic() < end, venue.stderr_text()[-2000:]
            await asyncio.sleep(0.2)
        assert "a replica answers again" in venue.stderr_text()
    venue.stop()


async def test_the_database_of_another_venue_is_no_replica(tmp_path, servers):
    primary, _ = servers
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
    other = Fed(tmp_path / "first", primary.create("other"))
    async with aiohttp.ClientSession(other.url) as session:
        await orders_for(other, session, 2)
        other.wait_until_level()
    other.stop()
    venue = Fed(tmp_path / "second", primary.create("own"), "--history-replica", primary.url("other"))
    async with aiohttp.ClientSession(venue.url) as session:
        for number in range(4):
            await place(venue, session, number)
        assert await listed(venue, session) == (2, None)
        assert "is not a replica of the database in its place in the list" in venue.stderr_text()
    venue.stop()


async def test_each_of_several_databases_has_its_own_replica(tmp_path, servers):
    primary, standby = servers
    names = ("east", "west")
    url = ",".join(primary.create(name) for name in names)
    for replicas in (names, names[::-1]):
        is_right = replicas == names
        replica = ",".join(standby.url(name) for name in replicas)
        venue = Fed(tmp_path, url, "--history-replica", replica)
        async with aiohttp.ClientSession(venue.url) as session:
            await orders_for(venue, session, 1)
            venue.wait_until_level()
            waits_for_replay(primary, standby)
            for name in ("alice", "bob"):
                count, lag = await listed(venue, session, name)
                assert count > 3 and (lag is not None) == is_right, (name, replicas, lag)
        venue.stop()
    assert "is not a replica of the database in its place in the list" in venue.stderr_text()
