"""The recipes of docs/testing-a-bot.md, as they stand there."""

import os
import re
import shutil
import subprocess
import sys

import pytest
import yaml

from venue import BINARY, ROOT

PAGE = (ROOT / "docs/testing-a-bot.md").read_text()
# Language, file name, text.
FILES = {file: text for _, file, text in re.findall(r"^```(\w+) (\S+)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)}
# Maven fetches what it needs.
DEADLINE_S = 600


@pytest.fixture
def project(tmp_path):
    """A folder with the page's files, and a place for programs with the binary under test."""
    for file, text in FILES.items():
        path = tmp_path / "project" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "bin").mkdir()
    os.symlink(BINARY, tmp_path / "bin/buttonwood")
    return tmp_path / "project"


def run(project, *command):
    path = f"{project.parent / 'bin'}:{os.environ['PATH']}"
    done = subprocess.run(
        command, cwd=project, env={**os.environ, "PATH": path}, capture_output=True, text=True, timeout=DEADLINE_S
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_pytest(project):
    assert "3 passed" in run(project, sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist")


def test_node(project):
    assert "# pass 1" in run(project, "node", "--test", "--test-reporter=tap", "bot.test.mjs")


IN_RECIPES = pytest.mark.skipif("BUTTONWOOD_RECIPES" not in os.environ, reason="for `make recipes`")


@IN_RECIPES
def test_jest(project):
    os.symlink(ROOT / "tests/clients/jest/node_modules", project / "node_modules")
    (project / "package.json").write_text("{}")
    run(project, "node", "node_modules/jest/bin/jest.js", "--ci", "bot.test.js")


@IN_RECIPES
def test_junit(project):
    assert shutil.which("mvn"), "this recipe needs Maven: https://maven.apache.org/download.cgi"
    assert "Tests run: 1, Failures: 0" in run(project, "mvn", "--batch-mode", "--no-transfer-progress", "test")


@IN_RECIPES
def test_go(project):
    assert shutil.which("go"), "this recipe needs Go: https://go.dev/dl"
    (project / "go.mod").write_text("module bot\n\ngo 1.21\n")
    assert "ok" in run(project, "go", "test", "-count=1", "./...")


@pytest.mark.parametrize("file", (".github/workflows/test.yml", ".gitlab-ci.yml"))
def test_files_of_a_ci_are_well_formed(file):
    parsed = yaml.safe_load(FILES[file])
    steps = parsed["test"]["script"] if file == ".gitlab-ci.yml" else parsed["jobs"]["test"]["steps"]
    assert "pytest" in str(steps[-1])
