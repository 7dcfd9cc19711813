// What tests of orders and fills are made of.
import type { Fill, Market, Order } from "../../stores/types";
import { BTC } from "../ticket/fixtures";

export const market: Market = { ...BTC, qty: { ...BTC.qty, step: 1n, min: 1n } };

export function order(to: Partial<Order> = {}): Order {
  return {
    key: "BTCUSDT/a",
    symbol: "BTCUSDT",
    clientOrderId: "a",
    orderId: 1,
    orderListId: -1,
    side: "BUY",
    type: "LIMIT",
    timeInForce: "GTC",
    price: 6_000_000n,
    stopPrice: null,
    trailingDelta: null,
    qty: 100_000n,
    quoteQty: null,
    icebergQty: null,
    isHidden: false,
    filled: 0n,
    filledQuote: 0n,
    ahead: null,
    state: "accepted",
    change: null,
    reason: null,
    createdMs: 1_000,
    updatedMs: 1_000,
    ...to,
  };
}

export function fill(to: Partial<Fill> = {}): Fill {
  return {
    key: "BTCUSDT/1/BUY",
    symbol: "BTCUSDT",
    tradeId: 1,
    orderId: 1,
    side: "BUY",
    price: 6_000_000n,
    qty: 100_000n,
    quoteQty: 0n,
    fee: 0n,
    feeAsset: "BTC",
    isMaker: true,
    timeMs: 1_000,
    isBusted: false,
    ...to,
  };
}
