import { expect, test } from "vitest";
import { order } from "./fixtures";
import { linkedOrders } from "./linked";

const list = (orderListId: number, contingencyType: string, ids: number[]) => ({
  symbol: "BTCUSDT",
  orderListId,
  contingencyType,
  listOrderStatus: "EXECUTING",
  timeMs: 0,
  orders: ids.map((orderId) => ({ symbol: "BTCUSDT", orderId, clientOrderId: `${orderId}` })),
});

test("a list has its members, open and ended, as the venue lists them", () => {
  const open = [order({ key: "2", orderId: 2, orderListId: 7 })];
  const ended = [order({ key: "1", orderId: 1, orderListId: 7, state: "filled" })];
  const [linked] = linkedOrders([list(7, "OTO", [1, 2])], open, ended);
  expect(linked).toMatchObject({ kind: "OTO", unseen: 0 });
  expect(linked?.orders.map(({ orderId }) => orderId)).toEqual([1, 2]);
});

test("three orders of which one triggers are an OTOCO; members that were never seen are counted", () => {
  const linked = linkedOrders([list(7, "OCO", [1, 2]), list(8, "OTO", [3, 4, 5])], [], []);
  expect(linked.map(({ kind, unseen }) => `${kind} ${unseen}`)).toEqual(["OTOCO 3", "OCO 2"]);
});
