"""The market order by order with programs that are not ours: itchfeed reads the messages, and Wireshark the packets
around them. The framing of MoldUDP64 is read here by hand, from Nasdaq's tables."""

import collections
import os
import socket
import struct
import subprocess
import time

import pytest
import requests
from itch.parser import MessageParser

from venue import BINARY, Venue

PATIENCE_S = 20
LOTS = 100_000  # Of BTCUSDT in one BTC.
framing = pytest.mark.skipif("BUTTONWOOD_FRAMING" not in os.environ, reason="make framing")


@pytest.fixture
def feed():
    receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
    receiver.bind(("127.0.0.1", 0))
    receiver.settimeout(PATIENCE_S)
    yield receiver
    receiver.close()


@pytest.fixture
def house(tmp_path, feed):
    address = "{}:{}".format(*feed.getsockname())
    running = Venue(tmp_path, "--no-bots", "--itch", address, "--itch-recovery", "127.0.0.1:0")
    yield running
    if running.process.poll() is None:
        running.stop()


def messages_of(packet):
    """The number of a packet's first message, and its messages."""
    session, sequence, count = struct.unpack_from("!10sQH", packet)
    assert session == b"         1"
    messages, at = [], 20
    for _ in range(count):
        (length,) = struct.unpack_from("!H", packet, at)
        messages.append(packet[at + 2 : at + 2 + length])
        at += 2 + length
    assert at == len(packet)
    return sequence, messages


class Book:
    """Built with the messages of itchfeed alone."""

    def __init__(self):
        self.orders, self.next, self.raw, self.kinds = {}, 1, [], collections.Counter()

    def read(self, feed):
        """Reads until heartbeats say that nothing more is there: a pause of the orders has one or two."""
        beats = 0
        while beats < 3:
            sequence, messages = messages_of(feed.recv(2_048))
            assert sequence == self.next
            beats = 0 if messages else beats + 1
            for message in messages:
                self.take(message)
            self.next += len(messages)

    def take(self, raw):
        message = MessageParser().get_message_type(raw)
        assert message.to_bytes() == raw
        self.raw.append(raw)
        self.kinds[message.message_type.decode()] += 1
        match message.message_type:
            case b"A":
                assert message.order_reference_number not in self.orders
                of = [message.stock, message.buy_sell_indicator, message.decode_price("price"), message.shares]
                self.orders[message.order_reference_number] = of
            case b"E" | b"C":
                self.reduce(message.order_reference_number, message.executed_shares)
            case b"X":
                self.reduce(message.order_reference_number, message.cancelled_shares)
            case b"D":
                del self.orders[message.order_reference_number]
            case b"U":
                stock, side, *_ = self.orders.pop(message.order_reference_number)
                of = [stock, side, message.decode_price("price"), message.shares]
                self.orders[message.new_order_reference_number] = of

    def reduce(self, reference, shares):
        order = self.orders[reference]
        order[3] -= shares
        assert order[3] >= 0
        if order[3] == 0:
            del self.orders[reference]

    def levels(self, stock, side):
        levels = collections.Counter()
        for of_stock, of_side, price, shares in self.orders.values():
            if (of_stock, of_side) == (stock, side):
                levels[price] += shares
        return dict(levels)


def order(house, name, method="POST", path="/api/v3/order", **params):
    query = house.signed(name, symbol="BTCUSDT", **params)
    answer = requests.request(method, f"{house.url}{path}?{query}", headers=house.header(name))
    assert answer.status_code == 200, answer.text
    return answer.json()


def limit(house, name, side, quantity, price, **params):
    terms = {"type": "LIMIT", "timeInForce": "GTC", "quantity": quantity, "price": price}
    return order(house, name, side=side, **terms, **params)


def trade(house):
    """Orders of every kind that changes the book, an auction, a halt and a bust."""
    for step in range(30):
        limit(house, "alice", "BUY", "0.00200", f"{48_990 + step}")
    partial = limit(house, "bob", "SELL", "0.00500", "49018")["orderId"]
    order(house, "bob", "DELETE", orderId=partial)
    amended = limit(house, "alice", "BUY", "0.00300", "48000")["orderId"]
    order(house, "alice", "PUT", "/api/v3/order/amend/keepPriority", orderId=amended, newQty="0.00100")
    replaced = limit(house, "alice", "BUY", "0.00300", "48500")["orderId"]
    new = {"side": "BUY", "type": "LIMIT", "timeInForce": "GTC", "quantity": "0.00400", "price": "48400"}
    replace = {"cancelReplaceMode": "STOP_ON_FAILURE", "cancelOrderId": replaced, **new}
    order(house, "alice", "POST", "/api/v3/order/cancelReplace", **replace)
    limit(house, "bob", "SELL", "0.01000", "50000", icebergQty="0.00100")
    limit(house, "bob", "SELL", "0.00100", "49900", hidden="true")
    fills = limit(house, "alice", "BUY", "0.00400", "50000", newOrderRespType="FULL")["fills"]
    assert len(fills) == 4
    phase(house, "ClosingAuction")
    limit(house, "bob", "SELL", "0.00300", "49010")
    time.sleep(1.5)  # An indication is due each second.
    phase(house, "Continuous")
    busted = fills[-1]["tradeId"]
    sides = {"buyer": "alice", "seller": "bob"}
    answer = house.operate("POST", f"/instruments/BTCUSDT/trades/{busted}/bust", sides)
    assert answer.status_code == 200, answer.text


def phase(house, name):
    answer = house.operate("PUT", "/instruments/BTCUSDT/phase", {"phase": name})
    assert answer.status_code == 200, answer.text


def assert_is_book(book, house):
    depth = requests.get(f"{house.url}/api/v3/depth", {"symbol": "BTCUSDT", "limit": 5_000}).json()
    for side, levels in [(b"B", depth["bids"]), (b"S", depth["asks"])]:
        shown = {float(price): round(float(quantity) * LOTS) for price, quantity in levels}
        assert book.levels(b"BTCUSDT ", side) == shown


def test_itchfeed_builds_the_book_of_the_venue(house, feed, tmp_path):
    book = Book()
    trade(house)
    book.read(feed)
    assert_is_book(book, house)
    assert set(book.kinds) == set("SRHAECXDUPQIB")
    # What was missed comes again with the same bytes.
    host, port = house.listening["itch-recovery"].rsplit(":", 1)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asks:
        asks.settimeout(PATIENCE_S)
        asks.sendto(struct.pack("!10sQH", b"         1", 5, 20), (host, int(port)))
        assert messages_of(asks.recv(2_048)) == (5, book.raw[4:24])
    house.stop()
    out = tmp_path / "out"
    subprocess.run([BINARY, "log", "export", house.data, "--out", out, "--format", "itch"], check=True)
    with (out / "day-1.itch").open("rb") as file:
        exported = [message.to_bytes() for message in MessageParser().parse_file(file)]
    assert exported == book.raw
    report = subprocess.run(
        [BINARY, "replay", out / "day-1.itch", "--format", "itch"], check=True, capture_output=True, text=True
    )
    assert report.stdout


@framing
def test_wireshark_finds_nothing_to_object_to(house, feed, tmp_path):
    port = feed.getsockname()[1]
    capture = tmp_path / "itch.pcapng"
    options = ["-i", "lo", "-f", f"udp port {port}", "-w", capture]
    tshark = subprocess.Popen(["tshark", *options], stderr=subprocess.PIPE, text=True)
    try:
        assert any("Capturing" in line for line in tshark.stderr)
        time.sleep(1)  # It says so a moment before it captures.
        trade(house)
        time.sleep(2)  # With heartbeats.
    finally:
        tshark.terminate()
        tshark.wait(PATIENCE_S)

    def frames(*options):
        read = ["tshark", "-r", capture, "-d", f"udp.port=={port},moldudp64"]
        printed = subprocess.run([*read, *options], check=True, capture_output=True, text=True).stdout
        return printed.splitlines()

    numbers = frames("-Y", "moldudp64", "-T", "fields", "-e", "moldudp64.sequence", "-e", "moldudp64.count")
    expected = None
    for line in numbers:
        sequence, count = (int(number) for number in line.split("\t"))
        assert expected in (None, sequence)
        expected = sequence + count
    assert expected > 60
    objections = "_ws.malformed or _ws.expert.severity >= warning"
    assert frames("-Y", objections) == []
    # The filter finds what it is to find: as another protocol the same packets are malformed.
    assert frames("-d", f"udp.port=={port},dns", "-Y", objections) != []
