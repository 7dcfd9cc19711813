"""OUCH 5.0 with programs that are not ours: the client of nasdaq-protocols, whose messages are generated from a
transcription of Nasdaq's specification (ouch/ouch-5.0.xml), and Wireshark's reading of SoupBinTCP."""

import asyncio
import collections
import contextlib
import os
import pathlib
import subprocess
import sys

import pytest
from nasdaq_protocols.common import EndOfQueue

from venue import Venue

LAYOUT = pathlib.Path(__file__).parent / "ouch/ouch-5.0.xml"
# A price has four implied decimals; a lot of BTCUSDT is 0.00001 BTC.
UNITS = 10_000
PATIENCE_S = 20
framing = pytest.mark.skipif("BUTTONWOOD_FRAMING" not in os.environ, reason="make framing")


@pytest.fixture(scope="module")
def ouch(tmp_path_factory):
    """The messages, as nasdaq-protocols generates them."""
    folder = tmp_path_factory.mktemp("layout")
    generate = pathlib.Path(sys.executable).with_name("nasdaq-ouch-codegen")
    names = ["--app-name", "nasdaq", "--prefix", "", "--no-init-file"]
    subprocess.run([generate, "--spec-file", LAYOUT, "--op-dir", folder, *names], check=True)
    sys.path.insert(0, str(folder))
    import ouch_nasdaq

    return ouch_nasdaq


@pytest.fixture
def house(tmp_path):
    running = Venue(tmp_path, "--no-bots", "--ouch", "127.0.0.1:0")
    yield running
    running.stop()


class Trader:
    """A client of nasdaq-protocols that is logged on."""

    def __init__(self, ouch, session):
        self.ouch, self.session = ouch, session

    @classmethod
    async def log_on(cls, ouch, venue, name, sequence, session="", password=None):
        host, port = venue.listening["ouch"].rsplit(":", 1)
        login = venue.keys[name]["login"]
        session = await ouch.connect_async(
            (host, int(port)), login["user"], password or login["password"], session, sequence
        )
        return cls(ouch, session)

    def send(self, kind, **fields):
        message = getattr(self.ouch, kind)()
        for name, value in fields.items():
            setattr(message, name, value)
        self.session.send_message(message)

    def enter(self, number, side, quantity, price, cl_ord_id="", time_in_force="0", appendage=()):
        self.send(
            "EnterOrder",
            user_ref_num=number,
            side=side,
            quantity=quantity,
            symbol="BTCUSDT",
            price=price * UNITS,
            time_in_force=time_in_force,
            display="Y",
            capacity="P",
            inter_market_sweep_eligibility="N",
            cross_type="N",
            cl_ord_id=cl_ord_id,
            appendage=list(appendage),
        )

    def replace(self, orig, number, quantity, price):
        self.send(
            "ReplaceOrderRequest",
            orig_user_ref_num=orig,
            user_ref_num=number,
            quantity=quantity,
            price=price * UNITS,
            time_in_force="0",
            display="Y",
            inter_market_sweep_eligibility="N",
        )

    async def next(self, kind):
        message = await asyncio.wait_for(self.session.receive_message(), PATIENCE_S)
        assert type(message).__name__ == kind, str(message)
        return message

    async def check(self, *expected):
        """The next messages: each a kind and some of its fields."""
        for kind, fields in expected:
            message = await self.next(kind)
            assert {name: getattr(message, name) for name in fields} == fields

    @property
    def next_sequence(self):
        """The number of the message that the next log-on asks for."""
        return self.session.soup_session.sequence + 1

    async def log_off(self):
        self.session.soup_session.logout()
        with contextlib.suppress(EndOfQueue):
            await asyncio.wait_for(self.session.receive_message(), PATIENCE_S)


def executed(number, quantity, price, liquidity):
    fields = {"user_ref_num": number, "quantity": quantity, "price": price * UNITS, "liquidity_flag": liquidity}
    return "OrderExecuted", fields


async def life_of_a_session(ouch, venue):
    alice = await Trader.log_on(ouch, venue, "alice", 1)
    bob = await Trader.log_on(ouch, venue, "bob", 1)
    for trader in (alice, bob):
        await trader.check(("SystemEvent", {"event_code": "S"}))

    alice.enter(1, "B", 300, 50_000, cl_ord_id="first")
    accepted = await alice.next("OrderAccepted")
    assert (accepted.user_ref_num, accepted.side, accepted.quantity) == (1, "B", 300)
    assert (accepted.symbol, accepted.price, accepted.cl_ord_id) == ("BTCUSDT", 50_000 * UNITS, "first")
    assert (accepted.order_state, accepted.capacity, accepted.cross_type) == ("L", "P", "N")

    bob.enter(1, "S", 100, 49_000)
    await bob.check(("OrderAccepted", {"user_ref_num": 1}))
    taken, made = await bob.next("OrderExecuted"), await alice.next("OrderExecuted")
    assert (taken.quantity, taken.price, taken.liquidity_flag) == (100, 50_000 * UNITS, "R")
    assert (made.quantity, made.price, made.liquidity_flag) == (100, 50_000 * UNITS, "A")
    assert made.match_number == taken.match_number
    assert made.timestamp == taken.timestamp

    # The quantity of a replacement counts what was executed before.
    alice.replace(1, 2, 500, 50_100)
    replaced = {"orig_user_ref_num": 1, "user_ref_num": 2, "quantity": 400, "price": 50_100 * UNITS}
    await alice.check(("OrderReplaced", replaced))
    alice.send("ModifyOrderRequest", user_ref_num=2, side="B", quantity=300)
    await alice.check(("OrderModified", {"user_ref_num": 2, "side": "B", "quantity": 200}))
    alice.send("CancelOrderRequest", user_ref_num=2, quantity=200)
    await alice.check(("OrderCanceled", {"user_ref_num": 2, "quantity": 100, "reason": "U"}))
    alice.send("CancelOrderRequest", user_ref_num=2, quantity=0)
    await alice.check(("OrderCanceled", {"user_ref_num": 2, "quantity": 100, "reason": "U"}))

    # A tag of an appendage: MinQty, of more than there is. A refusal: a quantity of zero.
    alice.enter(3, "B", 100, 50_000, time_in_force="3", appendage=[5, 3, 0, 0, 0, 100])
    await alice.check(("OrderAccepted", {"user_ref_num": 3, "order_state": "L"}))
    await alice.check(("OrderCanceled", {"user_ref_num": 3, "quantity": 100, "reason": "I"}))
    alice.enter(4, "B", 0, 50_000)
    await alice.check(("Rejected", {"user_ref_num": 4, "reason": 0x13}))
    # A number that was used is a repeat, which is ignored. (The library cannot encode an empty body.)
    alice.enter(4, "B", 100, 50_000)
    alice.session.soup_session.send_unseq_data(b"Q")
    await alice.check(("AccountQueryResponse", {"next_user_ref_num": 5}))

    # What happens while alice is away is sent when she logs on with the number of her next message.
    alice.enter(5, "B", 200, 50_000)
    await alice.check(("OrderAccepted", {"user_ref_num": 5}))
    session, following = alice.session.soup_session.session_id.session, alice.next_sequence
    await alice.log_off()
    bob.enter(2, "S", 50, 50_000)
    bob.enter(3, "S", 150, 50_000)
    await bob.check(("OrderAccepted", {"user_ref_num": 2}), executed(2, 50, 50_000, "R"))
    await bob.check(("OrderAccepted", {"user_ref_num": 3}), executed(3, 150, 50_000, "R"))
    alice = await Trader.log_on(ouch, venue, "alice", following, session)
    await alice.check(executed(5, 50, 50_000, "A"), executed(5, 150, 50_000, "A"))
    assert alice.next_sequence == following + 2

    # An iceberg (MaxFloor) shows its next part, whose quantity is in the tag DisplayQuantity.
    alice.enter(6, "S", 250, 60_000, appendage=[5, 5, 0, 0, 0, 100])
    await alice.check(("OrderAccepted", {"user_ref_num": 6, "quantity": 250}))
    bob.enter(4, "B", 100, 60_000)
    await bob.check(("OrderAccepted", {"user_ref_num": 4}), executed(4, 100, 60_000, "R"))
    await alice.check(executed(6, 100, 60_000, "A"))
    restated = await alice.next("OrderRestated")
    assert (restated.user_ref_num, restated.reason) == (6, "R")
    assert list(restated.appendage) == [5, 22, 0, 0, 0, 100]
    for trader in (alice, bob):
        await trader.log_off()


async def test_alice_and_bob_trade(ouch, house):
    await life_of_a_session(ouch, house)


async def test_a_wrong_password_and_a_sequence_of_the_future_are_refused(ouch, house):
    for sequence, password in [(1, "wrong"), (1_000, None)]:
        with pytest.raises(ConnectionRefusedError):
            await Trader.log_on(ouch, house, "alice", sequence, password=password)


@framing
async def test_wireshark_finds_nothing_to_object_to(ouch, house, tmp_path):
    port = house.listening["ouch"].rsplit(":", 1)[1]
    capture = tmp_path / "ouch.pcapng"
    options = ["-i", "lo", "-f", f"tcp port {port}", "-w", capture]
    tshark = subprocess.Popen(["tshark", *options], stderr=subprocess.PIPE, text=True)
    try:
        assert any("Capturing" in line for line in tshark.stderr)
        await asyncio.sleep(1)  # It says so a moment before it captures.
        await life_of_a_session(ouch, house)
        with pytest.raises(ConnectionRefusedError):
            await Trader.log_on(ouch, house, "alice", 1, password="wrong")
        await asyncio.sleep(1)
    finally:
        tshark.terminate()
        tshark.wait(PATIENCE_S)

    def frames(*options):
        # Its OUCH is 4.x, which it would take the messages for: what it knows is the packets around them.
        as_soup = ["-d", f"tcp.port=={port},soupbintcp", "--disable-heuristic", "ouch_soupbintcp"]
        read = ["tshark", "-r", capture, *as_soup]
        printed = subprocess.run([*read, *options], check=True, capture_output=True, text=True).stdout
        return printed.splitlines()

    columns = ["-Y", "soupbintcp", "-T", "fields", "-e", "soupbintcp.packet_type"]
    packets = collections.Counter(",".join(frames(*columns)).replace("'", "").split(","))
    assert set(packets) >= set("LAJOSU+")
    assert packets["S"] > 20
    # The library pads the number of its Login Request on the wrong side, to which Wireshark objects.
    objections = "(_ws.malformed or _ws.expert.severity >= warning) and not soupbintcp.packet_type == 0x4c"
    assert frames("-Y", objections) == []
    # The filter finds what it is to find: as another protocol the same packets are malformed.
    assert frames("-d", f"tcp.port=={port},dns", "-Y", objections) != []
