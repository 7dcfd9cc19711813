"""A Redis server of a test's own: a temporary folder, a free port, nothing left running.

As a program it runs a command beside such a server, which BUTTONWOOD_REDIS then names:
redis_server.py COMMAND [ARGUMENT ...]
"""

import contextlib
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import redis

PASSWORD = "s3cret-of-the-tests"
DEADLINE_S = 30


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class RedisServer:
    """A server on the loopback; a killed or stopped one starts again on the same port and folder.

    `fsync` is `always`, `everysec`, `no`, or None for a server that stores nothing. `settings` are
    further lines of its configuration, with `_` for `-`. With `tls`, a pair of files (certificate,
    key), the port speaks TLS only.
    """

    def __init__(self, folder=None, password=PASSWORD, fsync="always", tls=None, **settings):
        if shutil.which("redis-server") is None:
            sys.exit("Redis is not here: install the package redis-server (Debian's name)")
        self.folder = pathlib.Path(folder or tempfile.mkdtemp(prefix="bw-redis-", dir="/tmp"))
        self.port, self.password, self.tls = free_port(), password, tls
        self.process = self.log = None
        if "cluster_enabled" in settings:
            # Without one it is 10,000 above the port, which may be too high.
            settings.setdefault("cluster_port", free_port())
        self.settings = {
            "bind": "127.0.0.1",
            "port": self.port,
            "dir": self.folder,
            "save": "''",
            "appendonly": "no" if fsync is None else "yes",
            **({} if fsync is None else {"appendfsync": fsync}),
            **({} if password is None else {"requirepass": password}),
            **settings,
        }
        if tls:
            certificate, key = tls
            self.settings |= {
                "port": 0,
                "tls_port": self.port,
                "tls_cert_file": certificate,
                "tls_key_file": key,
                "tls_auth_clients": "no",
            }
        lines = (f"{name.replace('_', '-')} {value}" for name, value in self.settings.items())
        (self.folder / "redis.conf").write_text("\n".join(lines) + "\n")
        self.start()

    def start(self):
        """Returns once the server has read its file and answers."""
        self.log = open(self.folder / "log.txt", "ab")
        self.process = subprocess.Popen(
            ["redis-server", self.folder / "redis.conf"],
            stdout=self.log, stderr=self.log, cwd="/", start_new_session=True,
        )
        begun = time.monotonic()
        while True:
            with contextlib.suppress(redis.ConnectionError, redis.exceptions.BusyLoadingError):
                with contextlib.closing(self.client()) as client:
                    client.ping()
                return
            if self.process.poll() is not None or time.monotonic() - begun > DEADLINE_S:
                raise RuntimeError((self.folder / "log.txt").read_text())
            time.sleep(0.02)

    def client(self, **options):
        """A client with the rights of the default user."""
        options = {"password": self.password, "socket_timeout": DEADLINE_S, **options}
        if self.tls:
            options |= {"ssl": True, "ssl_cert_reqs": "none"}
        return redis.Redis("127.0.0.1", self.port, decode_responses=True, **options)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(DEADLINE_S)
        self.log.close()

    def kill(self):
        self.process.kill()
        self.process.wait(DEADLINE_S)
        self.log.close()

    def freeze(self):
        """The server stands still, with its connections open."""
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self):
        self.process.send_signal(signal.SIGCONT)

    def remove(self):
        if self.process.poll() is None:
            self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def url(self, user="", password=..., database=0):
        password = self.password if password is ... else password
        secret = f"{user}:{password}@" if password else ""
        return f"redis{'s' if self.tls else ''}://{secret}127.0.0.1:{self.port}/{database}"


def main(command):
    server = RedisServer()
    try:
        environment = {**os.environ, "BUTTONWOOD_REDIS": server.url()}
        return subprocess.run(command, env=environment).returncode
    finally:
        server.remove()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
