"""A venue of a test's own: a real process on a free port and a temporary folder."""

import hashlib
import hmac
import json
import os
import pathlib
import secrets
import subprocess
import time
import urllib.parse

import requests

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
BINARY = pathlib.Path(os.environ.get("BUTTONWOOD_BINARY", TARGET / "debug/buttonwood"))
DEADLINE_S = 30
# The folder of recorded data is for tests of other kinds; a venue refuses it as a mistyped setting.
os.environ.pop("BUTTONWOOD_DATA", None)


def history_of(data):
    """The environment of a venue. History is in the database that BUTTONWOOD_POSTGRES names, if it does."""
    environment = dict(os.environ)
    if server := environment.pop("BUTTONWOOD_POSTGRES", None):
        folder = hashlib.sha256(str(data).encode()).hexdigest()[:16]
        environment["BUTTONWOOD_HISTORY"] = f"{server}?schema=of_{folder}"
    return environment


class Venue:
    """A demo; with `keys`, the file that gets its keys, a venue for a test."""

    def __init__(self, folder, *flags, data=None, keys=None, **popen):
        self.folder = pathlib.Path(folder)
        self.data = data or self.folder / "data"
        place = ["--test", "--keys", keys] if keys else ["--demo", "--data", self.data]
        popen.setdefault("env", history_of(self.data))
        self.stderr = open(self.folder / "stderr.txt", "ab")
        self.process = subprocess.Popen(
            [BINARY, "serve", *place, "--http", "127.0.0.1:0", *flags],
            stdout=subprocess.PIPE,
            stderr=self.stderr,
            text=True,
            **popen,
        )
        self.url, self.listening = None, {}
        for line in self.process.stdout:
            word, *rest = line.split()
            if word == "listening":
                way, address = rest
                self.listening[way] = address
            elif word == "ready":
                self.url = rest[0]
                break
        if self.url is None:
            self.process.kill()
            raise RuntimeError(f"not ready: {(self.folder / 'stderr.txt').read_text()}")
        self.socket = f"ws{self.url.removeprefix('http')}"
        file = json.loads(pathlib.Path(keys or self.data / "demo.json").read_text())
        self.data = pathlib.Path(file.get("data_dir", self.data))
        self.keys = {account["name"]: account for account in file["accounts"]}
        self.operator = file["operator"]

    def stop(self):
        self.process.terminate()
        try:
            status = self.process.wait(DEADLINE_S)
        finally:
            self.process.kill()
            self.stderr.close()
        assert status == 0, (self.folder / "stderr.txt").read_text()

    def ccxt(self, module, name=None, **settings):
        """A ccxt exchange on this venue: nothing overridden but addresses and documented options."""
        key = self.keys.get(name, {})
        exchange = module.binance(
            {
                "apiKey": key.get("api_key"),
                "secret": key.get("secret_key"),
                "enableRateLimit": False,
                "options": {
                    "fetchCurrencies": False,
                    "fetchMargins": False,
                    "fetchMarkets": {"types": ["spot"]},
                    **settings,
                },
            }
        )
        api = exchange.urls["api"]
        api["public"] = api["private"] = f"{self.url}/api/v3"
        api["sapi"] = f"{self.url}/sapi/v1"
        if isinstance(api.get("ws"), dict):
            api["ws"]["spot"] = f"{self.socket}/ws"
            api["ws"]["ws-api"]["spot"] = f"{self.socket}/ws-api/v3"
        return exchange

    def signed(self, name, **params):
        """A query string with the signature that Binance requires."""
        query = urllib.parse.urlencode({**params, "timestamp": int(time.time() * 1000)})
        secret = self.keys[name]["secret_key"].encode()
        return f"{query}&signature={hmac.new(secret, query.encode(), hashlib.sha256).hexdigest()}"

    def operate(self, method, path, body=None):
        """A request of the operators' API."""
        auth = OperatorSignature(self.operator)
        return requests.request(method, f"{self.url}/admin/v1{path}", json=body, auth=auth)

    def header(self, name):
        return {"X-MBX-APIKEY": self.keys[name]["api_key"]}


class OperatorSignature(requests.auth.AuthBase):
    """Signs a request of the operators' API before it is sent."""

    def __init__(self, key):
        self.key = key

    def __call__(self, request):
        body = request.body or b""
        body = body.encode() if isinstance(body, str) else body
        path, _, query = request.path_url.partition("?")
        timestamp, nonce = str(int(time.time() * 1000)), secrets.token_urlsafe(24)
        lines = [request.method, path, query, hashlib.sha256(body).hexdigest(), timestamp, nonce]
        secret = self.key["secret_key"].encode()
        signature = hmac.new(secret, "\n".join(lines).encode(), hashlib.sha256).hexdigest()
        request.headers.update(
            {
                "X-MBX-APIKEY": self.key["api_key"],
                "X-BW-TIMESTAMP": timestamp,
                "X-BW-NONCE": nonce,
                "X-BW-SIGNATURE": signature,
            }
        )
        return request


class Signature(requests.auth.AuthBase):
    """Signs a request before it is sent."""

    def __init__(self, key):
        self.key = key

    def __call__(self, request):
        body = request.body or b""
        body = body.encode() if isinstance(body, str) else body
        url, _, query = request.url.partition("?")
        query = "&".join(filter(None, [query, f"timestamp={int(time.time() * 1000)}"]))
        secret = self.key["secret_key"].encode()
        signature = hmac.new(secret, query.encode() + body, hashlib.sha256).hexdigest()
        request.url = f"{url}?{query}&signature={signature}"
        request.headers["X-MBX-APIKEY"] = self.key["api_key"]
        return request
