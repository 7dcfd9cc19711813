"""A venue on a disk of its own, where tests/power makes the power, a sync or free space fail."""

import atexit
import subprocess

import disk

from venue import BINARY, Venue

RECOVERIES_KILLED = 3


class Machine:
    """A disk with a venue on it."""

    def __init__(self, folder, shim, *settings):
        self.folder = folder
        self.settings = settings
        for name in ("disk", "journal"):
            (folder / name).mkdir(parents=True)
        self.disk = disk.Disk(folder / "disk", folder / "journal", shim)
        self.popen = {"env": self.disk.env, "start_new_session": True}

    def start(self):
        venue = Venue(self.folder, *self.settings, data=self.disk.folder / "data", **self.popen)
        atexit.register(disk.kill_group, venue.process)  # For a test that fails before it ends the venue.
        return venue

    def begin(self, *args):
        """Runs a command on files of this disk."""
        process = subprocess.Popen(
            [BINARY, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **self.popen
        )
        atexit.register(disk.kill_group, process)
        return process

    def run(self, *args):
        """The output of a command, which must succeed."""
        process = self.begin(*args)
        stdout, stderr = process.communicate()
        self.disk.replay()
        assert process.returncode == 0, stderr
        return stdout

    def kill_recoveries(self, chance):
        """Starts the venue and kills it before, or just after, it is ready, a few times."""
        for _ in range(chance.randrange(RECOVERIES_KILLED)):
            data = self.disk.folder / "data"
            command = [BINARY, "serve", "--demo", "--data", data, "--http", "127.0.0.1:0"]
            process = subprocess.Popen(
                [*command, *self.settings],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                **self.popen,
            )
            try:
                process.wait(chance.uniform(0.001, 0.2))
            except subprocess.TimeoutExpired:
                pass
            self.end(process, chance)

    def end(self, process, chance):
        """Kills the venue; in some rounds the machine stays up, and unsynced data can still be read."""
        self.disk.kill(process)
        if chance.random() < 0.8:
            self.disk.cut_power(chance)
