"""NautilusTrader quotes both sides of the demo market for a while, and keeps its book, orders and balances right."""

import asyncio
import hashlib
import hmac
import json
import os
import pathlib
import sys
import time
import urllib.request
from collections import Counter
from datetime import timedelta
from decimal import Decimal

from nautilus_trader.adapters.binance import (
    BINANCE,
    BinanceDataClientConfig,
    BinanceExecClientConfig,
    BinanceLiveDataClientFactory,
    BinanceLiveExecClientFactory,
)
from nautilus_trader.config import InstrumentProviderConfig, LoggingConfig, StrategyConfig, TradingNodeConfig
from nautilus_trader.live.node import TradingNode
from nautilus_trader.model.enums import BookType, OrderSide
from nautilus_trader.model.identifiers import InstrumentId, TraderId, Venue
from nautilus_trader.trading.strategy import Strategy

URL = os.environ["BUTTONWOOD_URL"]
SECONDS = int(sys.argv[1])
INSTRUMENT = InstrumentId.from_str("BTCUSDT.BINANCE")
ORDER_QTY = "0.01"
LEVELS = 10
# What the bots do to the book, ten times a second: REST must show the same every few times.
BOOKS_KEPT = 1_000

_accounts = json.loads(pathlib.Path(os.environ["BUTTONWOOD_KEYS"]).read_text())["accounts"]
KEYS = next(
    {"api_key": account["api_key"], "api_secret": account["secret_key"]}
    for account in _accounts
    if account["name"] == "alice"
)

ADDRESSES = {
    "base_url_http": URL,
    "base_url_ws": URL.replace("http", "ws", 1),
    "instrument_provider": InstrumentProviderConfig(load_all=True),
}


class MarketMaker(Strategy):
    """Joins the best bid and the best offer, and moves with them."""

    def __init__(self):
        super().__init__(StrategyConfig(strategy_id="MAKER-1"))
        self.seen, self.failed = [], []
        self.books = {}
        self.books_equal = 0
        self.is_over = asyncio.Event()

    def on_start(self):
        self.instrument = self.cache.instrument(INSTRUMENT)
        self.subscribe_order_book_deltas(INSTRUMENT, BookType.L2_MBP)
        self.subscribe_quote_ticks(INSTRUMENT)
        self.subscribe_trade_ticks(INSTRUMENT)
        self.clock.set_timer("quote", interval=timedelta(seconds=1), callback=self.quote)
        self.clock.set_timer("compare", interval=timedelta(milliseconds=700), callback=self.compare)
        self.clock.set_timer("end", interval=timedelta(seconds=SECONDS), callback=self.end)

    def quote(self, _):
        best = self.cache.quote_tick(INSTRUMENT)
        if best is None:
            return
        self.cancel_all_orders(INSTRUMENT)
        for side, price in ((OrderSide.BUY, best.bid_price), (OrderSide.SELL, best.ask_price)):
            quantity = self.instrument.make_qty(Decimal(ORDER_QTY))
            self.submit_order(self.order_factory.limit(INSTRUMENT, side, quantity, price))

    def on_order_book_deltas(self, _):
        book = self.cache.order_book(INSTRUMENT)
        self.books[book.sequence] = levels(book.bids()), levels(book.asks())
        if len(self.books) > BOOKS_KEPT:
            del self.books[next(iter(self.books))]

    def compare(self, _):
        """The book that was kept, with what REST told a moment ago."""
        rest = get(f"/api/v3/depth?symbol=BTCUSDT&limit={LEVELS}")
        self.clock.set_time_alert(
            f"kept-{rest['lastUpdateId']}-{self.clock.timestamp_ns()}",
            self.clock.utc_now() + timedelta(milliseconds=500),
            lambda _: self.compare_with(rest),
        )

    def compare_with(self, rest):
        kept = self.books.get(rest["lastUpdateId"])
        if kept is None:
            return
        told = tuple([(Decimal(price), Decimal(qty)) for price, qty in rest[side]] for side in ("bids", "asks"))
        if kept == told:
            self.books_equal += 1
        else:
            self.failed.append(f"the book is {kept}, and REST tells {told}")

    def end(self, _):
        for timer in ("quote", "compare", "end"):
            self.clock.cancel_timer(timer)
        # The client must know the last orders before it cancels them, and the cancels before it counts them.
        self.clock.set_time_alert("leave", self.clock.utc_now() + timedelta(seconds=2), self.leave)
        self.clock.set_time_alert("over", self.clock.utc_now() + timedelta(seconds=5), self.over)

    def leave(self, _):
        self.cancel_all_orders(INSTRUMENT)

    def over(self, _):
        self.balances = self.portfolio.account(Venue(BINANCE)).balances_total()
        self.open_orders = self.cache.orders_open(instrument_id=INSTRUMENT)
        self.is_over.set()

    def on_event(self, event):
        name = type(event).__name__
        self.seen.append(name)
        if name in ("OrderRejected", "OrderDenied", "OrderModifyRejected"):
            self.failed.append(str(event))


def levels(side):
    return [(level.price.as_decimal(), Decimal(str(level.size())).quantize(Decimal("1e-5"))) for level in side[:LEVELS]]


def get(path, headers=None):
    with urllib.request.urlopen(urllib.request.Request(URL + path, headers=headers or {})) as answer:
        return json.load(answer)


async def main():
    node = TradingNode(
        TradingNodeConfig(
            trader_id=TraderId("MAKER-001"),
            logging=LoggingConfig(log_level="WARNING"),
            data_clients={BINANCE: BinanceDataClientConfig(**KEYS, **ADDRESSES)},
            exec_clients={BINANCE: BinanceExecClientConfig(**KEYS, **ADDRESSES)},
        ),
        loop=asyncio.get_running_loop(),
    )
    node.add_data_client_factory(BINANCE, BinanceLiveDataClientFactory)
    node.add_exec_client_factory(BINANCE, BinanceLiveExecClientFactory)
    maker = MarketMaker()
    node.trader.add_strategy(maker)
    node.build()
    running = asyncio.create_task(node.run_async())
    try:
        await asyncio.wait_for(maker.is_over.wait(), SECONDS + 60)
        believed = {str(currency): money.as_decimal() for currency, money in maker.balances.items()}
        told = {balance["asset"]: Decimal(balance["free"]) + Decimal(balance["locked"]) for balance in account()}
    finally:
        await node.stop_async()
        await asyncio.wait_for(running, 60)
    counts = Counter(maker.seen)
    print(dict(counts), f"{maker.books_equal} books equal")
    assert maker.failed == []
    assert maker.open_orders == []
    assert believed == told
    assert counts["OrderAccepted"] > SECONDS and counts["OrderFilled"] > 0 and counts["OrderCanceled"] > 0
    assert maker.books_equal > SECONDS / 20


def account():
    query = f"omitZeroBalances=true&timestamp={int(time.time() * 1000)}"
    signature = hmac.new(KEYS["api_secret"].encode(), query.encode(), hashlib.sha256).hexdigest()
    path = f"/api/v3/account?{query}&signature={signature}"
    return get(path, {"X-MBX-APIKEY": KEYS["api_key"]})["balances"]


asyncio.run(main())
