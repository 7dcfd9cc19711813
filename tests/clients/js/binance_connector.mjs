// @binance/connector: orders over REST and the WebSocket API, a listen key, a book.

import assert from "node:assert/strict";
import { Spot, WebsocketAPI, WebsocketStream } from "@binance/connector";
import { Book, HTTP, SYMBOL, WS, alice, bob, told, until } from "./venue.mjs";

const quiet = { debug() {}, info() {}, warn() {}, error: console.error };
const client = new Spot(alice.key, alice.secret, { baseURL: HTTP });
const other = new Spot(bob.key, bob.secret, { baseURL: HTTP });
const LIMIT = { timeInForce: "GTC", quantity: "0.5", price: "60000" };

const { data: info } = await client.exchangeInfo({ symbol: SYMBOL });
assert.equal(info.symbols[0].status, "TRADING");
assert.deepEqual((await client.depth(SYMBOL)).data.bids, []);

const { listenKey } = (await client.createListenKey()).data;
await client.renewListenKey(listenKey);
const events = [];
const book = new Book();
const user = stream((message) => events.push(...told(message)));
user.userData(listenKey);
const depth = stream((message) => book.apply(message));
depth.diffBookDepth(SYMBOL, "100ms");
await until(() => user.isConnected() && depth.isConnected(), "both streams are open");
book.start((await client.depth(SYMBOL, { limit: 5000 })).data);

const { data: first } = await client.newOrder(SYMBOL, "BUY", "LIMIT", { ...LIMIT, newClientOrderId: "first" });
assert.deepEqual([first.status, first.clientOrderId], ["NEW", "first"]);
const { data: sold } = await other.newOrder(SYMBOL, "SELL", "MARKET", { quantity: "0.1" });
assert.deepEqual([sold.status, sold.fills[0].price], ["FILLED", "60000.00000000"]);
const { data: found } = await client.getOrder(SYMBOL, { orderId: first.orderId });
assert.deepEqual([found.status, found.executedQty], ["PARTIALLY_FILLED", "0.10000000"]);

const { data: replaced } = await client.cancelAndReplace(SYMBOL, "BUY", "LIMIT", "STOP_ON_FAILURE", {
  ...LIMIT,
  price: "59000",
  cancelOrderId: first.orderId,
});
assert.deepEqual([replaced.cancelResult, replaced.newOrderResult], ["SUCCESS", "SUCCESS"]);
await client.newOrder(SYMBOL, "SELL", "STOP_LOSS_LIMIT", { ...LIMIT, price: "49000", stopPrice: "50000" });
const { data: oco } = await client.newOCOOrder(SYMBOL, "SELL", "0.2", "LIMIT_MAKER", "STOP_LOSS", {
  abovePrice: "70000",
  belowStopPrice: "50000",
});
assert.equal((await client.getOCOOrder({ orderListId: oco.orderListId })).data.listOrderStatus, "EXECUTING");
assert.equal((await client.openOrders({ symbol: SYMBOL })).data.length, 4);
await client.cancelOCOOrder(SYMBOL, { orderListId: oco.orderListId });
await client.cancelOrder(SYMBOL, { orderId: replaced.newOrderResponse.orderId });
await book.equals((await client.depth(SYMBOL, { limit: 5000 })).data);
await client.cancelOpenOrders(SYMBOL);
assert.deepEqual((await client.openOrders({ symbol: SYMBOL })).data, []);

assert.equal((await client.allOrders(SYMBOL)).data.length, 5);
assert.equal((await client.myTrades(SYMBOL)).data[0].isMaker, true);
const { data: account } = await client.account({ omitZeroBalances: true });
assert.equal(account.balances.find(({ asset }) => asset === "BTC").locked, "0.00000000");
await assert.rejects(client.cancelOrder(SYMBOL, { orderId: 1 }), ({ response }) => response.data.code === -2011);

const answers = [];
const socket = new WebsocketAPI(alice.key, alice.secret, {
  wsURL: `${WS}/ws-api/v3`,
  logger: quiet,
  callbacks: { message: (text) => answers.push(JSON.parse(text)) },
});
await until(() => socket.isConnected(), "the WebSocket API is open");
socket.newOrder(SYMBOL, "BUY", "LIMIT", { ...LIMIT, id: "placed" });
await until(() => answers.length === 1, "the order is answered");
assert.deepEqual([answers[0].id, answers[0].status, answers[0].result.status], ["placed", 200, "NEW"]);
socket.cancelOrder(SYMBOL, { orderId: answers[0].result.orderId });
await until(() => answers.length === 2, "the cancel is answered");
assert.equal(answers[1].result.status, "CANCELED");

await until(() => events.length >= 13, "everything was told");
assert.deepEqual(events.slice(0, 4), ["BUY LIMIT NEW", "BUY LIMIT TRADE", "BUY LIMIT CANCELED", "BUY LIMIT NEW"]);
await client.closeListenKey(listenKey);
[user, depth, socket].forEach((connection) => connection.disconnect());

function stream(message) {
  return new WebsocketStream({ wsURL: WS, logger: quiet, callbacks: { message: (text) => message(JSON.parse(text)) } });
}
