"""Events in a stream of NATS: each once and in order through kills of either side.

Each test starts a server of its own: `nats-server` is in PATH.
"""

import contextlib
import json
import pathlib
import shutil
import subprocess
import tempfile
import time

import nats
import pytest

from fed import ROUNDS
from publishing import ORDER_MAX_S, Publishing, check_complete, kills, none_left, sinks
from redis_server import free_port
from venue import DEADLINE_S

pytestmark = pytest.mark.brokers
__all__ = ["none_left"]  # A fixture.
PASSWORD = "s3cret-of-the-tests"


class NatsServer:
    """A server with JetStream on the loopback; one that was killed starts again on its port and folder."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="bw-nats-", dir="/tmp"))
        self.port, self.password = free_port(), PASSWORD
        self.start()

    def start(self):
        # `sync: always` is a disk that keeps what was acknowledged.
        (self.folder / "nats.conf").write_text(
            f'listen: "127.0.0.1:{self.port}"\n'
            f'jetstream {{ store_dir: "{self.folder}/store", sync_interval: always }}\n'
            f'authorization {{ user: venue, password: "{self.password}" }}\n'
        )
        self.log = open(self.folder / "log.txt", "ab")
        self.process = subprocess.Popen(
            ["nats-server", "--config", self.folder / "nats.conf"], stdout=self.log, stderr=self.log
        )
        begun = time.monotonic()
        while "Server is ready" not in self.text().rpartition("Starting nats-server")[2]:
            assert self.process.poll() is None and time.monotonic() - begun < DEADLINE_S, self.text()
            time.sleep(0.02)

    def text(self):
        return (self.folder / "log.txt").read_text()

    def kill(self):
        self.process.kill()
        self.process.wait(DEADLINE_S)
        self.log.close()

    def remove(self):
        if self.process.poll() is None:
            self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def url(self, password=None):
        return f"nats://venue:{password or self.password}@127.0.0.1:{self.port}"

    @contextlib.asynccontextmanager
    async def stream(self):
        client = await nats.connect(self.url(), connect_timeout=DEADLINE_S)
        try:
            yield client.jetstream()
        finally:
            await client.close()


@pytest.fixture
def server():
    running = NatsServer()
    yield running
    running.remove()


async def messages(server):
    """All messages of the stream, with their events."""
    found = []
    async with server.stream() as stream:
        last = (await stream.stream_info("events")).state.last_seq
        reader = await stream.subscribe("events.>", ordered_consumer=True)
        while not found or found[-1][0] < last:
            message = await reader.next_msg(timeout=DEADLINE_S)
            event = json.loads(message.data)
            assert message.subject == f"events.{event.get('symbol', 'venue')}"
            found.append((message.metadata.sequence.stream, message.headers["Nats-Msg-Id"], event))
    return [(name, event) for _, name, event in found]


async def test_a_stream_has_each_event_once_through_kills_of_either_side(tmp_path, server):
    venue = await kills(tmp_path, [server.url()], server, ROUNDS, seed=6)
    venue.wait_until_level("stream events")
    head = venue.operate("GET", "/status").json()["sequence"]
    venue.stop()
    check_complete(await messages(server), head)


async def test_what_is_wrong_with_nats_is_one_sentence_and_delays_no_order(tmp_path, server):
    venue = Publishing(tmp_path, server.url("not-it"))

    def stands(sentence):
        for _ in range(2):
            _, took = venue.order("alice", "BUY", "50000", "0.00100")
            assert took < ORDER_MAX_S
            venue.wait_for(lambda: venue.gauge("alarm", "stream") == 1 and sentence in venue.stderr_text())

    def goes_on():
        venue.wait_for(lambda: venue.gauge("alarm", "stream") == 0)
        venue.wait_until_level("stream")

    stands("does not admit the venue: wrong user, password or token")
    (sink,) = sinks(venue.data).values()
    assert sink["state"] == "failing" and "not-it" not in venue.stderr_text() + json.dumps(sink)
    server.kill()
    server.password = "not-it"
    server.start()
    goes_on()
    async with server.stream() as stream:
        await stream.delete_stream("events")
    venue.order("alice", "BUY", "50000", "0.00100")
    venue.wait_for(lambda: "was deleted while the venue published to it" in venue.stderr_text())
    goes_on()
    async with server.stream() as stream:
        await stream.publish("events.BTCUSDT", b"of another program")
    stands("holds messages that no venue wrote")
    async with server.stream() as stream:
        await stream.purge_stream("events")
    goes_on()
    server.kill()
    stands("cannot be reached")
    server.start()
    goes_on()
    venue.stop()
