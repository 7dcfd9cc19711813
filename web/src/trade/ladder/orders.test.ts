import { describe, expect, test } from "vitest";
import type { Order, Side } from "../../stores/types";
import { capsulesOf, type Hold } from "./orders";

const rowOf = (price: bigint, _side: Side): number => Number(100n - price);
const none = new Map<string, bigint>();

function order(key: string, price: bigint, rest: Partial<Order> = {}): Order {
  return {
    key,
    symbol: "BTCUSDT",
    clientOrderId: key,
    orderId: 1,
    orderListId: -1,
    side: "BUY",
    type: "LIMIT",
    timeInForce: "GTC",
    price,
    stopPrice: null,
    trailingDelta: null,
    qty: 10n,
    quoteQty: null,
    icebergQty: null,
    isHidden: false,
    filled: 0n,
    filledQuote: 0n,
    ahead: null,
    state: "accepted",
    change: null,
    reason: null,
    createdMs: 0,
    updatedMs: 0,
    ...rest,
  };
}

const shown = (orders: readonly Order[], hold: Hold | null = null, moves = none) =>
  capsulesOf(orders, rowOf, moves, hold).map(({ row, look, left, isSettled }) => ({ row, look, left, isSettled }));

describe("capsules", () => {
  test("orders of a side at a price are one, with the place of the first", () => {
    const newestFirst = [order("b", 90n, { filled: 4n, ahead: 9n }), order("a", 90n, { ahead: 2n })];
    const [capsule, ...rest] = capsulesOf(newestFirst, rowOf, none, null);
    expect(rest).toEqual([]);
    expect(capsule).toMatchObject({ row: 10, left: 16n, filled: 4n, ahead: 2n, isSettled: true, look: "true" });
  });

  test("sides stay apart", () => {
    expect(shown([order("a", 90n), order("b", 90n, { side: "SELL" })])).toHaveLength(2);
  });

  test("what is sent, unknown, waiting or changing is not settled", () => {
    for (const rest of [
      { state: "sent" },
      { state: "unknown" },
      { state: "pending" },
      { change: "amending" },
    ] as const) {
      expect(shown([order("a", 90n, rest)])).toMatchObject([{ isSettled: false }]);
    }
    expect(shown([order("a", 90n, { state: "part-filled" })])).toMatchObject([{ isSettled: true }]);
  });

  test("a stop order that waits is where it triggers; a market order is nowhere", () => {
    const waiting = order("a", 80n, { state: "pending", stopPrice: 95n });
    expect(shown([waiting])).toMatchObject([{ row: 5 }]);
    expect(capsulesOf([order("a", 0n, { price: null })], rowOf, none, null)).toEqual([]);
  });

  test("orders outside of the rows are left out", () => {
    const orders = [order("a", 101n), order("b", 100n), order("c", 98n), order("d", 97n)];
    expect(capsulesOf(orders, rowOf, none, null, 3).map(({ row }) => row)).toEqual([2, 0]);
  });

  test("a price that is asked for has a ghost, the order stays where it is", () => {
    const moves = new Map([["a", 85n]]);
    expect(shown([order("a", 90n)], null, moves)).toMatchObject([
      { row: 15, look: "ghost" },
      { row: 10, look: "true" },
    ]);
  });
});

describe("an order under the pointer", () => {
  const hold: Hold = { side: "BUY", row: 10, orders: [order("a", 90n)] };

  test("is as it is while it stays", () => {
    expect(shown([order("a", 90n)], hold)).toMatchObject([{ row: 10, look: "true" }]);
  });

  test("stays there when it moves; a ghost marks where it is", () => {
    expect(shown([order("a", 95n)], hold)).toMatchObject([
      { row: 5, look: "ghost" },
      { row: 10, look: "held" },
    ]);
  });

  test("stays drawn when it is over", () => {
    expect(shown([], hold)).toMatchObject([{ row: 10, look: "held", left: 10n }]);
  });

  test("does not become another one that arrives in its row", () => {
    const capsules = capsulesOf([order("b", 90n), order("a", 95n)], rowOf, none, hold);
    const held = capsules.find(({ look }) => look === "held");
    expect(held?.orders.map(({ key }) => key)).toEqual(["a"]);
  });
});
