// binance-api-node: orders over REST, a user data stream by signature, a book.

import assert from "node:assert/strict";
import binance from "binance-api-node";
import { Book, HTTP, SYMBOL, WS, alice, bob, until } from "./venue.mjs";

const [client, other] = [alice, bob].map(({ key, secret }) =>
  binance.default({ apiKey: key, apiSecret: secret, httpBase: HTTP, wsBase: `${WS}/ws`, wsApi: `${WS}/ws-api/v3` }),
);
const LIMIT = { symbol: SYMBOL, side: "BUY", type: "LIMIT", quantity: "0.5", price: "60000" };

assert.equal((await client.exchangeInfo({ symbol: SYMBOL })).symbols[0].status, "TRADING");
assert.deepEqual((await client.book({ symbol: SYMBOL })).bids, []);

const events = [];
const closeUser = await client.ws.user((event) => {
  if (event.eventType === "executionReport") events.push(`${event.side} ${event.orderType} ${event.executionType}`);
});
const book = new Book();
const [pairs, raw] = [({ price, quantity }) => [price, quantity], (levels) => levels.map(pairs)];
const closeDepth = client.ws.depth(`${SYMBOL}@100ms`, (event) =>
  book.apply({ U: event.firstUpdateId, u: event.finalUpdateId, b: raw(event.bidDepth), a: raw(event.askDepth) }),
);
const snapshot = async () => {
  const { lastUpdateId, bids, asks } = await client.book({ symbol: SYMBOL, limit: 5000 });
  return { lastUpdateId, bids: raw(bids), asks: raw(asks) };
};

const first = await client.order({ ...LIMIT, newClientOrderId: "first" });
assert.deepEqual([first.status, first.clientOrderId], ["NEW", "first"]);
const sold = await other.order({ symbol: SYMBOL, side: "SELL", type: "MARKET", quantity: "0.1" });
assert.deepEqual([sold.status, sold.fills[0].price], ["FILLED", "60000.00000000"]);
const found = await client.getOrder({ symbol: SYMBOL, orderId: first.orderId });
assert.deepEqual([found.status, found.executedQty], ["PARTIALLY_FILLED", "0.10000000"]);
book.start(await snapshot());

const replaced = await client.updateOrder({ ...LIMIT, price: "59000", cancelOrderId: first.orderId });
assert.deepEqual([replaced.cancelResult, replaced.newOrderResult], ["SUCCESS", "SUCCESS"]);
await client.order({ ...LIMIT, side: "SELL", type: "STOP_LOSS_LIMIT", price: "49000", stopPrice: "50000" });
const oco = await client.orderOco({
  symbol: SYMBOL,
  side: "SELL",
  quantity: "0.2",
  price: "70000",
  stopPrice: "50000",
  stopLimitPrice: "49000",
});
assert.equal((await client.getOrderOco({ orderListId: oco.orderListId })).listOrderStatus, "EXECUTING");
assert.equal((await client.openOrders({ symbol: SYMBOL })).length, 4);
await client.cancelOrderOco({ symbol: SYMBOL, orderListId: oco.orderListId });
await client.cancelOrder({ symbol: SYMBOL, orderId: replaced.newOrderResponse.orderId });
await book.equals(await snapshot());
await client.cancelOpenOrders({ symbol: SYMBOL });
assert.deepEqual(await client.openOrders({ symbol: SYMBOL }), []);

assert.equal((await client.allOrders({ symbol: SYMBOL })).length, 5);
assert.equal((await client.myTrades({ symbol: SYMBOL }))[0].isMaker, true);
const account = await client.accountInfo();
assert.equal(account.balances.find(({ asset }) => asset === "BTC").locked, "0.00000000");
await assert.rejects(client.cancelOrder({ symbol: SYMBOL, orderId: 1 }), ({ code }) => code === -2011);

await until(() => events.length >= 11, "everything was told");
assert.deepEqual(events.slice(0, 3), ["BUY LIMIT NEW", "BUY LIMIT TRADE", "BUY LIMIT CANCELED"]);
closeUser();
closeDepth();
