"""A PostgreSQL server of a test's own: a temporary folder, a free port, nothing left running.

As a program it runs a command beside such a server, which BUTTONWOOD_POSTGRES then names:
postgres.py COMMAND [ARGUMENT ...]
"""

import contextlib
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

PASSWORD = "s3cret-of-the-tests"
DEADLINE_S = 30


def programs():
    """The folder of the newest version that is installed."""
    found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    if not found:
        sys.exit("PostgreSQL is not here: install the package postgresql (Debian's name)")
    return found[-1].parent


def account():
    """The server refuses to run as root: another user then."""
    if os.geteuid() != 0:
        return {}
    with contextlib.suppress(KeyError):
        return {"user": pwd.getpwnam("postgres").pw_uid, "group": pwd.getpwnam("postgres").pw_gid}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid}


def give(path, mode=None):
    """To the user that the server runs as."""
    if account():
        os.chown(path, account()["user"], account()["group"])
    if mode is not None:
        os.chmod(path, mode)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def children(parent):
    found = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            # After the name in brackets: the state, then the parent.
            if int(stat.read_text().rpartition(")")[2].split()[1]) == parent:
                found.append(int(stat.parent.name))
    return found


class Postgres:
    """A server with a user `bw`, who may make databases."""

    def __init__(self, folder=None, **settings):
        self.folder = pathlib.Path(folder or tempfile.mkdtemp(prefix="bw-pg-", dir="/tmp"))
        self.data = self.folder / "data"
        self.bin = programs()
        self.port = free_port()
        self.process = None
        self.settings = {
            "listen_addresses": "127.0.0.1",
            "port": self.port,
            "unix_socket_directories": self.folder,
            "max_connections": 60,
            "shared_buffers": "128MB",
            "max_wal_size": "2GB",
            **settings,
        }
        give(self.folder)
        password = self.folder / "password"
        password.write_text(PASSWORD)
        os.chmod(password, 0o644)
        self.run(
            "initdb", "--pgdata", self.data, "--username", "root_of_tests", "--pwfile", password,
            "--auth", "scram-sha-256", "--encoding", "UTF8", "--no-locale", "--no-sync",
        )
        self.start()
        self.sql(f"CREATE ROLE bw LOGIN CREATEDB PASSWORD '{PASSWORD}'")

    def standby(self):
        """A second server that follows this one, and answers queries."""
        follows = Postgres.__new__(Postgres)
        follows.folder = pathlib.Path(tempfile.mkdtemp(prefix="bw-pg-", dir="/tmp"))
        follows.data, follows.bin, follows.port = follows.folder / "data", self.bin, free_port()
        follows.settings = {
            **self.settings, "port": follows.port, "unix_socket_directories": follows.folder,
            "hot_standby": "on",
        }
        give(follows.folder)
        self.run(
            "pg_basebackup", "--pgdata", follows.data, "--write-recovery-conf", "--checkpoint", "fast",
            "--host", "127.0.0.1", "--port", self.port, "--username", "root_of_tests",
            env={**os.environ, "PGPASSWORD": PASSWORD},
        )
        follows.start()
        return follows

    def run(self, program, *arguments, **options):
        done = subprocess.run(
            [self.bin / program, *map(str, arguments)],
            capture_output=True, text=True, cwd="/", **account(), **options,
        )
        if done.returncode != 0:
            raise RuntimeError(f"{program}: {done.stderr}")
        return done.stdout

    def start(self):
        flags = [f"--{name.replace('_', '-')}={value}" for name, value in self.settings.items()]
        self.log = open(self.folder / "log.txt", "ab")
        self.process = subprocess.Popen(
            [self.bin / "postgres", "-D", self.data, *flags],
            stdout=self.log, stderr=self.log, cwd="/", start_new_session=True, **account(),
        )
        begun = time.monotonic()
        while True:
            with contextlib.suppress(RuntimeError):
                self.sql("SELECT 1")
                return
            if self.process.poll() is not None or time.monotonic() - begun > DEADLINE_S:
                raise RuntimeError((self.folder / "log.txt").read_text())
            time.sleep(0.05)

    def stop(self, fast=True):
        """In order; `fast` ends sessions first."""
        self.process.send_signal(signal.SIGINT if fast else signal.SIGTERM)
        self.process.wait(DEADLINE_S)
        self.log.close()

    def signal_all(self, number):
        """To the server and its children, each of which has a group of its own."""
        for process in [self.process.pid, *children(self.process.pid)]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, number)

    def kill(self):
        """As a loss of the machine: none of its processes cleans up."""
        self.signal_all(signal.SIGKILL)
        self.process.wait(DEADLINE_S)
        self.log.close()

    def freeze(self):
        """All processes of the server stand still, with their connections open."""
        self.signal_all(signal.SIGSTOP)

    def thaw(self):
        self.signal_all(signal.SIGCONT)

    def remove(self):
        if self.process.poll() is None:
            self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def url(self, database="", user="bw", password=PASSWORD):
        secret = f":{password}" if password else ""
        return f"postgres://{user}{secret}@127.0.0.1:{self.port}/{database}"

    def create(self, database):
        self.sql(f"CREATE DATABASE {database} OWNER bw")
        return self.url(database)

    def sql(self, text, database="postgres", user="root_of_tests"):
        """The rows of a statement, as text."""
        environment = {**os.environ, "PGPASSWORD": PASSWORD}
        place = ["--host", "127.0.0.1", "--port", self.port, "--username", user]
        flags = ["--no-psqlrc", "--tuples-only", "--no-align", "--set", "ON_ERROR_STOP=1"]
        return self.run("psql", *place, *flags, "--dbname", database, "--command", text, env=environment)


def main(command):
    server = Postgres()
    try:
        name = server.create("suite")
        environment = {**os.environ, "BUTTONWOOD_POSTGRES": name}
        return subprocess.run(command, env=environment).returncode
    finally:
        server.remove()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
