import { expect, test } from "vitest";
import type { OrderInfo } from "../api/types";
import { BTC } from "../trade/ticket/fixtures";
import { replacementOf } from "./replacement";

const ORDER: OrderInfo = {
  symbol: "BTCUSDT",
  orderId: 1,
  orderListId: -1,
  clientOrderId: "c1",
  price: "60000.00",
  origQty: "1.00000",
  executedQty: "0.00000",
  cummulativeQuoteQty: "0",
  origQuoteOrderQty: "0",
  status: "NEW",
  timeInForce: "GTC",
  type: "LIMIT",
  side: "BUY",
  stopPrice: "0.00",
  icebergQty: "0.00000",
  isWorking: true,
  workingTime: 1,
  time: 1,
  updateTime: 1,
  selfTradePreventionMode: "EXPIRE_MAKER",
};
const BASE = { price: "61000.00", quantity: "0.50000", selfTradePreventionMode: "EXPIRE_MAKER" };

/** Type and terms of half a coin of the order at 61 000. */
function anew(of: Partial<OrderInfo>) {
  const { type, params } = replacementOf({ ...ORDER, ...of }, BTC, 6_100_000n, 50_000n);
  return { type, ...params };
}

test.each<[string, Partial<OrderInfo>, Record<string, string>]>([
  ["a limit order", {}, { type: "LIMIT", timeInForce: "GTC" }],
  ["until a date", { timeInForce: "GTD", goodTillDate: 99 }, { type: "LIMIT", timeInForce: "GTD", goodTillDate: "99" }],
  ["until the close", { timeInForce: "DAY" }, { type: "LIMIT", timeInForce: "DAY" }],
  ["post only", { type: "LIMIT_MAKER" }, { type: "LIMIT_MAKER" }],
  [
    "post only, until the close",
    { type: "LIMIT_MAKER", timeInForce: "DAY" },
    { type: "LIMIT_MAKER", timeInForce: "DAY" },
  ],
  ["hidden", { hidden: true }, { type: "LIMIT", timeInForce: "GTC", hidden: "true" }],
  ["an iceberg", { icebergQty: "0.20000" }, { type: "LIMIT", timeInForce: "GTC", icebergQty: "0.20000" }],
  ["an iceberg of which one part is left", { icebergQty: "0.60000" }, { type: "LIMIT", timeInForce: "GTC" }],
  ["that has passed its smallest quantity", { minQty: "0.30000" }, { type: "LIMIT", timeInForce: "GTC" }],
  [
    "pegged with an offset",
    { pegPriceType: "MID_PEG", pegOffsetType: "TICK", pegOffsetValue: -2 },
    { type: "LIMIT", timeInForce: "GTC", pegPriceType: "MID_PEG", pegOffsetType: "TICK", pegOffsetValue: "-2" },
  ],
  ["whose peg was fixed on arrival", { pegPriceType: "MARKET_PEG" }, { type: "LIMIT", timeInForce: "GTC" }],
  ["that took the best price", { type: "MARKET_TO_LIMIT" }, { type: "LIMIT", timeInForce: "GTC" }],
  [
    "a stop that waits",
    { type: "STOP_LOSS_LIMIT", stopPrice: "62000.00", isWorking: false, minQty: "0.70000" },
    { type: "STOP_LOSS_LIMIT", timeInForce: "GTC", stopPrice: "62000.00", minQty: "0.50000" },
  ],
  [
    "a stop that was triggered",
    { type: "STOP_LOSS_LIMIT", stopPrice: "62000.00", trailingDelta: 100, trailingTime: 5 },
    { type: "LIMIT", timeInForce: "GTC" },
  ],
  [
    "that will trail",
    { type: "TAKE_PROFIT_LIMIT", stopPrice: "62000.00", trailingDelta: 100, trailingTime: -1, isWorking: false },
    { type: "TAKE_PROFIT_LIMIT", timeInForce: "GTC", stopPrice: "62000.00", trailingDelta: "100" },
  ],
  [
    "that trails",
    { type: "TAKE_PROFIT_LIMIT", stopPrice: "62000.00", trailingDelta: 100, trailingTime: 5, isWorking: false },
    { type: "TAKE_PROFIT_LIMIT", timeInForce: "GTC", trailingDelta: "100" },
  ],
  [
    "of a strategy",
    { strategyId: 7, strategyType: 1_000_000 },
    { type: "LIMIT", timeInForce: "GTC", strategyId: "7", strategyType: "1000000" },
  ],
])("an order %s has its terms anew", (_, of, terms) => {
  expect(anew(of)).toEqual({ ...BASE, ...terms });
});
