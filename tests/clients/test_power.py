"""The power fails again and again: what was acknowledged is there, to the last unit.

The venue runs on a real disk, and everything it changes there is written down (tests/power). It is
killed at any moment, under load or while it recovers, and then of what was not synced anything may
be left. BUTTONWOOD_POWER_ROUNDS sets the number of rounds, BUTTONWOOD_POWER_SEED other chances.
"""

import asyncio
import os
import random
import signal

import aiohttp
import disk
import pytest

from ledger import Ledger, check, send
from machine import Machine
from venue import DEADLINE_S, Venue

ROUNDS = int(os.environ.get("BUTTONWOOD_POWER_ROUNDS", "8"))
SEED = int(os.environ.get("BUTTONWOOD_POWER_SEED", "7"))
# The first start of a venue, with no earlier state, is a case of its own.
ROUNDS_OF_A_VENUE = 8
SENDERS = 12
# Small files and frequent snapshots, so that most cuts interrupt one or the other.
SETTINGS = ("--no-bots", "--snapshot-every", "150", "--log-segment-kib", "16")


async def test_nothing_acknowledged_is_lost_with_the_power(tmp_path, shim):
    for first in range(0, ROUNDS, ROUNDS_OF_A_VENUE):
        chance = random.Random(f"{SEED}-{first}")
        folder = tmp_path / str(first)
        retention = chance.choice(("keep", "delete", f"archive:{folder / 'disk/archive'}"))
        machine = Machine(folder, shim, *SETTINGS, "--log-retention", retention)
        rounds = range(first, min(first + ROUNDS_OF_A_VENUE, ROUNDS))
        ledger = await survive(machine, rounds, chance)
        assert ledger.last_order_id > len(rounds) * 10, "there was hardly any load"


async def survive(machine, rounds, chance):
    ledger = Ledger()
    for round_number in rounds:
        machine.kill_recoveries(chance)
        await run(machine, ledger, f"{SEED}-{round_number}", chance)
    stop(machine, await start(machine, ledger))
    return ledger


async def run(machine, ledger, label, chance):
    """Starts the venue, checks it, and ends it under load, by a failed sync or from outside, in some
    rounds while its disk is full."""
    venue = machine.start()
    try:
        async with aiohttp.ClientSession(venue.url) as session:
            await check(venue, session, ledger)
            ledger.forget_most(chance)
            failing = chance.choice((None, None, None, ".log", "next.segment", "snapshot", "spool"))
            if failing:
                machine.disk.fail_sync(chance.randrange(1, 20), failing)
            senders = [
                asyncio.create_task(send(venue, session, ledger, f"{label}-{at}"))
                for at in range(SENDERS)
            ]
            await asyncio.sleep(chance.uniform(0.1, 0.5))
            if chance.random() < 0.3:
                machine.disk.set_free(chance.randrange(60_000))
            await asyncio.sleep(chance.uniform(0.1, 0.5))
            if failing in (".log", "next.segment") and machine.disk.has_failed_sync():
                assert venue.process.wait(DEADLINE_S) == 1, "it went on after a sync failed"
            machine.end(venue.process, chance)
            machine.disk.fail_sync(0, "")
            machine.disk.set_free(disk.UNLIMITED)
            await asyncio.gather(*senders)
    finally:
        disk.kill_group(venue.process)
        venue.stderr.close()


async def test_the_first_order_of_a_new_venue_is_there(tmp_path, shim):
    """The archive's folder has a name that must be synced, too."""
    machine = Machine(tmp_path / "machine", shim, "--no-bots")
    ledger = Ledger()
    kill(machine, await start(machine, ledger))
    machine.disk.cut_power(None)
    stop(machine, await start(machine, ledger))


async def test_events_outlive_the_log_they_were_made_from(tmp_path, shim):
    """Where the log is trimmed, snapshots cannot be made again."""
    machine = Machine(tmp_path / "machine", shim, *SETTINGS, "--log-retention", "delete")
    log = machine.disk.folder / "data/log"
    ledger = Ledger()
    venue = machine.start()
    async with aiohttp.ClientSession(venue.url) as session:
        senders = [asyncio.create_task(send(venue, session, ledger, f"{at}")) for at in range(SENDERS)]
        async with asyncio.timeout(DEADLINE_S):
            seen = set()
            while len(seen) < 4:  # The last trim but one is complete, even if the last is not.
                seen.add(min(log.glob("*.log")))
                await asyncio.sleep(0.001)
        kill(machine, venue)
        await asyncio.gather(*senders)
    machine.disk.cut_power(None)
    venue = await start(machine, ledger)
    async with aiohttp.ClientSession(venue.url) as session:
        metrics = await (await session.get("/metrics")).text()
    assert "\nbuttonwood_spool_first_sequence 1\n" in metrics, metrics
    stop(machine, venue)


@pytest.mark.parametrize("is_started_between", (False, True))
async def test_what_the_spool_may_lack_can_be_made_from_the_log(tmp_path, shim, is_started_between):
    """A later sync, also of another process, does not repair a failed one: the log stays, and a state to
    start from, until the data is written again."""
    machine = Machine(tmp_path / "machine", shim, *SETTINGS, "--log-retention", "delete")
    data = machine.disk.folder / "data"
    ledger = Ledger()

    async def trade(venue, label, is_enough):
        async with aiohttp.ClientSession(venue.url) as session:
            names = [f"{label}-{at}" for at in range(SENDERS)]
            senders = [asyncio.create_task(send(venue, session, ledger, name)) for name in names]
            async with asyncio.timeout(DEADLINE_S):
                while not is_enough():
                    await asyncio.sleep(0.001)
            kill(machine, venue)
            await asyncio.gather(*senders)

    def is_trimmed_to_behind(batch):
        return lambda: int(min(data.glob("log/*.log")).stem) > batch

    await trade(machine.start(), "before", is_trimmed_to_behind(1))
    oldest = int(min(data.glob("snapshots/*.snapshot")).stem)
    machine.disk.fail_sync(1, ".spool")
    seen = set()

    def are_six_written():
        seen.update(data.glob("snapshots/*.snapshot"))
        return machine.disk.has_failed_sync() and len(seen) >= 2 + 6

    await trade(machine.start(), "failed", are_six_written)
    begin = int(min(data.glob("log/*.log")).stem)
    assert begin <= oldest + 1, "the log goes on from what is kept"
    if is_started_between:
        newest = int(max(data.glob("snapshots/*.snapshot")).stem)
        await trade(await start(machine, ledger), "between", is_trimmed_to_behind(newest))
    machine.disk.cut_power(None)
    venue = await start(machine, ledger)
    async with aiohttp.ClientSession(venue.url) as session:
        metrics = await (await session.get("/metrics")).text()
    assert "\nbuttonwood_spool_first_sequence 1\n" in metrics, metrics
    stop(machine, venue)


@pytest.mark.parametrize("is_started_between", (False, True))
async def test_a_failed_sync_stops_the_venue_and_loses_nothing(tmp_path, shim, is_started_between):
    """A request whose sync failed is not acknowledged. Its data can be read until the power fails, and a
    venue that starts before that must write it again."""
    machine = Machine(tmp_path / "machine", shim, *SETTINGS)
    ledger = Ledger()
    venue = machine.start()
    async with aiohttp.ClientSession(venue.url) as session:
        machine.disk.fail_sync(30, ".log")
        names = [f"failed-{at}" for at in range(SENDERS)]
        senders = [asyncio.create_task(send(venue, session, ledger, name)) for name in names]
        await asyncio.wait_for(asyncio.gather(*senders), DEADLINE_S)
    assert venue.process.wait(DEADLINE_S) == 1
    venue.stderr.close()
    assert "check the disk" in (venue.folder / "stderr.txt").read_text()
    assert machine.disk.has_failed_sync() and ledger.acknowledged
    machine.disk.replay()
    if is_started_between:
        kill(machine, await start(machine, ledger))
    machine.disk.cut_power(None)
    stop(machine, await start(machine, ledger))


async def test_who_acknowledges_before_the_sync_is_caught(tmp_path, shim):
    """A test of the test: this venue loses orders by design."""
    chance = random.Random(SEED)
    settings = ("--no-bots", "--durability", "os", "--snapshot-every", "1000000")
    machine = Machine(tmp_path / "machine", shim, *settings)
    ledger = Ledger()
    with pytest.raises((AssertionError, KeyError)) as caught:
        for round_number in range(20):
            await run(machine, ledger, f"os-{round_number}", chance)
    assert caught.traceback[-1].path.name == "ledger.py", "something else was wrong"


async def test_without_syncs_orders_are_lost_but_not_the_venue(tmp_path, shim):
    """The venue starts again from what is left, which includes the newest snapshot."""
    settings = ("--no-bots", "--snapshot-every", "150", "--durability", "os")
    machine = Machine(tmp_path / "machine", shim, *settings)
    venue = machine.start()
    async with aiohttp.ClientSession(venue.url) as session:
        ledger = Ledger()
        senders = [asyncio.create_task(send(venue, session, ledger, f"{at}")) for at in range(SENDERS)]
        async with asyncio.timeout(DEADLINE_S):
            while not list(machine.disk.folder.glob("data/snapshots/*.snapshot")):
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.1)
        kill(machine, venue)
        await asyncio.gather(*senders)
    machine.disk.cut_power(None)
    stop(machine, await start(machine, Ledger()))


async def test_a_backup_that_says_it_is_done_outlives_the_power(tmp_path, shim):
    """Into a new folder, and into one with an older backup."""
    machine = Machine(tmp_path / "machine", shim)
    data, backup = tmp_path / "data", machine.disk.folder / "backups/venue"
    for number in range(3):
        await trade(data, f"{number}")
        machine.run("backup", data, backup)
        machine.disk.cut_power(None)
        back = machine.disk.folder / f"back-{number}"
        machine.run("restore", backup, back)
        machine.disk.cut_power(None)
        assert state(machine, back) == state(machine, data)


async def test_a_backup_that_the_power_ends_is_gone_on_from(tmp_path, shim):
    """At a numbered change, of which even a small backup has sixty: a timer could fire after the end."""
    machine = Machine(tmp_path / "machine", shim)
    data = tmp_path / "data"
    chance = random.Random(SEED)
    ended = 0
    for number in range(ROUNDS):
        backup = machine.disk.folder / f"backups/{number // 3}"
        await trade(data, f"{number}")
        machine.disk.kill_at(chance.randrange(1, 100))
        process = machine.begin("backup", data, backup)
        process.communicate(timeout=DEADLINE_S)
        ended += process.returncode == -signal.SIGKILL
        machine.disk.kill_at(0)
        machine.disk.replay()
        machine.disk.cut_power(chance)
        if number % 3 == 2:
            machine.run("backup", data, backup)
            machine.disk.cut_power(None)
            assert state(machine, backup) == state(machine, data)
    assert ended > 0, "no backup was ended"


async def trade(data, label):
    """Sends orders for a short time. This venue is on another disk."""
    venue = Venue(data.parent, *SETTINGS, data=data)
    async with aiohttp.ClientSession(venue.url) as session:
        names = [f"{label}-{at}" for at in range(SENDERS)]
        senders = [asyncio.create_task(send(venue, session, Ledger(), name)) for name in names]
        await asyncio.sleep(0.3)
        venue.process.kill()
        venue.stderr.close()
        await asyncio.gather(*senders)
    venue.process.wait()


def state(machine, folder):
    return machine.run("log", "state", "--json", folder)


async def start(machine, ledger):
    venue = machine.start()
    async with aiohttp.ClientSession(venue.url) as session:
        await check(venue, session, ledger)
    return venue


def kill(machine, venue):
    machine.disk.kill(venue.process)
    venue.stderr.close()


def stop(machine, venue):
    venue.stop()
    machine.disk.replay()
