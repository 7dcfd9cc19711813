"""Each error of docs/api.md: the request that causes it, its answer, and ccxt's exception for it.

test_ccxt_orders.py has the refusals of orders and order lists."""

import http.server
import json
import re
import threading

import ccxt
import pytest

from venue import ROOT

ERRORS = (ROOT / "docs/api.md").read_text().split("\n## Errors\n")[1].split("\n## ")[0]
# A line of the table: status, code.
DOCUMENTED = {(int(status), int(code)) for status, code in re.findall(r"^\| (\d{3}) \| (-\d+) \|", ERRORS, re.M)}
SOURCES = [ROOT / "crates/protocol/src/binance", ROOT / "crates/protocol/src/signed", ROOT / "crates/gateway/src"]

ORDER, DAY_MS = "/api/v3/order", 24 * 3600 * 1000
MARKET = {"symbol": "BTCUSDT"}
LIMIT = {**MARKET, "side": "SELL", "type": "LIMIT", "timeInForce": "GTC", "quantity": "1", "price": "50000"}
OCO = {
    **MARKET,
    "side": "SELL",
    "quantity": "1",
    "aboveType": "LIMIT_MAKER",
    "abovePrice": "55000",
    "belowType": "STOP_LOSS",
    "belowStopPrice": "45000",
}
OPO = {
    **MARKET,
    "workingType": "LIMIT_MAKER",
    "workingSide": "BUY",
    "workingPrice": "40000",
    "workingQuantity": "1",
    "pendingType": "MARKET",
    "pendingSide": "SELL",
}
REPLACE = {**LIMIT, "cancelOrigClientOrderId": "nobody"}
NO_PARAM = "Mandatory parameter '{}' was not sent, was empty/null, or malformed."


# How a request is sent.
def public(venue, params):
    return query(params), {}


def of_a_page(venue, params):
    return query(params), {"Origin": "https://page.example"}


def renamed(venue, params):
    return query(params), {"Host": "page.example"}


def keyed(venue, params):
    return query(params), venue.header("alice")


def signed(venue, params):
    return venue.signed("alice", **params), venue.header("alice")


def forged(venue, params):
    return f"{venue.signed('alice', **params)}0", venue.header("alice")


def query(params):
    return params if isinstance(params, str) else "&".join(f"{name}={value}" for name, value in params.items())


def by(how, *headers):
    """Sends with these headers, too."""

    def send(venue, params):
        text, others = how(venue, params)
        return text, {**others, **dict(headers)}

    return send


STRANGER = by(signed, ("X-MBX-APIKEY", "x" * 64))
NO_KEY = by(signed, ("X-MBX-APIKEY", "no-key"))
ODD_UNIT = by(public, ("X-MBX-TIME-UNIT", "FORTNIGHT"))

# status, code, text, ccxt's exception; method, path, parameters, how.
CAUSED = [
    (426, -1000, "Here WebSocket is spoken; the request must be an upgrade.", ccxt.OperationFailed, "GET", "/ws", {}, public),
    (400, -1013, "Filter failure: LOT_SIZE", ccxt.InvalidOrder, "POST", ORDER, {**LIMIT, "quantity": "9001"}, signed),
    (400, -1014, "Unsupported order combination.", ccxt.InvalidOrder, "POST", ORDER, {**LIMIT, "icebergQty": "0.1", "timeInForce": "IOC"}, signed),
    (400, -1021, "Timestamp for this request is outside of the recvWindow.", ccxt.InvalidNonce, "GET", "/api/v3/account", {"recvWindow": "0.001"}, signed),
    (400, -1022, "Signature for this request is not valid.", ccxt.AuthenticationError, "GET", "/api/v3/account", {}, forged),
    (400, -1100, "Illegal characters found in parameter 'symbol'; legal range is '^[A-Z0-9-_.]{1,20}$'.", ccxt.BadRequest, "GET", "/api/v3/depth", {"symbol": "btcusdt"}, public),
    (400, -1101, "Duplicate values for a parameter detected.", ccxt.BadRequest, "GET", "/api/v3/depth", "symbol=BTCUSDT&symbol=BTCUSDT", public),
    (413, -1101, "Request body is too large; current limit is 65536 bytes.", ccxt.BadRequest, "GET", "/api/v3/depth", MARKET, by(public, ("content-length", "999999999"))),
    (400, -1102, NO_PARAM.format("symbol"), ccxt.BadRequest, "GET", "/api/v3/depth", {}, public),
    (400, -1104, "Not all sent parameters were read; read '1' parameter(s) but was sent '2'.", ccxt.BadRequest, "GET", "/api/v3/depth", {**MARKET, "colour": "red"}, public),
    (400, -1105, "Parameter 'limit' was empty.", ccxt.BadRequest, "GET", "/api/v3/depth", {**MARKET, "limit": ""}, public),
    (400, -1106, "Parameter 'stopPrice' sent when not required.", ccxt.BadRequest, "POST", ORDER, {**LIMIT, "stopPrice": "1"}, signed),
    (400, -1108, "Parameter 'limit' overflowed.", ccxt.BadSymbol, "GET", "/api/v3/depth", {**MARKET, "limit": "9" * 20}, public),
    (400, -1111, "Parameter 'quantity' has too much precision.", ccxt.BadRequest, "POST", ORDER, {**LIMIT, "quantity": "0.000000001"}, signed),
    (400, -1115, "Invalid timeInForce.", ccxt.BadRequest, "POST", ORDER, {**LIMIT, "timeInForce": "GTX"}, signed),
    (400, -1116, "Invalid orderType.", ccxt.BadRequest, "POST", ORDER, {**LIMIT, "type": "ODD"}, signed),
    (400, -1117, "Invalid side.", ccxt.BadRequest, "POST", ORDER, {**LIMIT, "side": "HOLD"}, signed),
    (400, -1120, "Invalid interval.", ccxt.BadRequest, "GET", "/api/v3/klines", {**MARKET, "interval": "7m"}, public),
    (400, -1121, "Invalid symbol.", ccxt.BadSymbol, "GET", "/api/v3/depth", {"symbol": "NONE"}, public),
    (400, -1122, "Invalid symbolStatus.", ccxt.ExchangeError, "GET", "/api/v3/depth", {**MARKET, "symbolStatus": "ODD"}, public),
    (400, -1125, "This listenKey does not exist.", ccxt.AuthenticationError, "PUT", "/api/v3/userDataStream", {"listenKey": "x"}, keyed),
    (400, -1127, "More than 24 hours between startTime and endTime.", ccxt.BadRequest, "GET", "/api/v3/myTrades", {**MARKET, "startTime": 1, "endTime": 2 * DAY_MS}, signed),
    (400, -1128, "Combination of optional parameters invalid.", ccxt.BadRequest, "GET", "/api/v3/aggTrades", {**MARKET, "fromId": 1, "startTime": 1}, public),
    (400, -1130, "Data sent for parameter 'limit' is not valid.", ccxt.BadRequest, "GET", "/api/v3/depth", {**MARKET, "limit": 0}, public),
    (400, -1131, "recvWindow must be less than 60000", ccxt.ExchangeError, "GET", "/api/v3/account", {"recvWindow": 60_001}, signed),
    (400, -1134, "strategyType was less than 1000000.", ccxt.ExchangeError, "POST", ORDER, {**LIMIT, "strategyType": 1}, signed),
    (400, -1135, "JSON sent for parameter 'batchOrders' is not valid", ccxt.ExchangeError, "POST", "/api/v3/batchOrders", {"batchOrders": "x"}, signed),
    (400, -1139, "Invalid ticker type.", ccxt.ExchangeError, "GET", "/api/v3/ticker/24hr", {**MARKET, "type": "ODD"}, public),
    (400, -1145, "Invalid cancelRestrictions", ccxt.ExchangeError, "DELETE", ORDER, {**MARKET, "orderId": 1, "cancelRestrictions": "ODD"}, signed),
    (400, -1151, "Symbol is present multiple times in the list.", ccxt.ExchangeError, "GET", "/api/v3/ticker/price", 'symbols=["BTCUSDT","BTCUSDT"]', public),
    (400, -1158, "Order type not supported in OCO.", ccxt.ExchangeError, "POST", "/api/v3/orderList/oco", {**OCO, "aboveType": "MARKET"}, signed),
    (400, -1160, "Parameter 'belowIcebergQty' is not supported if 'belowTimeInForce' is not GTC.", ccxt.ExchangeError, "POST", "/api/v3/orderList/oco", {**OCO, "belowType": "STOP_LOSS_LIMIT", "belowPrice": "1", "belowTimeInForce": "IOC", "belowIcebergQty": "0.1"}, signed),
    (400, -1165, "A limit order in a buy OCO must be below.", ccxt.ExchangeError, "POST", "/api/v3/orderList/oco", {**OCO, "side": "BUY"}, signed),
    (400, -1166, "A limit order in a sell OCO must be above.", ccxt.ExchangeError, "POST", "/api/v3/orderList/oco", {**OCO, "aboveType": "TAKE_PROFIT", "belowType": "LIMIT_MAKER"}, signed),
    (400, -1168, "At least one OCO order must be contingent.", ccxt.ExchangeError, "POST", "/api/v3/orderList/oco", {**OCO, "belowType": "LIMIT_MAKER"}, signed),
    (400, -1194, "Invalid value for time unit; expected either MICROSECOND or MILLISECOND.", ccxt.ExchangeError, "GET", "/api/v3/time", {}, ODD_UNIT),
    (400, -1196, "A stop loss order in a buy OCO must be above.", ccxt.ExchangeError, "POST", "/api/v3/orderList/oco", {**OCO, "side": "BUY", "aboveType": "STOP_LOSS"}, signed),
    (400, -1197, "A stop loss order in a sell OCO must be below.", ccxt.ExchangeError, "POST", "/api/v3/orderList/oco", {**OCO, "aboveType": "STOP_LOSS"}, signed),
    (400, -1198, "A take profit order in a buy OCO must be below.", ccxt.ExchangeError, "POST", "/api/v3/orderList/oco", {**OCO, "side": "BUY", "aboveType": "TAKE_PROFIT", "belowType": "TAKE_PROFIT"}, signed),
    (400, -1199, "A take profit order in a sell OCO must be above.", ccxt.ExchangeError, "POST", "/api/v3/orderList/oco", {**OCO, "belowType": "TAKE_PROFIT"}, signed),
    (400, -1210, "Invalid pegPriceType.", ccxt.ExchangeError, "POST", ORDER, {**LIMIT, "pegPriceType": "BEST"}, signed),
    (400, -1211, "Invalid pegOffsetType.", ccxt.ExchangeError, "POST", ORDER, {**LIMIT, "pegOffsetType": "BPS"}, signed),
    (400, -1220, "The symbol's status does not match the requested symbolStatus.", ccxt.ExchangeError, "GET", "/api/v3/depth", {**MARKET, "symbolStatus": "HALT"}, public),
    (400, -1222, "Working order in an OPO list must be a bid.", ccxt.ExchangeError, "POST", "/api/v3/orderList/opo", {**OPO, "workingSide": "SELL"}, signed),
    (400, -1223, "Pending orders in an OPO list must be asks.", ccxt.ExchangeError, "POST", "/api/v3/orderList/opo", {**OPO, "pendingSide": "BUY"}, signed),
    (400, -2010, "Account has insufficient balance for requested action.", ccxt.InsufficientFunds, "POST", ORDER, {**LIMIT, "quantity": "1000"}, signed),
    (400, -2011, "Unknown order sent.", ccxt.OrderNotFound, "DELETE", ORDER, {**MARKET, "orderId": 123_456}, signed),
    (400, -2013, "Order does not exist.", ccxt.OrderNotFound, "GET", ORDER, {**MARKET, "orderId": 123_456}, signed),
    (401, -2014, "API-key format invalid.", ccxt.AuthenticationError, "GET", "/api/v3/account", {}, NO_KEY),
    (401, -2015, "Invalid API-key, IP, or permissions for action.", ccxt.AuthenticationError, "GET", "/api/v3/account", {}, STRANGER),
    (409, -2021, "Order cancel-replace partially failed.", ccxt.ExchangeError, "POST", "/api/v3/order/cancelReplace", {**REPLACE, "cancelReplaceMode": "ALLOW_FAILURE"}, signed),
    (400, -2022, "Order cancel-replace failed.", ccxt.ExchangeError, "POST", "/api/v3/order/cancelReplace", {**REPLACE, "cancelReplaceMode": "STOP_ON_FAILURE"}, signed),
    (400, -2038, "Order amend (quantity increase) is not supported.", ccxt.ExchangeError, "PUT", "/api/v3/order/amend/keepPriority", {**MARKET, "origClientOrderId": "resting", "newQty": "2"}, signed),
    (400, -2039, "Client order ID is not correct for this order ID.", ccxt.ExchangeError, "GET", ORDER, {**MARKET, "orderId": 123_456, "origClientOrderId": "nobody"}, signed),
    (400, -2038, "The requested action would change no state; rejecting", ccxt.ExchangeError, "PUT", "/api/v3/order/amend/keepPriority", {**MARKET, "origClientOrderId": "resting", "newQty": "1"}, signed),
    (400, -2043, "This symbol doesn't have a reference price.", ccxt.ExchangeError, "GET", "/api/v3/referencePrice", MARKET, public),
    (404, -5000, "Path /api/v3/nothing, Method GET is invalid", ccxt.ExchangeError, "GET", "/api/v3/nothing", {}, public),
    (405, -5000, "Path /api/v3/time, Method PUT is invalid", ccxt.ExchangeError, "PUT", "/api/v3/time", {}, public),
    (403, -1002, "Web pages of the origin 'https://page.example' may not send this request: start the venue with --cors-origin and that origin.", ccxt.AuthenticationError, "POST", ORDER, {}, of_a_page),
    (421, -1000, "This venue has no name 'page.example': use an IP address or localhost, or start the venue with --allowed-host.", ccxt.OperationFailed, "GET", "/api/v3/ping", {}, renamed),
]

# Errors that a client cannot cause at will, or only over a WebSocket: a stub server sends them to ccxt. The named test, if
# there is one, causes the error on a venue.
TOLD = [
    (500, -1000, "An unknown error occurred while processing the request.", ccxt.OperationFailed, None),
    (408, -1000, "The request's body did not arrive in time.", ccxt.OperationFailed, "crates/gateway/tests/gateway/limits.rs"),
    (409, -1000, "This Idempotency-Key was used before; its request was carried out once, and its result is no longer kept.", ccxt.OperationFailed, None),
    (503, -1001, "Internal error; unable to process your request. Please try again.", ccxt.OperationFailed, "crates/gateway/tests/gateway/faults.rs"),
    (429, -1003, "Too much request weight used; current limit is 6000 request weight per 1 MINUTE. Please use WebSocket Streams for live updates to avoid polling the API.", ccxt.DDoSProtection, "crates/gateway/tests/gateway/ws_api.rs"),
    (418, -1003, "Way too much request weight used; IP banned until 1. Please use WebSocket Streams for live updates to avoid bans.", ccxt.DDoSProtection, "crates/gateway/tests/gateway/ws_api.rs"),
    (504, -1007, "Timeout waiting for response from backend server. Send status unknown; execution status unknown.", ccxt.RequestTimeout, "crates/gateway/tests/gateway/faults.rs"),
    (503, -1008, "Server is currently overloaded with other requests. Please try again in a few minutes.", ccxt.ExchangeError, "tests/clients/test_full_disk.py"),
    (429, -1015, "Too many new orders; current limit is 2 orders per 1 DAY.", ccxt.DDoSProtection, "crates/gateway/tests/gateway/special_orders.rs"),
    (503, -1016, "This service is no longer available.", ccxt.BadRequest, None),
    (429, -1034, "Too many concurrent connections; current limit is '1'.", ccxt.DDoSProtection, "crates/gateway/tests/gateway/limits.rs"),
    (400, -2035, "User Data Stream subscription already active.", ccxt.ExchangeError, "crates/gateway/tests/gateway/user_data.rs"),
]


def fetch(exchange, url, method, headers):
    """Status, code, text, and ccxt's exception for them."""
    seen = []
    # A connection of its own: some errors close theirs, which may show only at the next request.
    exchange.session.close()
    exchange.on_rest_response = lambda status, reason, url, method, headers, body, *rest: seen.append(status) or body
    with pytest.raises(ccxt.BaseError) as caught:
        exchange.fetch(url, method, headers)
    told = json.loads(exchange.last_http_response)
    return seen[0], told["code"], told["msg"], type(caught.value)


def test_each_error_is_caused_and_has_its_exception(venue):
    venue.ccxt(ccxt, "alice").create_order("BTC/USDT", "limit", "sell", 1, 60_000, {"newClientOrderId": "resting"})
    # An address of its own: after -2015, other clients of the address would have to wait, as if banned.
    exchange = venue.ccxt(ccxt)
    differing = []
    for *expected, method, path, params, how in CAUSED:
        sent, headers = how(venue, params)
        answer = fetch(exchange, f"{venue.url}{path}?{sent}", method, headers)
        if answer != tuple(expected):
            differing.append((answer, expected))
    assert not differing


class Told(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        status, code, text = TOLD[int(self.path[1:])][:3]
        body = json.dumps({"code": code, "msg": text}).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def test_each_error_that_is_not_caused_here_has_its_exception(venue):
    exchange = venue.ccxt(ccxt)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Told)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    differing = []
    for index, (*expected, where) in enumerate(TOLD):
        answer = fetch(exchange, f"http://127.0.0.1:{server.server_port}/{index}", "GET", {})
        if answer != tuple(expected):
            differing.append((answer, expected))
        assert where is None or str(expected[1]) in (ROOT / where).read_text(), f"{where}: {expected}"
    server.shutdown()
    assert not differing


def test_the_page_has_every_error_and_no_other():
    assert DOCUMENTED == {row[:2] for row in CAUSED} | {row[:2] for row in TOLD}
    codes = set()
    for folder in SOURCES:
        for path in folder.rglob("*.rs"):
            code = path.read_text().split("#[cfg(test)]")[0]
            codes.update(int(found) for found in re.findall(r"(?<![\w.])-(?:1\d{3}|2\d{3}|5000)\b", code))
    # Operators' refusals do not occur in this API, and the page only mentions two codes.
    assert codes - {code for _, code in DOCUMENTED} <= {-1020}
