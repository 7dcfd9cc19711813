"""The snippets of the pages, run unchanged except for address and keys."""

import json
import os
import re
import subprocess
import sys

import pytest

from test_programs import DEADLINE_S, HERE
from venue import BINARY, ROOT

PAGE = (ROOT / "docs/api.md").read_text()
SECTION = PAGE.split("## Pointing a client at the venue")[1].split("\n## ")[0]
# A heading in bold, and under it a snippet with its language and, in Python, the environment it needs.
SNIPPETS = re.findall(r"^\*\*(.+?)\*\*.*?^```(\w+) ?(\w*)\n(.*?)^```", SECTION, re.MULTILINE | re.DOTALL)
CLIENTS = 10


def test_every_client_has_its_snippet():
    assert len(SNIPPETS) == SECTION.count("```") // 2 == CLIENTS


@pytest.mark.parametrize("client,language,environment,text", SNIPPETS, ids=[f"{s[0]}-{s[1]}" for s in SNIPPETS])
def test_snippet(venue, client, language, environment, text):
    key = venue.keys["alice"]
    text = text.replace("http://127.0.0.1:8080", venue.url).replace("ws://127.0.0.1:8080", venue.socket)
    names = f"KEY = '{key['api_key']}'; SECRET = '{key['secret_key']}';"
    if language == "js":
        names = f"const {names}".replace("; SECRET", "; const SECRET")
        program = ["node", "--input-type=module", "--eval", f"{names}\n{text}"]
    else:
        python = ROOT / f".venv{'-' + environment if environment else ''}/bin/python"
        program = [python, "-c", f"{names}\n{text}"]
    subprocess.run(program, cwd=HERE / "js", timeout=DEADLINE_S, check=True)


def test_the_first_request_of_an_operator(venue, tmp_path):
    page = (ROOT / "docs/admin-api.md").read_text()
    [shell, remote] = re.findall(r"^```sh\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    python = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    os.symlink(BINARY, tmp_path / "buttonwood")
    place = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "BUTTONWOOD_DATA_DIR": str(venue.data)}

    def run(text):
        return subprocess.check_output(["sh", "-ec", text], env=place, cwd=tmp_path, text=True)

    # The page assumes a market for electricity.
    run("buttonwood admin account add carol; buttonwood admin asset add KWH; buttonwood admin asset add EUR")
    run("buttonwood admin instrument add KWHEUR --base KWH --quote EUR --tick-size 0.0001 --lot-size 0.01")
    [desk, key] = json_values(run(shell))
    text = "".join(python).replace("http://127.0.0.1:8080", venue.url)
    names = f"API_KEY, SECRET_KEY = {key['api_key']!r}, {key['secret_key']!r}"
    subprocess.run([sys.executable, "-c", f"{names}\n{text}"], timeout=DEADLINE_S, check=True)
    owned = json.loads(run("buttonwood admin account balances carol"))
    # The page deposits 5,000 and withdraws 750 of it in two steps.
    listed = json.loads(run(remote.replace("https://venue.example.com:8443", venue.url)))
    assert [row["account"] for row in listed][-1] == "desk", listed
    assert desk["account"] == "desk" and {row["asset"]: row["free"] for row in owned}["EUR"] == "4250.00000000", owned


def json_values(text):
    """Runs the snippets in order."""
    values, decoder = [], json.JSONDecoder()
    while text := text.strip():
        value, end = decoder.raw_decode(text)
        values.append(value)
        text = text[end:]
    return values
