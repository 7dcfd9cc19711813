"""The release archive, unpacked into an empty root folder: it has all that a user needs, and trades.

`make dist-test` builds the archive and runs this. It needs the right to chroot.
"""

import hashlib
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tarfile
import time

import pytest
import requests

import venue
from venue import Signature, Venue

pytestmark = pytest.mark.slow
DIST = os.environ.get("BUTTONWOOD_DIST")
SIZE_MAX = 15_000_000


@pytest.fixture(scope="module")
def archive():
    if not DIST:
        pytest.skip("BUTTONWOOD_DIST names no folder: make dist-test")
    (found,) = pathlib.Path(DIST).glob("*.tar.xz")
    return found


@pytest.fixture
def root(archive, tmp_path):
    """A root folder with the archive's content, the C library that it loads, and nothing else."""
    root = tmp_path / "root"
    root.mkdir()
    with tarfile.open(archive) as tar:
        tar.extractall(root, filter="data")
    (folder,) = root.iterdir()
    loaded = subprocess.run(["ldd", folder / "bin/buttonwood"], capture_output=True, text=True, check=True).stdout
    for library in re.findall(r"(/\S+) \(", loaded):
        target = root / library.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(os.path.realpath(library), target)
    (root / "tmp").mkdir()
    return root


def test_the_checksum_is_that_of_the_archive(archive):
    digest, name = archive.with_name(archive.name + ".sha256").read_text().split()
    assert name == archive.name
    assert digest == hashlib.sha256(archive.read_bytes()).hexdigest()
    assert archive.stat().st_size < SIZE_MAX


def test_the_archive_has_everything_beside_the_binary(root):
    folder = next(root.glob("buttonwood-*"))
    names = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    wanted = {
        "README.md", "ARCHITECTURE.md", "LICENSE", "SECURITY.md", "THIRD-PARTY-NOTICES.txt", "buttonwood.cdx.json",
        "systemd/buttonwood.service", "completions/bash/buttonwood", "completions/zsh/_buttonwood",
        "completions/fish/buttonwood.fish", "man/man1/buttonwood.1", "man/man1/buttonwood-serve.1", "docs/api.md",
        "examples/market.toml", "deploy/prometheus/alerts.yml", "deploy/grafana/buttonwood.json",
    }
    assert wanted <= names, wanted - names
    bom = json.loads((folder / "buttonwood.cdx.json").read_text())
    assert bom["bomFormat"] == "CycloneDX"
    assert {"tokio", "rusqlite", "ring"} <= {it["name"] for it in bom["components"]}
    notices = (folder / "THIRD-PARTY-NOTICES.txt").read_text()
    assert "tokio 1." in notices and "Permission is hereby granted" in notices


def test_no_page_of_the_archive_links_to_what_is_not_in_it(root):
    folder = next(root.glob("buttonwood-*"))
    pages = list(folder.rglob("*.md"))
    links = [(page, link) for page in pages for link in re.findall(r"\]\(([^)#\s]+)", page.read_text())]
    inside = [(page, link) for page, link in links if "://" not in link]
    assert len(inside) > 100, inside
    missing = [(page.name, link) for page, link in inside if not (page.parent / link).exists()]
    assert not missing, missing


def test_the_debug_file_has_the_build_id_of_the_binary(archive, root):
    debug = archive.with_name(archive.name.replace(".tar.xz", ".debug"))
    files = [next(root.glob("buttonwood-*/bin/buttonwood")), debug]
    notes = [subprocess.run(["readelf", "-n", it], capture_output=True, text=True, check=True).stdout for it in files]
    (binary,), (symbols,) = (re.findall(r"Build ID: ([0-9a-f]{40})", note) for note in notes)
    assert binary == symbols and binary != "0" * 40


def test_the_binary_needs_glibc_2_17_at_most(root):
    binary = next(root.glob("buttonwood-*/bin/buttonwood"))
    symbols = subprocess.run(["objdump", "-T", binary], capture_output=True, text=True, check=True).stdout
    versions = {tuple(map(int, it.split("."))) for it in re.findall(r"GLIBC_([\d.]+)", symbols)}
    assert versions and max(versions) <= (2, 17), max(versions)


def test_it_trades_in_an_empty_root(root, monkeypatch, tmp_path):
    binary = next(root.glob("buttonwood-*/bin/buttonwood"))
    enter = tmp_path / "enter"
    inside = f"/{binary.relative_to(root)}"
    # The venue's folder is named as seen from inside, which is also where the test finds it.
    enter.write_text(
        f'#!/bin/sh\nset -- "$@"\nfor it; do shift; set -- "$@" "${{it#{root}}}"; done\nexec chroot {root} {inside} "$@"\n'
    )
    enter.chmod(0o755)
    monkeypatch.setattr(venue, "BINARY", enter)
    running = Venue(tmp_path, "--no-bots", data=root / "tmp/data")
    try:
        sell = {"side": "SELL", "type": "LIMIT", "timeInForce": "GTC", "price": "50000"}
        assert order(running, "alice", **sell)["status"] == "NEW"
        assert order(running, "bob", side="BUY", type="MARKET")["status"] == "FILLED"
    finally:
        running.stop()


def test_the_first_trade_by_the_lines_of_the_readme(archive, tmp_path):
    with tarfile.open(archive) as tar:
        (page,) = (name for name in tar.getnames() if name.count("/") == 1 and name.endswith("/README.md"))
        text = tar.extractfile(page).read().decode()
    blocks = re.findall(r"^```(\w+)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    (shell,) = (code for language, code in blocks if language == "sh" and "tar -xf" in code)
    (trade,) = (code for language, code in blocks if language == "python")
    shutil.copy(archive, tmp_path)
    began = time.monotonic()
    address = f"127.0.0.1:{free_port()}"
    # `exec` before the last line, so that the test can stop it.
    serving = subprocess.Popen(
        ["sh", "-ec", shell.replace("bin/buttonwood serve", "exec bin/buttonwood serve")],
        cwd=tmp_path, env={**os.environ, "BUTTONWOOD_HTTP": address}, stdout=subprocess.PIPE, text=True,
    )
    try:
        assert f"ready http://{address}\n" in serving.stdout
        (folder,) = (path for path in tmp_path.iterdir() if path.is_dir())
        program = trade.replace("127.0.0.1:8080", address)
        answer = subprocess.run([sys.executable, "-c", program], cwd=folder, check=True, stdout=subprocess.PIPE, text=True)
        assert "'status': 'closed'" in answer.stdout and "'filled': 0.01" in answer.stdout
        print(f"first trade {time.monotonic() - began:.1f} s after the archive was there")
    finally:
        serving.terminate()
        serving.wait(venue.DEADLINE_S)


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def order(running, name, **terms):
    terms = {"symbol": "BTCUSDT", "quantity": "0.5", **terms}
    reply = requests.post(f"{running.url}/api/v3/order", params=terms, auth=Signature(running.keys[name]))
    assert reply.status_code == 200, reply.text
    return reply.json()
