import { describe, expect, it } from "vitest";
import { draftOf, withOrderIds } from "./draft";
import { BTC, formOf, legOf, NOW } from "./fixtures";
import type { Form } from "./form";
import { readTicket } from "./rules";

const draft = (fields: Partial<Form>) => draftOf(readTicket(formOf(fields), BTC, NOW), BTC);
/** Type and parameters of an order. */
function order(fields: Partial<Form>) {
  const made = draft({ qty: "0.1", ...fields });
  if (!("order" in made)) throw new Error("a list");
  return { type: made.order.type, ...made.order.params };
}
function list(fields: Partial<Form>) {
  const made = draft({ qty: "0.1", price: "59000", ...fields });
  if (!("list" in made)) throw new Error("an order");
  return { kind: made.list.kind, ...made.list.params };
}

describe("orders", () => {
  const quantity = "0.10000";
  it.each<[string, Partial<Form>, Record<string, string>]>([
    ["LIMIT", { price: "59000" }, { price: "59000.00", timeInForce: "GTC", quantity }],
    ["LIMIT_MAKER", { price: "59000" }, { price: "59000.00", quantity }],
    ["LIMIT_MAKER", { price: "59000", timeInForce: "DAY" }, { price: "59000.00", timeInForce: "DAY", quantity }],
    ["MARKET", {}, { quantity }],
    ["MARKET", { isByQuote: true, quoteQty: "100" }, { quoteOrderQty: "100.00000000" }],
    ["MARKET", { isWithinBalance: true }, { quantity, withinBalance: "true" }],
    ["MARKET_TO_LIMIT", {}, { quantity }],
    ["MARKET_TO_LIMIT", { timeInForce: "IOC" }, { quantity, timeInForce: "IOC" }],
    ["STOP_LOSS", { stopPrice: "61000" }, { quantity, stopPrice: "61000.00" }],
    ["STOP_LOSS", { trailing: "1.5" }, { quantity, trailingDelta: "150" }],
    [
      "STOP_LOSS_LIMIT",
      { price: "61100", stopPrice: "61000", timeInForce: "FOK" },
      { quantity, price: "61100.00", stopPrice: "61000.00", timeInForce: "FOK" },
    ],
    ["TAKE_PROFIT", { stopPrice: "59000" }, { quantity, stopPrice: "59000.00" }],
    [
      "TAKE_PROFIT_LIMIT",
      { price: "59000", stopPrice: "59000", trailing: "2" },
      { quantity, price: "59000.00", stopPrice: "59000.00", trailingDelta: "200", timeInForce: "GTC" },
    ],
  ])("%s %o", (type, fields, expected) => expect(order({ type, ...fields })).toEqual({ type, ...expected }));

  it("sends the terms that are set, and no others", () => {
    const limit = { type: "LIMIT", price: "59000" };
    const base = { type: "LIMIT", price: "59000.00", quantity, timeInForce: "GTC" };
    expect(order({ ...limit, display: "hidden" })).toEqual({ ...base, hidden: "true" });
    expect(order({ ...limit, display: "iceberg", icebergQty: "0.02" })).toEqual({ ...base, icebergQty: "0.02000" });
    expect(order({ ...limit, minQty: "0.05" })).toEqual({ ...base, minQty: "0.05000" });
    expect(order({ ...limit, selfTrade: "EXPIRE_MAKER" })).toEqual({
      ...base,
      selfTradePreventionMode: "EXPIRE_MAKER",
    });
    expect(order({ ...limit, timeInForce: "GTD", goodTill: "2026-02-01T00:00" })).toEqual({
      ...base,
      timeInForce: "GTD",
      goodTillDate: String(Date.UTC(2026, 1, 1)),
    });
  });

  it("sends a peg with its offset in ticks", () => {
    expect(order({ type: "PEGGED", peg: "MID_PEG", pegOffset: "-2" })).toEqual({
      type: "LIMIT",
      quantity,
      timeInForce: "GTC",
      pegPriceType: "MID_PEG",
      pegOffsetType: "TICK",
      pegOffsetValue: "-2",
    });
    expect(order({ type: "PEGGED", ownType: "LIMIT_MAKER", price: "59000" })).toEqual({
      type: "LIMIT_MAKER",
      quantity,
      price: "59000.00",
      pegPriceType: "PRIMARY_PEG",
    });
  });
});

describe("lists", () => {
  const profit = legOf({ type: "LIMIT_MAKER", price: "61000" });
  const stop = legOf({ type: "STOP_LOSS_LIMIT", stopPrice: "58000", price: "57900" });
  const working = {
    workingSide: "BUY",
    workingQuantity: "0.10000",
    workingType: "LIMIT",
    workingPrice: "59000.00",
    workingTimeInForce: "GTC",
  };

  it("puts the take-profit order of a sale above, and that of a purchase below", () => {
    expect(list({ type: "OCO", side: "SELL", ownType: "LIMIT_MAKER", price: "61000", stop })).toEqual({
      kind: "oco",
      side: "SELL",
      quantity: "0.10000",
      aboveType: "LIMIT_MAKER",
      abovePrice: "61000.00",
      belowType: "STOP_LOSS_LIMIT",
      belowPrice: "57900.00",
      belowStopPrice: "58000.00",
      belowTimeInForce: "GTC",
    });
    const buy = list({
      type: "OCO",
      ownType: "TAKE_PROFIT",
      stopPrice: "59000",
      stop: legOf({ type: "STOP_LOSS", trailing: "1" }),
    });
    expect(buy).toEqual({
      kind: "oco",
      side: "BUY",
      quantity: "0.10000",
      belowType: "TAKE_PROFIT",
      belowStopPrice: "59000.00",
      aboveType: "STOP_LOSS",
      aboveTrailingDelta: "100",
    });
  });

  it("names the orders of an OTO", () => {
    expect(list({ type: "OTO", pendingQty: "0.05", pending: legOf({ type: "MARKET" }) })).toEqual({
      kind: "oto",
      ...working,
      pendingSide: "SELL",
      pendingQuantity: "0.05000",
      pendingType: "MARKET",
    });
  });

  it("names the orders of an OTOCO", () => {
    expect(list({ type: "OTOCO", pendingQty: "0.1", profit, stop })).toEqual({
      kind: "otoco",
      ...working,
      pendingSide: "SELL",
      pendingQuantity: "0.10000",
      pendingAboveType: "LIMIT_MAKER",
      pendingAbovePrice: "61000.00",
      pendingBelowType: "STOP_LOSS_LIMIT",
      pendingBelowPrice: "57900.00",
      pendingBelowStopPrice: "58000.00",
      pendingBelowTimeInForce: "GTC",
    });
  });

  it("gives the later orders of an OPO and an OPOCO no quantity", () => {
    expect(list({ type: "OPO", pendingQty: "9", pending: legOf({ type: "LIMIT_MAKER", price: "61000" }) })).toEqual({
      kind: "opo",
      ...working,
      pendingSide: "SELL",
      pendingType: "LIMIT_MAKER",
      pendingPrice: "61000.00",
    });
    const opoco = list({ type: "OPOCO", profit, stop });
    expect(opoco).not.toHaveProperty("pendingQuantity");
    expect(opoco).toMatchObject({ kind: "opoco", pendingSide: "SELL", pendingAbovePrice: "61000.00" });
  });
});

it("names each order of a list", () => {
  const made = draft({
    type: "OTOCO",
    price: "59000",
    qty: "0.1",
    pendingQty: "0.1",
    profit: legOf({ type: "LIMIT_MAKER", price: "61000" }),
    stop: legOf({ type: "STOP_LOSS", stopPrice: "58000" }),
  });
  if (!("list" in made)) throw new Error("an order");
  let count = 0;
  const { list: named, ids } = withOrderIds(made.list, () => `id${++count}`);
  expect(ids).toEqual(["id1", "id2", "id3"]);
  expect(named.params).toEqual({
    ...made.list.params,
    workingClientOrderId: "id1",
    pendingAboveClientOrderId: "id2",
    pendingBelowClientOrderId: "id3",
  });
});
