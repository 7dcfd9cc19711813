"""Kill -9 again and again: what was acknowledged is there, to the last unit.

The venue is killed under load, while it writes snapshots and goes over to new files of the log, which
it does all the time here; while it recovers; and the unacknowledged end of its log is cut anywhere.
BUTTONWOOD_CRASH_ROUNDS sets the number of rounds.
"""

import asyncio
import os
import random
import signal
import subprocess

import aiohttp

from ledger import Ledger, check, send
from venue import BINARY, DEADLINE_S, Venue

ROUNDS = int(os.environ.get("BUTTONWOOD_CRASH_ROUNDS", "20"))
SENDERS = 12
# Small files and frequent snapshots, so that most kills interrupt one or the other.
SETTINGS = ("--no-bots", "--snapshot-every", "150", "--log-segment-kib", "16")
# A round checks all orders of the rounds before, so a new venue starts after this number of rounds.
ROUNDS_OF_A_VENUE = 25
# Enough for snapshots and new files of the log also on a machine that is busy with other work.
ORDERS_OF_A_ROUND = 30
RECOVERIES_KILLED = 3


async def test_nothing_acknowledged_is_lost(tmp_path):
    chance = random.Random(7)
    for first in range(0, ROUNDS, ROUNDS_OF_A_VENUE):
        folder = tmp_path / str(first)
        folder.mkdir()
        await survive(folder, range(first, min(first + ROUNDS_OF_A_VENUE, ROUNDS)), chance)


async def survive(folder, rounds, chance):
    ledger = Ledger()
    for round_number in rounds:
        kill_recoveries(folder, chance)
        venue = Venue(folder, *SETTINGS)
        try:
            async with aiohttp.ClientSession(venue.url) as session:
                await check(venue, session, ledger)
                ledger.forget_most(chance)
                senders = [
                    asyncio.create_task(send(venue, session, ledger, f"{round_number}-{at}"))
                    for at in range(SENDERS)
                ]
                before = ledger.last_order_id
                await asyncio.sleep(chance.uniform(0.3, 1.2))
                async with asyncio.timeout(DEADLINE_S):
                    while ledger.last_order_id < before + ORDERS_OF_A_ROUND:
                        await asyncio.sleep(0.001)
                os.kill(venue.process.pid, signal.SIGKILL)
                venue.process.wait()
                await asyncio.gather(*senders)
        finally:
            venue.process.kill()
            venue.process.wait()
            venue.stderr.close()
    assert list((folder / "data/snapshots").glob("*.snapshot")), "no snapshot was ever written"
    assert len(list((folder / "data/log").glob("*.log"))) > 3, "the log is in one file still"
    venue = Venue(folder, *SETTINGS)
    async with aiohttp.ClientSession(venue.url) as session:
        await check(venue, session, ledger)
    venue.stop()


def kill_recoveries(folder, chance):
    """Starts the venue and kills it before, or just after, it is ready, a few times."""
    data = folder / "data"
    if not (data / "log").exists():
        return
    for _ in range(chance.randrange(RECOVERIES_KILLED)):
        if chance.random() < 0.5:
            cut_torn_end(data / "log", chance)
        command = [BINARY, "serve", "--demo", "--data", data, "--http", "127.0.0.1:0", *SETTINGS]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            process.wait(chance.uniform(0.001, 0.12))
        except subprocess.TimeoutExpired:
            pass
        finally:
            process.kill()
            process.wait()


def cut_torn_end(log, chance):
    """Appends some bytes of an incomplete frame, as an interrupted write does."""
    newest = max(log.glob("*.log"))
    content = newest.read_bytes()
    end = 56  # after the header of the file, frames follow each other (docs/log.md)
    while content[end : end + 4] == b"BWL1":
        payload_size = int.from_bytes(content[end + 8 : end + 12], "little")
        end += (80 + payload_size + 7) // 8 * 8
    torn = b"BWL1" + chance.randbytes(chance.randrange(200))
    if end + len(torn) < len(content):
        with open(newest, "r+b") as file:
            file.seek(end)
            file.write(torn[: chance.randrange(1, len(torn))])
