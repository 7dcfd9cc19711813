"""ccxt, unchanged, trades on the venue."""

import subprocess
import time

import ccxt
import pytest

from venue import BINARY

SYMBOL = "BTC/USDT"


@pytest.fixture
def alice(venue):
    return venue.ccxt(ccxt, "alice")


@pytest.fixture
def bob(venue):
    return venue.ccxt(ccxt, "bob")


def test_markets_are_as_listed(alice):
    markets = alice.load_markets()
    assert set(markets) == {"BTC/USDT", "ETH/USDT", "ETH/BTC"}
    assert markets[SYMBOL]["precision"] == {**markets[SYMBOL]["precision"], "amount": 0.00001, "price": 0.01}
    assert markets["ETH/BTC"]["limits"]["cost"]["min"] == 0.00001


def test_life_of_an_order(alice, bob):
    assert alice.fetch_balance()["USDT"] == {"free": 1_000_000.0, "used": 0.0, "total": 1_000_000.0}
    assert alice.fetch_order_book(SYMBOL)["bids"] == []

    placed = alice.create_order(SYMBOL, "limit", "buy", 0.5, 60_000, {"clientOrderId": "first"})
    assert (placed["status"], placed["clientOrderId"]) == ("open", "first")
    assert alice.fetch_order_book(SYMBOL)["bids"] == [[60_000.0, 0.5]]
    assert alice.fetch_balance()["USDT"]["used"] == 30_000.0
    assert alice.fetch_order(placed["id"], SYMBOL)["status"] == "open"
    assert [order["id"] for order in alice.fetch_open_orders(SYMBOL)] == [placed["id"]]

    edited = alice.edit_order(placed["id"], SYMBOL, "limit", "buy", 0.4, 61_000)
    assert alice.fetch_order(placed["id"], SYMBOL)["status"] == "canceled"
    assert alice.fetch_order_book(SYMBOL)["bids"] == [[61_000.0, 0.4]]

    sold = bob.create_order(SYMBOL, "market", "sell", 0.1)
    assert (sold["status"], sold["filled"], sold["average"]) == ("closed", 0.1, 61_000.0)
    assert alice.fetch_order(edited["id"], SYMBOL)["filled"] == 0.1
    [mine] = alice.fetch_my_trades(SYMBOL)
    assert (mine["price"], mine["amount"], mine["takerOrMaker"]) == (61_000.0, 0.1, "maker")
    assert alice.fetch_trades(SYMBOL)[-1]["price"] == 61_000.0
    by_trade = {"fetchTradesMethod": "publicGetTrades"}
    assert alice.fetch_trades(SYMBOL, params=by_trade)[-1]["amount"] == 0.1
    assert alice.fetch_bids_asks([SYMBOL])[SYMBOL]["bid"] == 61_000.0
    assert alice.fetch_ohlcv(SYMBOL, "1d")[-1][1:] == [61_000.0, 61_000.0, 61_000.0, 61_000.0, 0.1]
    ticker = alice.fetch_ticker(SYMBOL)
    assert (ticker["last"], ticker["bid"], ticker["quoteVolume"]) == (61_000.0, 61_000.0, 6_100.0)
    assert set(alice.fetch_tickers()) == {"BTC/USDT", "ETH/USDT", "ETH/BTC"}
    orders = alice.fetch_orders(SYMBOL)
    assert [order["id"] for order in orders] == [placed["id"], edited["id"]]

    canceled = alice.cancel_order(edited["id"], SYMBOL)
    assert canceled["status"] == "canceled"
    assert alice.fetch_open_orders(SYMBOL) == []
    alice_owns, bob_owns = alice.fetch_balance(), bob.fetch_balance()
    # Each pays 0.1 % of what it receives.
    assert alice_owns["BTC"]["total"] == 100.0999 and bob_owns["BTC"]["total"] == 99.9
    assert alice_owns["USDT"]["total"] == 993_900.0 and bob_owns["USDT"]["total"] == 1_006_093.9


def test_cancel_all(alice):
    for price in (50_000, 50_001, 50_002):
        alice.create_order(SYMBOL, "limit", "buy", 0.1, price)
    alice.cancel_all_orders(SYMBOL)
    assert alice.fetch_open_orders(SYMBOL) == []
    assert alice.fetch_balance()["USDT"]["used"] == 0.0


def test_market_buy_by_cost(alice, bob):
    bob.create_order(SYMBOL, "limit", "sell", 1, 50_000)
    bought = alice.create_market_buy_order_with_cost(SYMBOL, 1_000)
    assert (bought["status"], bought["filled"], bought["cost"]) == ("closed", 0.02, 1_000.0)


def test_errors_are_those_a_bot_matches_on(venue, alice):
    def raises(error, call, *args, **kwargs):
        with pytest.raises(error) as caught:
            call(*args, **kwargs)
        assert type(caught.value) is error

    raises(ccxt.InsufficientFunds, alice.create_order, SYMBOL, "limit", "buy", 100, 60_000)
    raises(ccxt.InvalidOrder, alice.create_order, SYMBOL, "limit", "buy", 9_001, 60_000)
    raises(ccxt.InvalidOrder, alice.create_order, SYMBOL, "limit", "buy", 1, 1_000_001)
    # The class to which ccxt maps Binance's answer to an order below the smallest notional.
    raises(ccxt.BadRequest, alice.create_order, SYMBOL, "limit", "buy", 0.00001, 100)
    raises(ccxt.OrderNotFound, alice.cancel_order, "123456", SYMBOL)
    raises(ccxt.OrderNotFound, alice.fetch_order, "123456", SYMBOL)

    late = venue.ccxt(ccxt, "alice", adjustForTimeDifference=False)
    late.nonce = lambda: int(time.time() * 1000) - 60_000
    raises(ccxt.InvalidNonce, late.fetch_balance)

    stranger = venue.ccxt(ccxt, "alice")
    stranger.apiKey = "x" * 64
    raises(ccxt.AuthenticationError, stranger.fetch_balance)
    forger = venue.ccxt(ccxt, "alice")
    forger.secret = "x" * 64
    raises(ccxt.AuthenticationError, forger.fetch_balance)


def test_the_demo_market_is_alive(busy_venue):
    reader = busy_venue.ccxt(ccxt)
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        book = reader.fetch_order_book(SYMBOL)
        if book["bids"] and book["asks"] and reader.fetch_trades(SYMBOL):
            return
        time.sleep(0.2)
    raise AssertionError("no quotes or no trades after 30 s")


def test_transfers_and_status_are_read_as_ccxt_maps_them(alice, venue):
    def admin(*words):
        subprocess.check_output([BINARY, "admin", "--data", venue.data, *words])

    assert alice.fetch_status()["status"] == "ok"
    deposits = alice.fetch_deposits()
    assert deposits and all(row["status"] == "ok" and row["type"] == "deposit" for row in deposits)
    usdt = alice.fetch_deposits("USDT")
    assert [row["amount"] for row in usdt] == [1_000_000.0]
    assert usdt[0]["txid"] and alice.fetch_withdrawals() == []
    admin("withdrawal", "request", "alice", "USDT", "2.5", "--ref", "out-1")
    admin("withdrawal", "request", "alice", "USDT", "1", "--ref", "out-2")
    admin("withdrawal", "cancel", "alice", "--ref", "out-2")
    states = {row["txid"]: (row["status"], row["amount"]) for row in alice.fetch_withdrawals("USDT")}
    assert states == {"out-1": ("pending", 2.5), "out-2": ("canceled", 1.0)}
    admin("withdrawal", "confirm", "alice", "--ref", "out-1")
    done = {row["txid"]: row["status"] for row in alice.fetch_withdrawals()}
    assert done == {"out-1": "ok", "out-2": "canceled"}
    assert all(row["timestamp"] for row in alice.fetch_withdrawals())
    admin("halt")
    try:
        assert alice.fetch_status()["status"] == "maintenance"
    finally:
        admin("resume")
