"""The handbook, the alerts and the dashboard name the metrics that a venue has, and no others."""

import re
import time

import pytest
import requests

from monitoring import ALERTS, DASHBOARD, RULE_TESTS, annotation_queries, families, named, panel_queries
from venue import ROOT, Venue

OPERATIONS = (ROOT / "docs/operations.md").read_text()
HANDBOOK = (ROOT / "docs/alerts.md").read_text()


@pytest.fixture(scope="module")
def scraped(tmp_path_factory):
    """The metrics of a venue with all that has some."""
    doors = ["--ouch-udp", "127.0.0.1:0", "--itch-recovery", "127.0.0.1:0", "--glimpse", "127.0.0.1:0"]
    # Where nothing listens.
    doors += ["--itch", "127.0.0.1:9", "--intake", "redis://127.0.0.1:9", "--publish", "redis://127.0.0.1:9"]
    venue = Venue(tmp_path_factory.mktemp("venue"), "--replica", "--no-bots", "--tls-self-signed", *doors)
    answer = requests.get(f"{venue.url}/metrics", verify=False, timeout=30)
    venue.stop()
    assert answer.status_code == 200
    assert answer.text.endswith("# EOF\n")
    return answer.text


def documented():
    table = OPERATIONS.split("## Monitoring")[1].split("\n\n| metric |")[1].split("\n\n")[0]
    rows = [row.split("|")[1] for row in table.split("\n")[2:]]
    return {name for row in rows for name in re.findall(r"`(\w+)", row)}


def test_the_page_and_the_scrape_have_the_same_metrics(scraped):
    assert documented() == families(scraped)


def test_folder_disk_replica_and_certificate_have_values(scraped):
    def value(name):
        return float(re.search(rf"^buttonwood_{name}(?:\{{.*\}})? (\S+)$", scraped, re.MULTILINE).group(1))

    for name in ("log_bytes", "spool_bytes", "disk_free_bytes", "fdatasync_seconds_count", "log_written_bytes_total"):
        assert value(name) > 0, name
    assert value("fdatasync_seconds_count") <= value("batches_committed_total")
    assert value("log_written_bytes_total") < value("log_bytes")
    assert value("log_oldest_sequence") == 1
    assert value("connections") == 1, "this one"
    assert value("tls_certificate_expiry_timestamp_seconds") > time.time()
    build = r'^buttonwood_build_info\{version="\d+\.\d+\.\d+",commit="\w+",rules="\d+"\} 1$'
    assert re.search(build, scraped, re.MULTILINE)


def test_no_metric_is_written_twice(scraped):
    names = re.findall(r"^# TYPE (\S+)", scraped, re.MULTILINE)
    assert sorted(names) == sorted(set(names))


def test_rules_and_dashboard_name_metrics_that_exist(scraped):
    queries = [(rule["alert"], rule["expr"]) for rule in ALERTS] + panel_queries() + annotation_queries()
    existing = families(scraped)
    for title, query in queries:
        assert named(query) or "up{" in query, title
        assert named(query) <= existing, title


def test_each_alert_has_a_section_and_each_section_an_alert():
    for group, title in (("buttonwood-pages", "Pages"), ("buttonwood-tickets", "Tickets")):
        part = HANDBOOK.split(f"\n## {title}\n")[1].split("\n## ")[0]
        sections = re.findall(r"^### (\w+)$", part, re.MULTILINE)
        assert sections == [rule["alert"] for rule in ALERTS if rule["group"] == group]


def test_each_alert_says_what_it_means_and_what_to_do_first():
    for rule in ALERTS:
        notes = rule["annotations"]
        assert set(notes) == {"summary", "clients", "step", "handbook"}, rule["alert"]
        assert notes["handbook"] == f"docs/alerts.md#{rule['alert'].lower()}"
        assert rule["labels"]["severity"] in rule["group"]


def test_each_alert_is_tested_silent_and_firing():
    assert [it["name"] for it in RULE_TESTS["tests"]] == [rule["alert"] for rule in ALERTS]
    for test in RULE_TESTS["tests"]:
        silent, firing = test["promql_expr_test"]
        assert f'"{test["name"]}"' in silent["expr"] == firing["expr"]
        assert (silent["exp_samples"], firing["exp_samples"]) == ([], [{"labels": "{}", "value": 1}])


def test_each_row_of_the_dashboard_opens_with_a_sentence():
    panels = DASHBOARD["panels"]
    assert DASHBOARD["timezone"] == "utc"
    openings = [after for panel, after in zip(panels, panels[1:]) if panel["type"] == "row"]
    assert len(openings) == 9
    for opening in openings:
        assert opening["type"] == "text"
        assert re.fullmatch(r"[A-Z].{40,}\.", opening["options"]["content"])
    assert [name for name, _ in annotation_queries()] == ["Restarts", "Halts", "Snapshots"]


def test_no_panel_of_the_dashboard_covers_another():
    taken = set()
    for panel in DASHBOARD["panels"]:
        at = panel["gridPos"]
        cells = {(at["x"] + x, at["y"] + y) for x in range(at["w"]) for y in range(at["h"])}
        assert at["x"] + at["w"] <= 24 and not cells & taken, panel["title"]
        taken |= cells
