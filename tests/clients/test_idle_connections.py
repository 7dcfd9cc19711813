"""Ten thousand idle connections neither lock out nor slow down other clients."""

import contextlib
import json
import resource
import socket
import statistics
import time

import pytest
import requests

from venue import DEADLINE_S, Venue

IDLE = 10_000
CONNECTIONS_MAX = 12_000
# Of them, those of one address of this machine.
OF_ADDRESS = CONNECTIONS_MAX // 2
# Other open files of a process.
FILES_BESIDES = 500
ORDERS = 150
SLOWER_MAX, SLOWER_MAX_S = 3, 0.005
SILENT, HALF, WEBSOCKET = "silent", "half an order", "WebSocket"


@pytest.fixture
def files():
    """Raises this process's limit of open files; the venue raises its own."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = CONNECTIONS_MAX + FILES_BESIDES  # At both ends.
    if hard != resource.RLIM_INFINITY and hard < needed:
        pytest.skip(f"a process may open {hard} files here (`ulimit -Hn`), and {needed} are needed")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, needed), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_ten_thousand_idle_connections_slow_nobody_down(files, venue):
    with contextlib.ExitStack() as crowd, requests.Session() as early, requests.Session() as late:
        alone = median_order_s(venue, early)
        halves = stand_about(venue, crowd, IDLE)[HALF]
        # The venue serves clients that were connected before, and new ones.
        for session in (early, late):
            crowded = median_order_s(venue, session)
            assert crowded < SLOWER_MAX * alone + SLOWER_MAX_S, f"{alone * 1e3:.1f} ms, now {crowded * 1e3:.1f} ms"
            print(f"an order takes {alone * 1e3:.1f} ms, and {crowded * 1e3:.1f} ms beside {IDLE} idle connections")
        assert open_orders(venue, early) == {"alice": 3 * ORDERS, "bob": 0}
        # The request lacked only its last line.
        halves.pop().sendall(b"\r\n")
        deadline = time.monotonic() + DEADLINE_S
        while open_orders(venue, early)["bob"] == 0:
            assert time.monotonic() < deadline, "an order that was sent in two pieces is not taken on"
            time.sleep(0.05)
    # The venue has closed the connections, and carried out no incomplete request.
    with requests.Session() as after:
        assert open_orders(venue, after) == {"alice": 3 * ORDERS, "bob": 1}


def test_a_connection_too_many_is_told_so_and_finds_room_later(files, venue):
    with contextlib.ExitStack() as crowd, requests.Session() as early:
        open_orders(venue, early)
        idle = stand_about(venue, crowd, CONNECTIONS_MAX - 1)
        refused = requests.get(f"{venue.url}/api/v3/ping", timeout=DEADLINE_S)
        assert (refused.status_code, refused.json()) == (429, too_many(CONNECTIONS_MAX))
        assert refused.headers["connection"] == "close"
        # An open connection stays open.
        assert open_orders(venue, early) == {"alice": 0, "bob": 0}
        idle[SILENT].pop().close()
        deadline = time.monotonic() + DEADLINE_S
        # The last places are for clients with a key.
        ping = {"url": f"{venue.url}/api/v3/ping", "headers": venue.header("bob")}
        while requests.get(**ping, timeout=DEADLINE_S).status_code != 200:
            assert time.monotonic() < deadline, "the place was not given free"
            time.sleep(0.05)


def test_one_address_leaves_places_to_others(files, venue):
    with contextlib.ExitStack() as crowd, requests.Session() as early:
        idle = stand_about(venue, crowd, OF_ADDRESS, addresses=1)
        refused = connect(venue, 0)
        crowd.enter_context(refused)
        assert json.loads(refused.makefile().read().split("\n")[-1]) == too_many(OF_ADDRESS)
        alone = median_order_s(venue, early)
        print(f"an order takes {alone * 1e3:.1f} ms beside {OF_ADDRESS} idle connections of another address")
        idle[SILENT].pop().close()
        deadline = time.monotonic() + DEADLINE_S
        while not answers_a_ping(connect(venue, 0), venue):
            assert time.monotonic() < deadline, "the place was not given free"
            time.sleep(0.05)


def allowed(files):
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))


def test_few_open_files_are_for_the_log_before_connections(files, tmp_path):
    # Each segment of the log is a new file.
    venue = Venue(tmp_path, "--no-bots", "--log-segment-kib", "4", preexec_fn=allowed(1024))
    try:
        with contextlib.ExitStack() as crowd, requests.Session() as early:
            open_orders(venue, early)
            refused = 0
            for number in range(1_100):
                connection = crowd.enter_context(connect(venue, number % 4))
                refused += not answers_a_ping(connection, venue)
            assert refused > 300
            # Orders go on, in new files, and a snapshot is written.
            median_order_s(venue, early)
            assert open_orders(venue, early) == {"alice": ORDERS, "bob": 0}
            assert len(list((venue.data / "log").iterdir())) > 4
    finally:
        venue.stop()
    assert "connections_max=768" in (tmp_path / "stderr.txt").read_text()


def test_a_venue_needs_more_than_a_few_open_files(tmp_path):
    with pytest.raises(RuntimeError, match="may open 500 files, and a venue needs 512: raise the limit"):
        Venue(tmp_path, "--no-bots", preexec_fn=allowed(500))


def stand_about(venue, stack, count, addresses=4):
    """Opens this number of connections: some silent, some with half an order, some WebSockets."""
    idle = {SILENT: [], HALF: [], WEBSOCKET: []}
    for number in range(count):
        kind = list(idle)[number % len(idle)]
        connection = stack.enter_context(connect(venue, number % addresses))
        # A connection that asks nothing at all closes after 10 s.
        assert answers_a_ping(connection, venue)
        connection.sendall(said(venue, kind))
        if kind == WEBSOCKET:
            assert connection.recv(4096).startswith(b"HTTP/1.1 101 ")
        idle[kind].append(connection)
    return idle


def connect(venue, number):
    """From an address of this machine that other clients do not use."""
    host, port = venue.url.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), DEADLINE_S, source_address=(f"127.0.1.{1 + number}", 0))


def answers_a_ping(connection, venue):
    key = venue.header("bob")["X-MBX-APIKEY"]
    request = f"GET /api/v3/ping HTTP/1.1\r\nhost: localhost\r\nx-mbx-apikey: {key}\r\n\r\n"
    try:
        connection.sendall(request.encode())
        return connection.recv(4096).startswith(b"HTTP/1.1 200 ")
    except ConnectionError:  # A refused connection may close before it is read.
        return False


def too_many(limit):
    return {"code": -1034, "msg": f"Too many concurrent connections; current limit is '{limit}'."}


def said(venue, kind):
    if kind == SILENT:
        return b""
    if kind == WEBSOCKET:
        return (
            b"GET /ws HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n"
            b"sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        )
    # A correct request without its last line.
    query = venue.signed("bob", **order(200), recvWindow=60_000)
    key = venue.header("bob")["X-MBX-APIKEY"]
    return f"POST /api/v3/order?{query} HTTP/1.1\r\nhost: localhost\r\nx-mbx-apikey: {key}\r\n".encode()


def median_order_s(venue, session):
    times = []
    for number in range(ORDERS):
        query = venue.signed("alice", **order(200 + number))
        began = time.perf_counter()
        answer = session.post(f"{venue.url}/api/v3/order?{query}", headers=venue.header("alice"), timeout=DEADLINE_S)
        times.append(time.perf_counter() - began)
        assert answer.status_code == 200, answer.text
    return statistics.median(times)


def order(price):
    return {
        "symbol": "BTCUSDT",
        "side": "BUY",
        "type": "LIMIT",
        "timeInForce": "GTC",
        "quantity": "0.1",
        "price": str(price),
    }


def open_orders(venue, session):
    """The number of open files of each process."""
    found = {}
    for name in ("alice", "bob"):
        url = f"{venue.url}/api/v3/openOrders?{venue.signed(name)}"
        found[name] = len(session.get(url, headers=venue.header(name), timeout=DEADLINE_S).json())
    return found
