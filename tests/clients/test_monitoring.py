"""Rules and dashboard in Prometheus itself, which scrapes a demo."""

import os
import socket
import subprocess
import time

import pytest
import requests
import yaml

from monitoring import ALERTS, PROMETHEUS, annotation_queries, panel_queries
from redis_server import RedisServer
from venue import Signature, Venue

pytestmark = pytest.mark.skipif("BUTTONWOOD_MONITORING" not in os.environ, reason="for `make monitoring`")

DEADLINE_S = 120
# Grafana chooses it by the interval of the scrapes.
RATE_INTERVAL = "10s"


@pytest.mark.parametrize(
    "check", (("config", "prometheus.yml"), ("rules", "alerts.yml"), ("test", "rules", "alerts_test.yml"))
)
def test_promtool(check):
    command = check if check[0] == "test" else ("check", *check)
    done = subprocess.run(("promtool", *command), cwd=PROMETHEUS, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


class Prometheus:
    """The program with the configuration of deploy/, but for this venue and every second."""

    def __init__(self, folder, venue):
        config = yaml.safe_load((PROMETHEUS / "prometheus.yml").read_text())
        config["global"] = {"scrape_interval": "1s", "evaluation_interval": "1s"}
        config["rule_files"] = [str(PROMETHEUS / name) for name in config["rule_files"]]
        self.target = venue.url.removeprefix("http://")
        config["scrape_configs"][0]["static_configs"] = [{"targets": [self.target]}]
        (folder / "prometheus.yml").write_text(yaml.safe_dump(config))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            address = f"127.0.0.1:{free.getsockname()[1]}"
        self.url = f"http://{address}/api/v1"
        self.log = open(folder / "log.txt", "wb")
        self.process = subprocess.Popen(
            (
                "prometheus",
                f"--config.file={folder / 'prometheus.yml'}",
                f"--storage.tsdb.path={folder / 'data'}",
                f"--web.listen-address={address}",
            ),
            stdout=self.log,
            stderr=self.log,
        )

    def stop(self):
        self.process.terminate()
        self.process.wait(DEADLINE_S)
        self.log.close()

    def get(self, path, **params):
        answer = requests.get(f"{self.url}/{path}", params=params, timeout=10).json()
        assert answer["status"] == "success", (params, answer)
        return answer["data"]

    def query(self, query):
        query = query.replace("$__rate_interval", RATE_INTERVAL).replace("$instance", self.target)
        return self.get("query", query=query)["result"]

    def await_scrapes(self, count):
        until = time.monotonic() + DEADLINE_S
        while True:
            try:
                found = self.query(f'count_over_time(up{{job="buttonwood"}}[{DEADLINE_S}s])')
                if found and int(found[0]["value"][1]) >= count:
                    return
            except requests.RequestException:  # It is not open yet, or reads its folder.
                assert self.process.poll() is None, "Prometheus has ended"
            assert time.monotonic() < until, "Prometheus does not scrape the venue"
            time.sleep(0.2)


def ask_for_the_past(venue):
    path = f"{venue.url}/api/v3/allOrders?symbol=BTCUSDT"
    answer = requests.get(path, headers=venue.header("alice"), auth=Signature(venue.keys["alice"]))
    assert answer.status_code == 200, answer.text


@pytest.fixture(scope="module")
def prometheus(tmp_path_factory):
    redis = RedisServer()
    venue = Venue(tmp_path_factory.mktemp("venue"), "--publish", redis.url(), "--intake", redis.url(database=1))
    prometheus = Prometheus(tmp_path_factory.mktemp("prometheus"), venue)
    # The metric of queries begins with the first one. A rate needs two scrapes with it.
    ask_for_the_past(venue)
    prometheus.await_scrapes(2)
    ask_for_the_past(venue)
    prometheus.await_scrapes(12)
    yield prometheus
    prometheus.stop()
    venue.stop()
    redis.remove()


def test_each_query_of_the_dashboard_returns_data(prometheus):
    empty = [(title, query) for title, query in panel_queries() if not prometheus.query(query)]
    assert not empty


def test_each_query_of_an_annotation_is_valid(prometheus):
    for _, query in annotation_queries():
        prometheus.query(query)


def test_prometheus_evaluates_each_rule(prometheus):
    groups = prometheus.get("rules")["groups"]
    health = {rule["name"]: rule["health"] for group in groups for rule in group["rules"]}
    assert health == {rule["alert"]: "ok" for rule in ALERTS}


def test_a_healthy_venue_wakes_no_operator(prometheus):
    firing = prometheus.query('ALERTS{alertstate="firing", severity="page"}')
    assert not firing
