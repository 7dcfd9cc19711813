import { expect, test } from "vitest";
import { market, order } from "../dock/fixtures";
import { orderLines } from "./lines";

const NONE = new Map<string, bigint>();

test("a limit order is one line with side, what is left, and state", () => {
  const [line] = orderLines([order({ state: "part-filled", filled: 40_000n })], [], market, NONE);
  expect(line).toMatchObject({ price: 6_000_000n, isPending: false, isDraggable: true, isTrigger: false });
  expect(line?.label).toBe("BUY 0.60000 · ◐ part filled 40 %");
});

test("an order that the venue has not answered looks pending and cannot be dragged", () => {
  for (const state of ["sent", "unknown"] as const) {
    expect(orderLines([order({ state })], [], market, NONE)[0]).toMatchObject({ isPending: true, isDraggable: false });
  }
  expect(orderLines([order({ change: "amending" })], [], market, NONE)[0]).toMatchObject({ isPending: true });
});

test("an order on its way to another price is drawn there, pending", () => {
  const asked = new Map([["BTCUSDT/a", 6_100_000n]]);
  expect(orderLines([order()], [], market, asked)[0]).toMatchObject({ price: 6_100_000n, isPending: true });
});

test("a stop order has a trigger, a stop limit order a limit as well", () => {
  const stop = order({ type: "STOP_LOSS", price: null, stopPrice: 5_900_000n });
  expect(orderLines([stop], [], market, NONE)).toMatchObject([{ isTrigger: true, isDraggable: false }]);
  const limit = order({ type: "STOP_LOSS_LIMIT", stopPrice: 5_900_000n });
  expect(orderLines([limit], [], market, NONE).map(({ price }) => price)).toEqual([6_000_000n, 5_900_000n]);
});

test("lines of a list name it, and their prices stay", () => {
  const list = { id: 7, symbol: "BTCUSDT", kind: "OCO", orders: [], unseen: 0 };
  const [line] = orderLines([order({ orderListId: 7 })], [list], market, NONE);
  expect(line).toMatchObject({ list: { id: 7, kind: "OCO" }, isDraggable: false });
});
