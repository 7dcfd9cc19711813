"""Clients that have packages of their own: each is a program that trades on the venue, and fails by its exit status."""

import os
import pathlib
import subprocess

import pytest

from venue import ROOT

HERE = pathlib.Path(__file__).parent
DEADLINE_S = 120
BOT_RUNS_S = 300


def node(script):
    return ["node", HERE / "js" / script]


def python(environment, script, *arguments):
    """`make clients` gives these clients environments of their own, since two of them are both called `binance`."""
    return [ROOT / f".venv-{environment}/bin/python", HERE / environment / script, *arguments]


@pytest.mark.parametrize(
    "program",
    [
        pytest.param(node("binance_connector.mjs"), id="@binance/connector"),
        pytest.param(node("ccxt.mjs"), id="ccxt and ccxt.pro", marks=pytest.mark.slow),
        pytest.param(node("binance_spot.mjs"), id="@binance/spot", marks=pytest.mark.slow),
        pytest.param(node("binance.mjs"), id="binance", marks=pytest.mark.slow),
        pytest.param(node("binance_api_node.mjs"), id="binance-api-node", marks=pytest.mark.slow),
        pytest.param(python("official", "connector.py"), id="binance-connector", marks=pytest.mark.slow),
        pytest.param(python("official", "sdk.py"), id="binance-sdk-spot", marks=pytest.mark.slow),
    ],
)
def test_life_of_an_order(venue, program):
    run(venue, program, DEADLINE_S)


@pytest.mark.slow
@pytest.mark.parametrize("environment,script", [("nautilus", "market_maker.py"), ("freqtrade", "live.py")])
def test_a_bot_trades_with_the_venues_own(busy_venue, environment, script):
    run(busy_venue, python(environment, script, str(BOT_RUNS_S)), BOT_RUNS_S + DEADLINE_S)


def run(venue, program, deadline_s):
    addresses = {"BUTTONWOOD_URL": venue.url, "BUTTONWOOD_KEYS": str(venue.data / "demo.json")}
    # The program prints the error itself.
    subprocess.run(program, env={**os.environ, **addresses}, timeout=deadline_s, check=True)
