import sys

import disk
import pytest

from venue import Venue


@pytest.fixture
def venue(tmp_path):
    """A demo venue without bots: only alice and bob trade."""
    running = Venue(tmp_path, "--no-bots")
    yield running
    running.stop()


@pytest.fixture
def busy_venue(tmp_path):
    """A demo venue with its bots."""
    running = Venue(tmp_path)
    yield running
    running.stop()


@pytest.fixture(scope="session")
def shim(tmp_path_factory):
    """The shim that makes the disk of a venue fail (tests/power), compiled."""
    if sys.platform != "linux":
        pytest.skip("the shim is for glibc on Linux")
    return disk.build(tmp_path_factory.mktemp("shim"))
