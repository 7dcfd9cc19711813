"""NautilusTrader keeps an order book from the depth stream, and tells it as JSON for each line that it is given."""

import asyncio
import json
import os
import pathlib
import sys

from nautilus_trader.adapters.binance import BINANCE, BinanceDataClientConfig, BinanceLiveDataClientFactory
from nautilus_trader.common.actor import Actor
from nautilus_trader.config import InstrumentProviderConfig, LoggingConfig, TradingNodeConfig
from nautilus_trader.live.node import TradingNode
from nautilus_trader.model.enums import BookType
from nautilus_trader.model.identifiers import InstrumentId, TraderId

URL = os.environ["BUTTONWOOD_URL"]
STREAMS_URL = os.environ["BUTTONWOOD_STREAMS_URL"]
INSTRUMENT = InstrumentId.from_str("BTCUSDT.BINANCE")
QTY_DECIMALS = 5

_accounts = json.loads(pathlib.Path(os.environ["BUTTONWOOD_KEYS"]).read_text())["accounts"]
ALICE = next(account for account in _accounts if account["name"] == "alice")


class Reader(Actor):
    """What it subscribes to is kept in the cache by NautilusTrader itself."""

    def on_start(self):
        self.subscribe_order_book_deltas(INSTRUMENT, BookType.L2_MBP)

    def book(self):
        book = self.cache.order_book(INSTRUMENT)
        return [] if book is None else [levels(book.bids()), levels(book.asks())]


def levels(side):
    return [[float(level.price.as_decimal()), round(level.size(), QTY_DECIMALS)] for level in side]


async def main():
    # NautilusTrader logs to stdout, which is for books alone.
    books = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    node = TradingNode(
        TradingNodeConfig(
            trader_id=TraderId("READER-001"),
            logging=LoggingConfig(log_level="WARNING"),
            data_clients={
                BINANCE: BinanceDataClientConfig(
                    api_key=ALICE["api_key"],
                    api_secret=ALICE["secret_key"],
                    base_url_http=URL,
                    base_url_ws=STREAMS_URL,
                    instrument_provider=InstrumentProviderConfig(load_all=True),
                )
            },
        ),
        loop=asyncio.get_running_loop(),
    )
    node.add_data_client_factory(BINANCE, BinanceLiveDataClientFactory)
    reader = Reader()
    node.trader.add_actor(reader)
    node.build()
    running = asyncio.create_task(node.run_async())
    try:
        while await asyncio.to_thread(sys.stdin.readline):
            print(json.dumps(reader.book()), file=books, flush=True)
    finally:
        await node.stop_async()
        await asyncio.wait_for(running, 60)


asyncio.run(main())
