"""A full disk: the reserve takes cancels, each request gets an answer, and with free space the venue continues."""

import asyncio
import re

import aiohttp
import disk
import pytest

from ledger import SYMBOL, Ledger, call, check, get
from machine import Machine
from venue import DEADLINE_S

SETTINGS = ("--no-bots", "--log-segment-kib", "16", "--snapshot-every", "1000000")
# More cancels than the reserve, at most two segments, has room for.
ORDERS = 400
FULL = {
    "code": -1008,
    "msg": "The venue's disk is full: it takes cancels only, until there is room again. Nothing was "
    "carried out.",
}


@pytest.fixture
async def full(tmp_path, shim):
    """A venue with open orders, whose disk has just become full."""
    machine = Machine(tmp_path, shim, *SETTINGS)
    venue = machine.start()
    ledger = Ledger()
    try:
        async with aiohttp.ClientSession(venue.url) as session:
            resting = [await place(venue, session, ledger) for _ in range(ORDERS)]
            # History has an order that has ended, and all that follow.
            assert await cancel(venue, session, ledger, resting.pop(0))
            await get(venue, session, "/api/v3/allOrders", "alice", symbol=SYMBOL)
            machine.disk.set_free(0)
            async with asyncio.timeout(DEADLINE_S):
                while (order := await place(venue, session, ledger)) is not None:
                    resting.append(order)
            yield machine, venue, session, ledger, resting
    finally:
        disk.kill_group(venue.process)
        venue.stderr.close()


async def test_cancels_go_on_and_orders_again_when_there_is_room(full):
    machine, venue, session, ledger, resting = full
    for order_id in resting[:20]:
        assert await cancel(venue, session, ledger, order_id), "the reserve is for cancels"
        assert await place(venue, session, ledger) is None
    machine.disk.set_free(disk.UNLIMITED)
    async with asyncio.timeout(DEADLINE_S):
        while await place(venue, session, ledger) is None:
            await asyncio.sleep(0.01)
    stop(venue)
    await holds(machine, ledger)


async def test_who_is_stopped_without_room_says_so_and_loses_nothing(full):
    machine, venue, session, ledger, resting = full
    at_once = [cancel(venue, session, ledger, order_id) for order_id in resting]
    canceled = await asyncio.wait_for(asyncio.gather(*at_once), DEADLINE_S)
    assert any(canceled) and not all(canceled), "the reserve was to be used up"
    assert stop(venue) == 1
    said = (venue.folder / "stderr.txt").read_text()
    assert "the venue has stopped with its disk full: make room before it is started again" in said
    machine.disk.set_free(disk.UNLIMITED)
    await holds(machine, ledger)


async def test_a_venue_starts_without_room_and_takes_cancels(full):
    machine, venue, session, ledger, resting = full
    venue.process.kill()
    venue.process.wait(DEADLINE_S)
    venue = machine.start()
    async with aiohttp.ClientSession(venue.url) as session:
        assert await cancel(venue, session, ledger, resting[0]), "the reserve is for cancels"
        # The venue learns that the disk is full when it needs the next file.
        async with asyncio.timeout(DEADLINE_S):
            while await place(venue, session, ledger) is not None:
                pass
        machine.disk.set_free(disk.UNLIMITED)
        async with asyncio.timeout(DEADLINE_S):
            while await place(venue, session, ledger) is None:
                await asyncio.sleep(0.01)
    venue.stop()
    await holds(machine, ledger)


async def test_history_answers_what_cannot_change_and_says_else_how_old_it_is(full):
    machine, venue, session, ledger, resting = full
    first = min(order_id for _, order_id in ledger.acknowledged)
    assert await cancel(venue, session, ledger, resting[0]), "the reserve is for cancels"
    ended = {"symbol": SYMBOL, "orderId": first, "limit": 1}
    (order,) = await get(venue, session, "/api/v3/allOrders", "alice", **ended)
    assert (order["orderId"], order["status"]) == (first, "CANCELED")
    path = f"/api/v3/allOrders?{venue.signed('alice', symbol=SYMBOL)}"
    async with session.get(path, headers=venue.header("alice")) as reply:
        body = await reply.json()
    assert (reply.status, body["code"]) == (503, -1008), body
    assert re.match(r"History is \d+ s behind, with events up to \d+: ", body["msg"]), body
    machine.disk.set_free(disk.UNLIMITED)
    async with asyncio.timeout(DEADLINE_S):
        while await place(venue, session, ledger) is None:
            await asyncio.sleep(0.01)
    orders = await get(venue, session, "/api/v3/allOrders", "alice", symbol=SYMBOL)
    assert orders[-1]["orderId"] == ledger.last_order_id
    venue.stop()


def stop(venue):
    venue.process.terminate()
    return venue.process.wait(DEADLINE_S)


async def holds(machine, ledger):
    """A loss of power keeps all acknowledged requests, too."""
    machine.disk.replay()
    machine.disk.cut_power(None)
    venue = machine.start()
    async with aiohttp.ClientSession(venue.url) as session:
        await check(venue, session, ledger)
        open_orders = await get(venue, session, "/api/v3/openOrders", "alice", symbol=SYMBOL)
    kept = {key for key, told in ledger.acknowledged.items() if told["status"] == "NEW"}
    assert {("alice", order["orderId"]) for order in open_orders} == kept
    venue.stop()


async def place(venue, session, ledger):
    """The order's id; `None` where the disk is full."""
    status, body = await call(
        venue, session, "POST", "alice", symbol=SYMBOL, side="BUY", type="LIMIT",
        timeInForce="GTC", quantity="0.001", price="10000",
    )
    if status == 503:
        assert body == FULL
        return None
    assert status == 200, body
    ledger.acknowledged["alice", body["orderId"]] = body
    ledger.last_order_id = body["orderId"]
    return body["orderId"]


async def cancel(venue, session, ledger, order_id):
    """Returns False where the disk is full."""
    status, body = await call(
        venue, session, "DELETE", "alice", symbol=SYMBOL, orderId=order_id
    )
    if status == 503:
        assert body == FULL
        return False
    assert status == 200, body
    ledger.canceled.add(("alice", order_id))
    ledger.acknowledged["alice", order_id] = body
    return True
