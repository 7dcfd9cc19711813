"""A stranger's sitting: the commands of docs/tutorial.md in order, as they stand there, and what they print.

Only the port differs, and the binary under test stands for the archive's. test_dist.py has the archive itself.
"""

import os
import re
import signal
import subprocess
import sys
import tarfile
import threading

import pytest

from test_dist import free_port
from venue import BINARY, ROOT

PAGE = (ROOT / "docs/tutorial.md").read_text()
# Language, file name of a program, text.
BLOCKS = re.findall(r"^```(\w+) ?(\S*)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
DOCUMENTED = "127.0.0.1:8080"
DEADLINE_S = 120
END = "end of the block"


def test_every_block_is_a_program_a_command_or_what_a_command_prints():
    before = None
    for language, file, text in BLOCKS:
        assert (language == "python") == bool(file) and language in ("python", "sh", "text"), text
        assert language != "text" or before == "sh", text
        before = language


def test_the_page_from_its_first_command_to_its_last(tmp_path):
    archive(tmp_path)
    address = f"127.0.0.1:{free_port()}"
    shell = Shell(tmp_path, address)
    try:
        printed = None
        for language, file, text in BLOCKS:
            text = text.replace(DOCUMENTED, address)
            if language == "python":
                (tmp_path / file).write_text(text)
            elif language == "sh":
                printed = shell.run(text)
            else:
                assert re.fullmatch(pattern(text), printed.strip(), re.DOTALL), f"{text}\nis not\n{printed}"
    finally:
        shell.end()


def archive(folder):
    """An archive with the binary under test in the place that a release has it."""
    name = "buttonwood-0.1.0-x86_64-unknown-linux-gnu"
    with tarfile.open(folder / f"{name}.tar.xz", "w") as tar:
        link = tarfile.TarInfo(f"{name}/bin/buttonwood")
        link.type, link.linkname = tarfile.SYMTYPE, str(BINARY)
        tar.addfile(link)


def pattern(text):
    return ".*?".join(re.escape(part) for part in text.strip().split("…"))


class Shell:
    """One shell for all blocks, so that variables and background processes last."""

    def __init__(self, folder, address):
        path = f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"
        self.errors = folder / "stderr.txt"
        self.bash = subprocess.Popen(
            ["bash", "-e", "-o", "pipefail"], cwd=folder, text=True, start_new_session=True,
            env={**os.environ, "PATH": path, "BUTTONWOOD_HTTP": address},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=open(self.errors, "w"),
        )
        self.deadline = threading.Timer(DEADLINE_S, self.kill)
        self.deadline.start()

    def run(self, text):
        """What the commands print; a command that fails ends the test."""
        self.bash.stdin.write(f"{text}\necho '{END}'\n")
        self.bash.stdin.flush()
        printed = ""
        for line in self.bash.stdout:
            if line.rstrip("\n") == END:
                return printed
            printed += line
        pytest.fail(f"failed:\n{text}\nprinted:\n{printed}\n{self.errors.read_text()}")

    def end(self):
        self.deadline.cancel()
        self.kill()
        self.bash.wait()

    def kill(self):
        try:
            os.killpg(self.bash.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
