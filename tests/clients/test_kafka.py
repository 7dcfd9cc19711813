"""Events in a topic of Kafka: each once and in order by partition, through kills of either side.

Each test starts a broker of its own; BUTTONWOOD_KAFKA names the folder of Kafka's jars.
"""

import collections
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import uuid

import kafka
import pytest
from google.protobuf import json_format
from kafka.admin import KafkaAdminClient, NewTopic

from fed import ROUNDS
from publishing import ORDER_MAX_S, Publishing, check_complete, kills, none_left
from redis_server import RedisServer, free_port
from test_redis import entries
from venue import DEADLINE_S, ROOT

pytestmark = pytest.mark.brokers
__all__ = ["none_left"]  # A fixture.
# The venues of the tests must not take it for a setting.
JARS = os.environ.pop("BUTTONWOOD_KAFKA", None)
PARTITIONS = 3


class Broker:
    """One broker in KRaft mode, whose log is synced at each record."""

    def __init__(self):
        self.jars = JARS
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="bw-kafka-", dir="/tmp"))
        self.port, controller = free_port(), free_port()
        (self.folder / "server.properties").write_text(
            "process.roles=broker,controller\nnode.id=1\n"
            f"controller.quorum.voters=1@127.0.0.1:{controller}\n"
            f"listeners=PLAINTEXT://127.0.0.1:{self.port},CONTROLLER://127.0.0.1:{controller}\n"
            f"advertised.listeners=PLAINTEXT://127.0.0.1:{self.port}\n"
            "controller.listener.names=CONTROLLER\n"
            f"log.dirs={self.folder}/data\nlog.flush.interval.messages=1\n"
            "offsets.topic.replication.factor=1\nauto.create.topics.enable=false\n"
        )
        self.java("kafka.tools.StorageTool", "format", "-t", str(uuid.uuid4()), "-c",
                  self.folder / "server.properties").wait(DEADLINE_S)
        self.start()

    def java(self, *arguments):
        log = open(self.folder / "log.txt", "ab")
        return subprocess.Popen(
            ["java", "-Xmx512m", "-XX:TieredStopAtLevel=1", "-cp", f"{self.jars}/*", *arguments],
            stdout=log, stderr=log, cwd=self.folder,
        )

    def start(self):
        self.process = self.java("kafka.Kafka", self.folder / "server.properties")
        begun = time.monotonic()
        while True:
            try:
                kafka.KafkaConsumer(bootstrap_servers=self.address).close()
                return
            except Exception as error:
                text = (self.folder / "log.txt").read_text()[-2000:]
                assert self.process.poll() is None, text
                assert time.monotonic() - begun < 2 * DEADLINE_S, f"{error!r}: {text}"
                time.sleep(0.2)

    @property
    def address(self):
        return f"127.0.0.1:{self.port}"

    def create(self, topic="events"):
        admin = KafkaAdminClient(bootstrap_servers=self.address)
        admin.create_topics([NewTopic(topic, num_partitions=PARTITIONS, replication_factor=1)])
        admin.close()

    def delete(self, topic="events"):
        admin = KafkaAdminClient(bootstrap_servers=self.address)
        admin.delete_topics([topic])
        admin.close()

    def records(self, topic="events"):
        """All records by partition, each in its order."""
        consumer = kafka.KafkaConsumer(bootstrap_servers=self.address, auto_offset_reset="earliest")
        places = [kafka.TopicPartition(topic, partition) for partition in range(PARTITIONS)]
        consumer.assign(places)
        ends = consumer.end_offsets(places)
        consumer.seek_to_beginning(*places)
        found = {place: [] for place in places}
        while any(consumer.position(place) < ends[place] for place in places):
            for place, records in consumer.poll(timeout_ms=500).items():
                found[place] += records
        consumer.close()
        return {place.partition: records for place, records in found.items()}

    def url(self):
        return f"kafka://{self.address}"

    def kill(self):
        self.process.kill()
        self.process.wait(DEADLINE_S)

    def remove(self):
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


@pytest.fixture
def broker():
    running = Broker()
    yield running
    running.remove()


@pytest.fixture(scope="module")
def schema(tmp_path_factory):
    """The messages of api/events.proto, as protoc makes them for Python."""
    folder = tmp_path_factory.mktemp("schema")
    subprocess.run(
        [sys.executable, "-m", "grpc_tools.protoc", f"-I{ROOT}/api", f"--python_out={folder}", "events.proto"],
        check=True,
    )
    sys.path.insert(0, str(folder))
    import events_pb2

    return events_pb2


async def test_partitions_have_each_event_once_and_the_bytes_of_the_schema(tmp_path, broker, schema):
    broker.create()
    redis = RedisServer()
    try:
        urls = (broker.url(), f"{redis.url()}?kinds=streams")
        venue = await kills(tmp_path, urls, broker, ROUNDS, seed=8)
        for sink in ("topic events", "stream events"):
            venue.wait_until_level(sink)
        head = venue.operate("GET", "/status").json()["sequence"]
        venue.stop()

        found, by_symbol = [], collections.defaultdict(set)
        for partition, records in broker.records().items():
            ids = []
            for record in records:
                headers = {name: value.decode() for name, value in record.headers}
                event = schema.Event.FromString(record.value)
                assert headers["event-id"] == f"{event.sequence}-{event.index}"
                assert headers["time-ns"] == str(event.time_ns)
                assert (record.key or b"").decode() == event.symbol
                by_symbol[event.symbol].add(partition)
                ids.append((event.sequence, event.index))
                found.append((headers["event-id"], json_format.MessageToDict(event)))
            assert ids == sorted(set(ids))
        assert all(len(partitions) == 1 for partitions in by_symbol.values()) and len(by_symbol) > 2
        found.sort(key=lambda entry: tuple(map(int, entry[0].split("-"))))
        check_complete(found, head)
        # The other form of the same messages.
        assert found == entries(redis.client())
    finally:
        redis.remove()


def test_what_is_wrong_with_kafka_is_one_sentence_and_delays_no_order(tmp_path, broker):
    venue = Publishing(tmp_path, broker.url())

    def stands(sentence):
        for _ in range(2):
            _, took = venue.order("alice", "BUY", "50000", "0.00100")
            assert took < ORDER_MAX_S
            venue.wait_for(
                lambda: venue.gauge("alarm", "topic") == 1 and sentence in venue.stderr_text(), 3 * DEADLINE_S
            )

    def goes_on():
        venue.wait_for(lambda: venue.gauge("alarm", "topic") == 0, 3 * DEADLINE_S)
        venue.wait_until_level("topic")

    stands("has no such topic: make it, or let the broker do it")
    broker.create()
    goes_on()
    broker.kill()
    stands("cannot be reached")
    broker.start()
    goes_on()
    broker.delete()
    stands("has no such topic")
    broker.create()
    goes_on()
    assert "what was published is no longer there" in venue.stderr_text()
    venue.stop()
