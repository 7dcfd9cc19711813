"""The upgrade drill: a folder that a release has left, read and continued by this build.

tests/releases has a folder of each release, made by scripts/release-folder. This build makes one more, so that drill
and script are tested while there is no release. crates/venue/tests/venue/upgrade.rs has the way back.
"""

import importlib.machinery
import importlib.util
import json
import shutil
import subprocess
import sys

import pytest

from venue import BINARY, DEADLINE_S, ROOT, Signature

RELEASES = ROOT / "tests/releases"
THIS_BUILD = "this build"
NAMES = sorted(path.name for path in RELEASES.iterdir() if path.is_dir()) if RELEASES.exists() else []


def script():
    loader = importlib.machinery.SourceFileLoader("release_folder", str(ROOT / "scripts/release-folder"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


@pytest.fixture
def release(request, tmp_path):
    """A copy of what a release has left."""
    copy = tmp_path / "release"
    if request.param == THIS_BUILD:
        subprocess.run([sys.executable, ROOT / "scripts/release-folder", BINARY, copy], check=True)
    else:
        shutil.copytree(RELEASES / request.param, copy)
    # A repository does not keep that these are their user's alone.
    (copy / "master.key").chmod(0o600)
    (copy / "data").chmod(0o700)
    return copy


@pytest.mark.parametrize("release", [*NAMES, THIS_BUILD], indirect=True)
def test_a_release_s_folder_is_read_and_continued(release):
    data, keys = release / "data", read(release / "keys.json")
    left = read(release / "history.json")
    assert output("log", "verify", data).endswith("\nsound\n")
    check_within(read(release / "state.json"), json.loads(output("log", "state", data, "--json")))

    with Serving(release) as url:
        check_within(left, script().history(url, keys))
        trade(url, keys)
    # Once more, with a read model from the log alone.
    output("projection", "rebuild", data)
    with Serving(release) as url:
        continued = script().history(url, keys)
        for name in keys:
            *trades, last = continued[name]["myTrades"]
            check_within(left[name]["myTrades"], trades)
            assert last["price"] == "49999.00000000"
    assert output("log", "verify", data).endswith("\nsound\n")


class Serving:
    def __init__(self, release):
        place = ["--data", release / "data", "--master-key", release / "master.key", "--http", "127.0.0.1:0"]
        self.process = subprocess.Popen([BINARY, "serve", *place], stdout=subprocess.PIPE, text=True)

    def __enter__(self):
        return next(line.split()[1] for line in self.process.stdout if line.startswith("ready "))

    def __exit__(self, *_):
        self.process.terminate()
        assert self.process.wait(DEADLINE_S) == 0


def trade(url, keys):
    send = script().send
    send("DELETE", f"{url}/api/v3/openOrders", Signature(keys["bob"]), params={"symbol": "BTCUSDT"})
    for name, side in (("bob", "SELL"), ("alice", "BUY")):
        order = {"symbol": "BTCUSDT", "side": side, "type": "LIMIT", "timeInForce": "GTC", "quantity": "1", "price": "49999"}
        reply = send("POST", f"{url}/api/v3/order", Signature(keys[name]), params=order)
    assert reply["status"] == "FILLED", reply


def check_within(then, now, place="it"):
    """What the release has read is what this build reads; a later build may read more."""
    if isinstance(then, dict):
        for name, value in then.items():
            assert name in now, f"{place} has no {name}"
            check_within(value, now[name], f"{place}.{name}")
    elif isinstance(then, list):
        assert len(now) == len(then), f"{place}: {then} is now {now}"
        for at, value in enumerate(then):
            check_within(value, now[at], f"{place}[{at}]")
    else:
        assert now == then, f"{place} was {then}, and is {now}"


def read(file):
    return json.loads(file.read_text())


def output(*command):
    return subprocess.run([BINARY, *map(str, command)], check=True, stdout=subprocess.PIPE, text=True).stdout
