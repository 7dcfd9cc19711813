"""freqtrade trades live, not dry, for a while: it enters and leaves, and nothing that it logs is an error."""

import json
import os
import pathlib
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
HTTP = os.environ["BUTTONWOOD_URL"]
WS = HTTP.replace("http", "ws", 1)
SECONDS = int(sys.argv[1])

_accounts = json.loads(pathlib.Path(os.environ["BUTTONWOOD_KEYS"]).read_text())["accounts"]
KEYS = next(
    {"key": account["api_key"], "secret": account["secret_key"]} for account in _accounts if account["name"] == "alice"
)
REST = f"{HTTP}/api/v3"
# Otherwise it asks Binance for its futures, too.
SPOT_ONLY = {"fetchMarkets": {"types": ["spot"]}}
SOCKETS = {"spot": f"{WS}/ws", "ws-api": {"spot": f"{WS}/ws-api/v3"}}
AT_MARKET = {"price_side": "other", "use_order_book": True, "order_book_top": 1}

CONFIG = {
    "dry_run": False,
    "initial_state": "running",
    "strategy": "InAndOut",
    "strategy_path": str(HERE),
    "trading_mode": "spot",
    "stake_currency": "USDT",
    "stake_amount": 1000,
    "max_open_trades": 1,
    "entry_pricing": AT_MARKET,
    "exit_pricing": AT_MARKET,
    "unfilledtimeout": {"entry": 1, "exit": 1},
    "pairlists": [{"method": "StaticPairList"}],
    "internals": {"process_throttle_secs": 2},
    "exchange": {
        "name": "binance",
        **KEYS,
        "pair_whitelist": ["BTC/USDT"],
        "ccxt_config": {
            "urls": {"api": {"public": REST, "private": REST, "sapi": f"{HTTP}/sapi/v1", "ws": SOCKETS}},
            "options": SPOT_ONLY,
        },
    },
}


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "config.json").write_text(json.dumps(CONFIG))
        database = folder / "trades.sqlite"
        freqtrade = pathlib.Path(sys.executable).parent / "freqtrade"
        paths = ["--config", folder / "config.json", "--userdir", folder, "--db-url", f"sqlite:///{database}"]
        log = run([freqtrade, "trade", *paths])
        print(log)
        closed = sqlite3.connect(database).execute("select count(*) from trades where is_open = 0").fetchone()[0]
    assert " - ERROR - " not in log and "Traceback" not in log
    assert closed >= SECONDS // 60, f"{closed} trades are closed"


def run(command):
    with tempfile.TemporaryFile() as log:
        bot = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
        time.sleep(SECONDS)
        assert bot.poll() is None, "it ended by itself"
        bot.send_signal(signal.SIGINT)
        bot.wait(60)
        log.seek(0)
        return log.read().decode()


main()
