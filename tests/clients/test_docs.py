"""The snippets of docs/api.md, run as they stand there: only address and keys are this venue's."""

import re
import subprocess

import pytest

from test_programs import DEADLINE_S, HERE
from venue import ROOT

PAGE = (ROOT / "docs/api.md").read_text()
SECTION = PAGE.split("## Pointing a client at the venue")[1].split("\n## ")[0]
# A heading in bold, and under it a snippet with its language and, in Python, the environment it needs.
SNIPPETS = re.findall(r"^\*\*(.+?)\*\*.*?^```(\w+) ?(\w*)\n(.*?)^```", SECTION, re.MULTILINE | re.DOTALL)
CLIENTS = 10


def test_every_client_has_its_snippet():
    assert len(SNIPPETS) == SECTION.count("```") // 2 == CLIENTS


@pytest.mark.slow
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
