// ccxt in JavaScript: orders over REST; ccxt.pro: its own book, orders and trades as they are told.

import assert from "node:assert/strict";
import ccxt from "ccxt";
import { HTTP, WS, alice, bob, until } from "./venue.mjs";

const SYMBOL = "BTC/USDT";
const [client, other] = [alice, bob].map(({ key, secret }) => {
  const options = { fetchCurrencies: false, fetchMargins: false, fetchMarkets: { types: ["spot"] } };
  const exchange = new ccxt.pro.binance({ apiKey: key, secret, enableRateLimit: false, options });
  const { api } = exchange.urls;
  api.public = api.private = `${HTTP}/api/v3`;
  api.sapi = `${HTTP}/sapi/v1`;
  api.ws.spot = `${WS}/ws`;
  api.ws["ws-api"].spot = `${WS}/ws-api/v3`;
  return exchange;
});
await client.loadHttpProxyAgent(); // ccxt asks for it where a WebSocket is not encrypted.

const markets = await client.loadMarkets();
assert.deepEqual(Object.keys(markets).sort(), ["BTC/USDT", "ETH/BTC", "ETH/USDT"]);
assert.deepEqual((await client.fetchOrderBook(SYMBOL)).bids, []);

const orders = watch((seen) => client.watchOrders(SYMBOL).then((told) => seen.push(...told)));
const trades = watch((seen) => client.watchMyTrades(SYMBOL).then((told) => seen.push(...told)));
const books = watch((seen) => client.watchOrderBook(SYMBOL).then((book) => seen.push(book)));

// ccxt subscribes by itself, and does not say when it is done: the first order may come before that.
let first;
await until(async () => {
  if (first) await client.cancelOrder(first.id, SYMBOL);
  first = await client.createOrder(SYMBOL, "limit", "buy", 0.5, 60_000);
  return orders.length > 0 && books.length > 0;
}, "the streams have begun");
const sold = await other.createOrder(SYMBOL, "market", "sell", 0.1);
assert.deepEqual([sold.status, sold.average], ["closed", 60_000]);
assert.equal((await client.fetchOrder(first.id, SYMBOL)).filled, 0.1);
await until(() => orders.some(({ id, filled }) => id === first.id && filled === 0.1), "the trade was told");

const edited = await client.editOrder(first.id, SYMBOL, "limit", "buy", 0.4, 59_000);
const stop = await client.createOrder(SYMBOL, "limit", "sell", 0.5, 49_000, { stopLossPrice: 50_000 });
assert.equal(stop.triggerPrice, 50_000);
const oco = await client.privatePostOrderListOco({
  symbol: "BTCUSDT",
  side: "SELL",
  quantity: "0.2",
  aboveType: "LIMIT_MAKER",
  abovePrice: "70000",
  belowType: "STOP_LOSS",
  belowStopPrice: "50000",
});
assert.equal(oco.orderReports.length, 2);
assert.equal((await client.fetchOpenOrders(SYMBOL)).length, 4);
await client.privateDeleteOrderList({ symbol: "BTCUSDT", orderListId: oco.orderListId });
const rest = await client.fetchOrderBook(SYMBOL);
await until(() => books.at(-1).nonce === rest.nonce, "the book is as new as the snapshot");
for (const side of ["bids", "asks"]) {
  assert.deepEqual([...books.at(-1)[side]].map(([price, qty]) => [price, qty]), rest[side]);
}
await client.cancelOrder(edited.id, SYMBOL);
await client.cancelAllOrders(SYMBOL);
assert.deepEqual(await client.fetchOpenOrders(SYMBOL), []);

assert((await client.fetchOrders(SYMBOL)).length >= 5);
assert.equal((await client.fetchMyTrades(SYMBOL))[0].takerOrMaker, "maker");
assert.equal((await client.fetchBalance()).BTC.used, 0);
await assert.rejects(client.cancelOrder("1234567", SYMBOL), ccxt.OrderNotFound);

await until(() => orders.some(({ id, status }) => id === edited.id && status === "canceled"), "the cancel was told");
assert.equal(trades[0].amount, 0.1);
await client.close();
await other.close();

/** Waits for what is told, again and again, until the client is closed. */
function watch(next) {
  const seen = [];
  const again = () => next(seen).then(again);
  again().catch((error) => {
    if (!(error instanceof ccxt.ExchangeClosedByUser)) throw error;
  });
  return seen;
}
