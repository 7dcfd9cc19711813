// @binance/spot: orders over REST and the WebSocket API, a user data stream by signature, a book.

import assert from "node:assert/strict";
import { BadRequestError, Spot } from "@binance/spot";
import { Book, HTTP, SYMBOL, WS, alice, bob, told, until } from "./venue.mjs";

const [client, other] = [alice, bob].map(({ key, secret }) => {
  const keys = { apiKey: key, apiSecret: secret };
  return new Spot({
    configurationRestAPI: { ...keys, basePath: HTTP, timeout: 10_000 },
    configurationWebsocketAPI: { ...keys, wsURL: `${WS}/ws-api/v3` },
    configurationWebsocketStreams: { wsURL: WS },
  });
});
const rest = client.restAPI;
const LIMIT = { symbol: SYMBOL, side: "BUY", type: "LIMIT", timeInForce: "GTC", quantity: 0.5, price: 60000 };
const of = async (answer) => (await answer).data();

assert.equal((await of(rest.exchangeInfo({ symbol: SYMBOL }))).symbols[0].status, "TRADING");
assert.deepEqual((await of(rest.depth({ symbol: SYMBOL }))).bids, []);

const socket = await client.websocketAPI.connect();
const events = [];
const user = await socket.userDataStreamSubscribeSignature();
user.stream.on("message", (message) => events.push(...told(message)));
const book = new Book();
const streams = await client.websocketStreams.connect();
streams.diffBookDepth({ symbol: SYMBOL, updateSpeed: "100ms" }).on("message", (message) => book.apply(message));
const snapshot = () => of(rest.depth({ symbol: SYMBOL, limit: 5000 }));
book.start(await snapshot());

const first = await of(rest.newOrder({ ...LIMIT, newClientOrderId: "first" }));
assert.deepEqual([first.status, first.clientOrderId], ["NEW", "first"]);
const sold = await of(other.restAPI.newOrder({ symbol: SYMBOL, side: "SELL", type: "MARKET", quantity: 0.1 }));
assert.deepEqual([sold.status, sold.fills[0].price], ["FILLED", "60000.00000000"]);
const amended = await of(
  rest.orderAmendKeepPriority({ symbol: SYMBOL, orderId: first.orderId, newQty: 0.4 }),
);
assert.equal(amended.amendedOrder.qty, "0.40000000");
const found = await of(rest.getOrder({ symbol: SYMBOL, orderId: first.orderId }));
assert.deepEqual([found.status, found.executedQty], ["PARTIALLY_FILLED", "0.10000000"]);

const replaced = await of(
  rest.orderCancelReplace({ ...LIMIT, price: 59000, cancelReplaceMode: "STOP_ON_FAILURE", cancelOrderId: first.orderId }),
);
assert.deepEqual([replaced.cancelResult, replaced.newOrderResult], ["SUCCESS", "SUCCESS"]);
await rest.newOrder({ ...LIMIT, side: "SELL", type: "STOP_LOSS_LIMIT", price: 49000, stopPrice: 50000 });
const oco = await of(
  rest.orderListOco({
    symbol: SYMBOL,
    side: "SELL",
    quantity: 0.2,
    aboveType: "LIMIT_MAKER",
    abovePrice: 70000,
    belowType: "STOP_LOSS",
    belowStopPrice: 50000,
  }),
);
assert.equal((await of(rest.getOrderList({ orderListId: oco.orderListId }))).listOrderStatus, "EXECUTING");
assert.equal((await of(rest.getOpenOrders({ symbol: SYMBOL }))).length, 4);
await rest.deleteOrderList({ symbol: SYMBOL, orderListId: oco.orderListId });
await rest.deleteOrder({ symbol: SYMBOL, orderId: replaced.newOrderResponse.orderId });
await book.equals(await snapshot());
await rest.deleteOpenOrders({ symbol: SYMBOL });
assert.deepEqual(await of(rest.getOpenOrders({ symbol: SYMBOL })), []);

assert.equal((await of(rest.allOrders({ symbol: SYMBOL }))).length, 5);
assert.equal((await of(rest.myTrades({ symbol: SYMBOL })))[0].isMaker, true);
const account = await of(rest.getAccount({ omitZeroBalances: true }));
assert.equal(account.balances.find(({ asset }) => asset === "BTC").locked, "0.00000000");
await assert.rejects(rest.deleteOrder({ symbol: SYMBOL, orderId: 1 }), BadRequestError);

const placed = (await socket.orderPlace(LIMIT)).data;
assert.equal(placed.status, "NEW");
assert.equal((await socket.orderCancel({ symbol: SYMBOL, orderId: placed.orderId })).data.status, "CANCELED");
await until(() => events.length >= 14, "everything was told");
assert.deepEqual(events.slice(0, 3), ["BUY LIMIT NEW", "BUY LIMIT TRADE", "BUY LIMIT REPLACED"]);
await streams.disconnect();
await socket.disconnect();
