"""ccxt, unchanged: stop orders, icebergs, order lists, and all errors of these."""

import json

import ccxt
import pytest

SYMBOL = "BTC/USDT"


@pytest.fixture
def alice(venue):
    return venue.ccxt(ccxt, "alice")


@pytest.fixture
def bob(venue):
    return venue.ccxt(ccxt, "bob")


def trade(alice, bob, price):
    alice.create_order(SYMBOL, "limit", "sell", 1, price)
    bob.create_order(SYMBOL, "limit", "buy", 1, price)


def test_a_client_starts_as_it_does_by_default(venue):
    exchange = venue.ccxt(ccxt, "alice", fetchCurrencies=True, fetchMargins=True)
    exchange.load_markets()
    assert exchange.currencies["BTC"]["precision"] == 1e-08
    assert exchange.markets[SYMBOL]["margin"] is False
    assert exchange.fetch_trading_fee(SYMBOL)["taker"] == exchange.fetch_trading_fees()[SYMBOL]["taker"]


def test_life_of_a_stop(alice, bob):
    trade(alice, bob, 50_000)
    stop = alice.create_order(SYMBOL, "limit", "sell", 1, 44_000, {"stopLossPrice": 45_000})
    assert (stop["status"], stop["info"]["type"], stop["triggerPrice"]) == ("open", "STOP_LOSS_LIMIT", 45_000.0)
    assert alice.fetch_balance()["BTC"]["used"] == 1.0
    assert alice.fetch_open_orders(SYMBOL)[0]["info"]["isWorking"] is False
    canceled = alice.cancel_order(stop["id"], SYMBOL)
    assert (canceled["status"], canceled["stopPrice"]) == ("canceled", 45_000.0)

    by_market = alice.create_order(SYMBOL, "market", "sell", 1, None, {"stopLossPrice": 45_000})
    bob.create_order(SYMBOL, "limit", "buy", 3, 45_000)
    alice.create_order(SYMBOL, "market", "sell", 1)
    done = alice.fetch_order(by_market["id"], SYMBOL)
    assert (done["status"], done["average"]) == ("closed", 45_000.0)


def test_life_of_a_trailing_stop(alice, bob):
    trade(alice, bob, 50_000)
    params = {"trailingPercent": 1, "stopLossOrTakeProfit": "stopLoss"}
    trailing = alice.create_order(SYMBOL, "market", "sell", 1, None, params)
    assert trailing["info"]["trailingDelta"] == 100
    assert trailing["info"]["trailingTime"] == trailing["info"]["transactTime"]
    assert alice.cancel_order(trailing["id"], SYMBOL)["status"] == "canceled"


def test_life_of_an_iceberg(alice, bob):
    iceberg = alice.create_order(SYMBOL, "limit", "buy", 1, 40_000, {"icebergQty": "0.1"})
    assert alice.fetch_order_book(SYMBOL)["bids"] == [[40_000.0, 0.1]]
    bob.create_order(SYMBOL, "market", "sell", 0.25)
    assert alice.fetch_order_book(SYMBOL)["bids"] == [[40_000.0, 0.05]]
    found = alice.fetch_order(iceberg["id"], SYMBOL)
    assert (found["filled"], found["info"]["icebergQty"]) == (0.25, "0.10000000")
    assert alice.cancel_order(iceberg["id"], SYMBOL)["status"] == "canceled"
    assert alice.fetch_order_book(SYMBOL)["bids"] == []


def oco(exchange, **changes):
    legs = {"aboveType": "LIMIT_MAKER", "abovePrice": "55000", "belowType": "STOP_LOSS", "belowStopPrice": "45000"}
    order = {"symbol": "BTCUSDT", "side": "SELL", "quantity": "1", **legs, **changes}
    return exchange.private_post_orderlist_oco({name: value for name, value in order.items() if value})


def test_life_of_an_oco(alice, bob):
    trade(alice, bob, 50_000)
    placed = oco(alice, listClientOrderId="exit")
    assert [order["status"] for order in placed["orderReports"]] == ["NEW", "NEW"]
    assert alice.fetch_balance()["BTC"]["used"] == 1.0
    assert [order["status"] for order in alice.fetch_open_orders(SYMBOL)] == ["open", "open"]
    [listed] = alice.private_get_openorderlist()
    assert listed["orders"] == placed["orders"]

    bob.create_order(SYMBOL, "limit", "buy", 1, 55_000)
    done = alice.private_get_orderlist({"orderListId": placed["orderListId"]})
    assert done["listOrderStatus"] == "ALL_DONE"
    ends = {order["info"]["type"]: order["status"] for order in alice.fetch_orders(SYMBOL)[-2:]}
    assert ends == {"STOP_LOSS": "expired", "LIMIT_MAKER": "closed"}

    check_refused(
        alice,
        lambda: oco(alice),
        -2010,
        "The relationship of the prices for the orders is not correct.",
        ccxt.InvalidOrder,
    )
    trade(alice, bob, 50_000)
    placed = oco(alice)
    canceled = alice.private_delete_orderlist({"symbol": "BTCUSDT", "orderListId": placed["orderListId"]})
    assert [order["status"] for order in canceled["orderReports"]] == ["CANCELED", "CANCELED"]
    placed = oco(alice)
    alice.cancel_order(placed["orders"][0]["orderId"], SYMBOL)
    assert alice.fetch_open_orders(SYMBOL) == []


def test_an_oto_places_its_second_order(alice, bob):
    placed = alice.private_post_orderlist_oto(
        {
            "symbol": "BTCUSDT",
            "workingType": "LIMIT",
            "workingSide": "BUY",
            "workingPrice": "50000",
            "workingQuantity": "1",
            "workingTimeInForce": "GTC",
            "pendingType": "LIMIT_MAKER",
            "pendingSide": "SELL",
            "pendingPrice": "51000",
            "pendingQuantity": "1",
        }
    )
    assert [order["status"] for order in placed["orderReports"]] == ["NEW", "PENDING_NEW"]
    bob.create_order(SYMBOL, "market", "sell", 1)
    assert alice.fetch_order_book(SYMBOL)["asks"] == [[51_000.0, 1.0]]


LIMIT = {"type": "LIMIT", "timeInForce": "GTC", "quantity": "1", "price": "50000"}
STOP = {"type": "STOP_LOSS", "quantity": "1", "stopPrice": "45000"}
NOT_REQUIRED = "Parameter '{}' sent when not required."
MANDATORY = "Mandatory parameter '{}' was not sent, was empty/null, or malformed."
NO_TRIGGER = "Param 'stopPrice' or 'trailingDelta' must be sent, but both were empty/null!"
NO_PEG_HERE = "Pegged {} are not supported for this symbol."
OFFSET = {"pegOffsetType": "PRICE_LEVEL"}


def peg(kind="PRIMARY_PEG", **others):
    return {**LIMIT, "price": "", "pegPriceType": kind, **others}


# An order, and its refusal: code, text, and ccxt's exception. ccxt raises ExchangeError where it has no other class. It
# knows a spot market by Binance's own address: at other addresses -1134 is an ExchangeError, too, and -1108 a BadSymbol.
ORDERS = [
    ({**LIMIT, "side": "HOLD"}, -1117, "Invalid side.", ccxt.BadRequest),
    ({**LIMIT, "type": "ODD"}, -1116, "Invalid orderType.", ccxt.BadRequest),
    ({**LIMIT, "timeInForce": "GTX"}, -1115, "Invalid timeInForce.", ccxt.BadRequest),
    ({**LIMIT, "price": ""}, -1102, MANDATORY.format("price"), ccxt.BadRequest),
    ({**LIMIT, "stopPrice": "1"}, -1106, NOT_REQUIRED.format("stopPrice"), ccxt.BadRequest),
    ({**LIMIT, "trailingDelta": "1"}, -1106, NOT_REQUIRED.format("trailingDelta"), ccxt.BadRequest),
    ({**LIMIT, "strategyType": "1"}, -1134, "strategyType was less than 1000000.", ccxt.ExchangeError),
    ({**LIMIT, "icebergQty": "1"}, -1013, "IcebergQty exceeds QTY.", ccxt.BadRequest),
    ({**LIMIT, "icebergQty": "0.1", "timeInForce": "IOC"}, -1014, "Unsupported order combination.", ccxt.InvalidOrder),
    ({**LIMIT, "icebergQty": "0.000001"}, -1013, "Filter failure: LOT_SIZE", ccxt.InvalidOrder),
    ({**LIMIT, "quantity": "0.000000001"}, -1111, "Parameter 'quantity' has too much precision.", ccxt.BadRequest),
    ({**STOP, "stopPrice": ""}, -1102, NO_TRIGGER, ccxt.BadRequest),
    ({**STOP, "price": "1"}, -1106, NOT_REQUIRED.format("price"), ccxt.BadRequest),
    ({**STOP, "stopPrice": "1.001"}, -1013, "Filter failure: PRICE_FILTER", ccxt.InvalidOrder),
    ({**STOP, "trailingDelta": "0"}, -1013, "Filter failure: TRAILING_DELTA", ccxt.BadRequest),
    ({**STOP, "trailingDelta": "x"}, -1100, None, ccxt.BadRequest),
    ({**STOP, "trailingDelta": "99999999999"}, -1108, "Parameter 'trailingDelta' overflowed.", ccxt.BadSymbol),
    ({**STOP, "stopPrice": "50001"}, -2010, "Order would trigger immediately.", ccxt.OrderImmediatelyFillable),
    (
        {"type": "LIMIT_MAKER", "quantity": "1", "price": "100"},
        -2010,
        "Order would immediately match and take.",
        ccxt.OrderImmediatelyFillable,
    ),
    (
        {**LIMIT, "quantity": "1000"},
        -2010,
        "Account has insufficient balance for requested action.",
        ccxt.InsufficientFunds,
    ),
    (peg("BEST"), -1210, "Invalid pegPriceType.", ccxt.ExchangeError),
    (peg(pegOffsetType="BPS"), -1211, "Invalid pegOffsetType.", ccxt.ExchangeError),
    (
        peg(**OFFSET),
        -1128,
        "Fields [pegOffsetType,pegOffsetValue] must be sent together or omitted entirely.",
        ccxt.BadRequest,
    ),
    (peg(**OFFSET, pegOffsetValue="2"), -1013, NO_PEG_HERE.format("orders with an offset of levels"), ccxt.BadRequest),
    ({**STOP, "pegPriceType": "PRIMARY_PEG"}, -1013, "This order type may not use pegged price.", ccxt.BadRequest),
]


def check_refused(exchange, call, code, text, error):
    with pytest.raises(ccxt.BaseError) as caught:
        call()
    told = json.loads(exchange.last_http_response)
    assert (told["code"], told["msg"], type(caught.value)) == (code, text or told["msg"], error)


def test_each_refused_order_has_its_exception(alice, bob):
    trade(alice, bob, 50_000)
    bob.create_order(SYMBOL, "limit", "buy", 1, 100)
    for order, code, text, error in ORDERS:
        order = {"symbol": "BTCUSDT", "side": "SELL", **order}
        sent = {name: value for name, value in order.items() if value}
        check_refused(alice, lambda sent=sent: alice.private_post_order(sent), code, text, error)
        if code > -2000:
            check_refused(alice, lambda sent=sent: alice.private_post_order_test(sent), code, text, error)
    assert alice.fetch_open_orders(SYMBOL) == []


OCOS = [
    ({"aboveType": "MARKET"}, -1158, "Order type not supported in OCO.", ccxt.ExchangeError),
    (
        {"aboveType": "STOP_LOSS_LIMIT", "aboveStopPrice": "1", "aboveTimeInForce": "IOC", "aboveIcebergQty": "0.1"},
        -1197,
        "A stop loss order in a sell OCO must be below.",
        ccxt.ExchangeError,
    ),
    (
        {
            "belowType": "STOP_LOSS_LIMIT",
            "belowPrice": "1",
            "belowTimeInForce": "IOC",
            "belowIcebergQty": "0.1",
        },
        -1160,
        "Parameter 'belowIcebergQty' is not supported if 'belowTimeInForce' is not GTC.",
        ccxt.ExchangeError,
    ),
    ({"side": "BUY"}, -1165, "A limit order in a buy OCO must be below.", ccxt.ExchangeError),
    (
        {"belowType": "LIMIT_MAKER", "aboveType": "TAKE_PROFIT", "abovePrice": "", "aboveStopPrice": "1"},
        -1166,
        "A limit order in a sell OCO must be above.",
        ccxt.ExchangeError,
    ),
    ({"belowType": "LIMIT_MAKER"}, -1168, "At least one OCO order must be contingent.", ccxt.ExchangeError),
    (
        {"side": "BUY", "aboveType": "STOP_LOSS"},
        -1196,
        "A stop loss order in a buy OCO must be above.",
        ccxt.ExchangeError,
    ),
    ({"belowType": "TAKE_PROFIT"}, -1199, "A take profit order in a sell OCO must be above.", ccxt.ExchangeError),
    (
        {"side": "BUY", "aboveType": "TAKE_PROFIT", "belowType": "TAKE_PROFIT"},
        -1198,
        "A take profit order in a buy OCO must be below.",
        ccxt.ExchangeError,
    ),
    (
        {"belowStopPrice": "56000"},
        -2010,
        "The relationship of the prices for the orders is not correct.",
        ccxt.InvalidOrder,
    ),
    ({"abovePrice": "55000.001"}, -1013, "Filter failure: PRICE_FILTER", ccxt.InvalidOrder),
]


def test_each_refused_list_has_its_exception(alice, bob):
    trade(alice, bob, 50_000)
    for changes, code, text, error in OCOS:
        check_refused(alice, lambda changes=changes: oco(alice, **changes), code, text, error)
    unknown = {"symbol": "BTCUSDT", "orderListId": 100_000}
    check_refused(
        alice,
        lambda: alice.private_delete_orderlist(unknown),
        -2011,
        "Unknown order list sent.",
        ccxt.OrderNotFound,
    )
    check_refused(
        alice,
        lambda: alice.private_get_orderlist({"orderListId": 100_000}),
        -2013,
        "Order list does not exist.",
        ccxt.OrderNotFound,
    )
    assert alice.fetch_open_orders(SYMBOL) == []
