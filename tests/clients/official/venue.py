"""The venue that a script trades on, as pytest started it: its addresses, its accounts' keys, and the order book that a
reader of its depth stream keeps."""

import json
import os
import pathlib
import time

HTTP = os.environ["BUTTONWOOD_URL"]
WS = HTTP.replace("http", "ws", 1)
SYMBOL = "BTCUSDT"
DEADLINE_S = 30

_accounts = json.loads(pathlib.Path(os.environ["BUTTONWOOD_KEYS"]).read_text())["accounts"]
KEYS = {account["name"]: (account["api_key"], account["secret_key"]) for account in _accounts}


def until(is_true, what, sleep=time.sleep):
    deadline = time.monotonic() + DEADLINE_S
    while not is_true():
        assert time.monotonic() < deadline, f"waited in vain until {what}"
        sleep(0.02)


def told(event):
    """What an execution report of the user data stream tells, in short: `BUY LIMIT NEW`."""
    report = event.get("event", event)
    return [f"{report['S']} {report['o']} {report['x']}"] if report.get("e") == "executionReport" else []


class Book:
    """Kept by the steps that Binance documents: events since before a snapshot, then one after the other."""

    def __init__(self):
        self.early, self.sides, self.last_update_id = [], None, 0

    def apply(self, event):
        """Takes a `depthUpdate`, as it came."""
        if self.sides is None:
            self.early.append(event)
        else:
            self._change(event)

    def start(self, snapshot):
        """Starts from `GET /api/v3/depth`."""
        self.sides = {side: dict(snapshot[side]) for side in ("bids", "asks")}
        self.last_update_id = snapshot["lastUpdateId"]
        for event in self.early:
            self._change(event)

    def _change(self, event):
        if event["u"] <= self.last_update_id:
            return
        assert event["U"] <= self.last_update_id + 1, f"updates before {event['U']} are missing"
        for side, levels in (("bids", event["b"]), ("asks", event["a"])):
            for price, qty in levels:
                if float(qty) == 0:
                    self.sides[side].pop(price, None)
                else:
                    self.sides[side][price] = qty
        self.last_update_id = event["u"]

    def is_as_new_as(self, snapshot):
        return self.last_update_id >= snapshot["lastUpdateId"]

    def equals(self, snapshot):
        for side in ("bids", "asks"):
            assert sorted(self.sides[side].items()) == sorted(map(tuple, snapshot[side]))
