// npm's `binance`: orders over REST and the WebSocket API, a listen key, a book.

import assert from "node:assert/strict";
import { MainClient, WebsocketAPIClient, WebsocketClient } from "binance";
import { Book, HTTP, SYMBOL, WS, alice, bob, told, until } from "./venue.mjs";

const quiet = { trace() {}, info() {}, error: console.error };
const [client, other] = [alice, bob].map(
  ({ key, secret }) => new MainClient({ api_key: key, api_secret: secret, baseUrl: HTTP }),
);
const LIMIT = { symbol: SYMBOL, side: "BUY", type: "LIMIT", timeInForce: "GTC", quantity: 0.5, price: 60000 };

const info = await client.getExchangeInfo({ symbol: SYMBOL });
assert.equal(info.symbols[0].status, "TRADING");
assert.deepEqual((await client.getOrderBook({ symbol: SYMBOL })).bids, []);

// This client makes the whole address of a listen key's stream itself, and that of other streams by `/stream`.
const events = [];
const book = new Book();
const { listenKey } = await client.getSpotUserDataListenKey();
const user = new WebsocketClient({ wsUrl: WS, beautify: false }, quiet);
user.on("message", (message) => events.push(...told(message)));
await user.subscribeSpotUserDataStreamWithListenKey("main", listenKey);
const streams = new WebsocketClient({ wsUrl: WS, beautify: false }, quiet);
const subscribed = new Promise((resolve) => streams.on("response", resolve));
streams.on("message", (message) => message.e === "depthUpdate" && book.apply(message));
streams.subscribeSpotDiffBookDepth(SYMBOL, 100);
await subscribed;
const snapshot = () => client.getOrderBook({ symbol: SYMBOL, limit: 5000 });
book.start(await snapshot());

const first = await client.submitNewOrder({ ...LIMIT, newOrderRespType: "FULL" });
assert.equal(first.status, "NEW");
const sold = await other.submitNewOrder({
  symbol: SYMBOL,
  side: "SELL",
  type: "MARKET",
  quantity: 0.1,
  newOrderRespType: "FULL",
});
assert.deepEqual([sold.status, sold.fills[0].price], ["FILLED", "60000.00000000"]);
const socket = new WebsocketAPIClient(
  { api_key: alice.key, api_secret: alice.secret, wsUrl: WS, beautify: false, attachEventListeners: false },
  quiet,
);
const now = () => ({ timestamp: Date.now() });
const amending = { symbol: SYMBOL, orderId: first.orderId, newQty: 0.4, ...now() };
const { result: amended } = await socket.amendSpotOrderKeepPriority(amending);
assert.equal(amended.amendedOrder.qty, "0.40000000");
const found = await client.getOrder({ symbol: SYMBOL, orderId: first.orderId });
assert.deepEqual([found.status, found.executedQty], ["PARTIALLY_FILLED", "0.10000000"]);

const replaced = await client.replaceOrder({
  ...LIMIT,
  price: 59000,
  cancelReplaceMode: "STOP_ON_FAILURE",
  cancelOrderId: first.orderId,
});
assert.deepEqual([replaced.cancelResult, replaced.newOrderResult], ["SUCCESS", "SUCCESS"]);
await client.submitNewOrder({ ...LIMIT, side: "SELL", type: "STOP_LOSS_LIMIT", price: 49000, stopPrice: 50000 });
const oco = await client.submitNewOrderList({
  symbol: SYMBOL,
  side: "SELL",
  quantity: 0.2,
  aboveType: "LIMIT_MAKER",
  abovePrice: "70000",
  belowType: "STOP_LOSS",
  belowStopPrice: "50000",
});
assert.equal((await client.getOCO({ orderListId: oco.orderListId })).listOrderStatus, "EXECUTING");
assert.equal((await client.getOpenOrders({ symbol: SYMBOL })).length, 4);
await client.cancelOCO({ symbol: SYMBOL, orderListId: oco.orderListId });
await client.cancelOrder({ symbol: SYMBOL, orderId: replaced.newOrderResponse.orderId });
await book.equals(await snapshot());
await client.cancelAllSymbolOrders({ symbol: SYMBOL });
assert.deepEqual(await client.getOpenOrders({ symbol: SYMBOL }), []);

assert.equal((await client.getAllOrders({ symbol: SYMBOL })).length, 5);
assert.equal((await client.getAccountTradeList({ symbol: SYMBOL }))[0].isMaker, true);
const account = await client.getAccountInformation({ omitZeroBalances: true });
assert.equal(account.balances.find(({ asset }) => asset === "BTC").locked, "0.00000000");
await assert.rejects(client.cancelOrder({ symbol: SYMBOL, orderId: 1 }), ({ code }) => code === -2011);

const { result: placed } = await socket.submitNewSpotOrder({ ...LIMIT, newOrderRespType: "RESULT", ...now() });
assert.equal(placed.status, "NEW");
const { result: canceled } = await socket.cancelSpotOrder({ symbol: SYMBOL, orderId: placed.orderId, ...now() });
assert.equal(canceled.status, "CANCELED");

await until(() => events.length >= 14, "everything was told");
assert.deepEqual(events.slice(0, 3), ["BUY LIMIT NEW", "BUY LIMIT TRADE", "BUY LIMIT REPLACED"]);
await client.closeSpotUserDataListenKey(listenKey);
[user, streams].forEach((connection) => connection.closeAll(true));
socket.disconnectAll();
process.exit(); // Its timers for listen keys and reconnects would keep the script alive.
