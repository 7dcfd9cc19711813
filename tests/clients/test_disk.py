"""The state of a folder after a loss of power (tests/power), on scripts of a few lines."""

import errno
import signal
import subprocess
import sys

import disk
import pytest

PRELUDE = """
import os
def written(name, content, offset=0):
    file = os.open(name, os.O_WRONLY | os.O_CREAT)
    os.pwrite(file, content, offset)
    return file
def synced(name):
    file = os.open(name, os.O_RDONLY)
    os.fsync(file)
    os.close(file)
"""


@pytest.fixture
def machine_disk(tmp_path, shim):
    for name in ("disk", "journal"):
        (tmp_path / name).mkdir()
    return disk.Disk(tmp_path / "disk", tmp_path / "journal", shim)


def run(machine_disk, script):
    return subprocess.run(
        [sys.executable, "-I", "-c", PRELUDE + script],
        cwd=machine_disk.folder,
        env=machine_disk.env,
        capture_output=True,
        text=True,
    )


def left(machine_disk, script):
    """The files that a loss of power cannot remove."""
    ran = run(machine_disk, script)
    assert ran.returncode == 0, ran.stderr
    machine_disk.replay()
    machine_disk.cut_power(None)
    folder = machine_disk.folder
    return {
        str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


@pytest.mark.parametrize(
    "script, expect",
    [
        ("written('a', b'1'); synced('a')", {}),
        ("written('a', b'1'); synced('.')", {"a": b""}),
        ("written('a', b'1'); synced('a'); synced('.')", {"a": b"1"}),
        ("written('a', b'1'); synced('a'); synced('.'); written('a', b'2', 1)", {"a": b"1"}),
        ("written('a', b'1'); synced('a'); synced('.'); os.truncate(written('a', b''), 0)", {"a": b"1"}),
        ("written('a', b'1'); synced('a'); synced('.'); os.rename('a', 'b')", {"a": b"1"}),
        ("written('a', b'1'); synced('a'); synced('.'); os.rename('a', 'b'); synced('.')", {"b": b"1"}),
        ("written('a', b'1'); synced('a'); synced('.'); os.remove('a')", {"a": b"1"}),
        ("os.mkdir('d'); written('d/a', b'1'); synced('d/a'); synced('d')", {}),
        ("os.mkdir('d'); written('d/a', b'1'); synced('d/a'); synced('d'); synced('.')", {"d/a": b"1"}),
        (
            "os.mkdir('d'); written('a', b'1'); synced('a'); synced('.'); os.rename('a', 'd/a'); synced('d')",
            {"a": b"1"},
        ),
    ],
)
def test_only_what_was_synced_is_left(machine_disk, script, expect):
    assert left(machine_disk, script) == expect


def test_what_a_failed_sync_was_to_write_is_lost_though_the_next_one_works(machine_disk):
    machine_disk.fail_sync(1, "a")
    script = f"""
file = written('a', b'1')
try: os.fsync(file)
except OSError as error: assert error.errno == {errno.EIO}
else: raise AssertionError('the sync was to fail')
os.fsync(file)
written('a', b'2', 1)
synced('a')
synced('.')
"""
    assert left(machine_disk, script) == {"a": b"\x002"}


def test_a_full_disk_writes_what_there_is_room_for(machine_disk):
    machine_disk.set_free(3)
    script = f"""
file = os.open('a', os.O_WRONLY | os.O_CREAT)
assert os.write(file, b'12345') == 3
try: os.write(file, b'45')
except OSError as error: assert error.errno == {errno.ENOSPC}
else: raise AssertionError('the disk was to be full')
os.pwrite(file, b'abc', 0)
synced('a')
synced('.')
"""
    assert left(machine_disk, script) == {"a": b"abc"}


def test_who_is_killed_at_a_change_has_made_it_and_none_after(machine_disk):
    machine_disk.kill_at(4)  # At the bytes of `b`: the journal has the name of a file first.
    ran = run(machine_disk, "written('a', b'1'); written('b', b'2'); written('c', b'3')")
    assert ran.returncode == -signal.SIGKILL
    machine_disk.replay()
    assert {path.name: path.read_bytes() for path in machine_disk.folder.iterdir()} == {"a": b"1", "b": b"2"}


@pytest.mark.parametrize(
    "call, script",
    [
        ("link", "written('a', b'1'); os.link('a', 'b')"),
        ("symlink", "os.symlink('a', 'b')"),
        ("fallocate", "os.posix_fallocate(written('a', b'1'), 0, 100)"),
        ("mmap", "import mmap; written('a', b'1'); mmap.mmap(os.open('a', os.O_RDWR), 0)"),
        ("renaming", "written('a', b'1'); os.rename('a', '../a')"),
    ],
)
def test_a_change_that_would_go_unseen_aborts(machine_disk, call, script):
    ran = run(machine_disk, script)
    assert ran.returncode == -signal.SIGABRT and call in ran.stderr, ran
