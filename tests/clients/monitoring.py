"""What deploy/ and the handbook say of metrics and alerts, as the tests read it."""

import json
import re

import yaml

from venue import ROOT

PROMETHEUS = ROOT / "deploy/prometheus"
RULES = yaml.safe_load((PROMETHEUS / "alerts.yml").read_text())
RULE_TESTS = yaml.safe_load((PROMETHEUS / "alerts_test.yml").read_text())
ALERTS = [{"group": group["name"], **rule} for group in RULES["groups"] for rule in group["rules"]]
DASHBOARD = json.loads((ROOT / "deploy/grafana/buttonwood.json").read_text())
# What a metric's type adds to the name of its family.
SUFFIXES = {"counter": "_total", "info": "_info"}


def panel_queries():
    """Title and query, of each target of each panel."""
    return [(panel["title"], it["expr"]) for panel in DASHBOARD["panels"] for it in panel.get("targets", ())]


def annotation_queries():
    return [(it["name"], it["expr"]) for it in DASHBOARD["annotations"]["list"]]


def named(query):
    """The metrics in a query."""
    found = re.findall(r"\b(?:buttonwood|process|orders?|current)_\w+", re.sub(r'"[^"]*"', "", query))
    return {re.sub(r"_(bucket|sum|count)$", "", name) for name in found}


def families(text):
    """The metrics in the text of a scrape, those without a value too."""
    found = re.findall(r"^# TYPE (\S+) (\S+)$", text, re.MULTILINE)
    return {name + SUFFIXES.get(kind, "") for name, kind in found}
