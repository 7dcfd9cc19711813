// Own orders in the rows of a ladder, those held under the pointer, and those that are on their way to another price.
import { isWorking, leftOf } from "../../stores/orderState";
import type { Order, Side } from "../../stores/types";

/** Orders of one side in one row, drawn as one capsule. */
export interface Capsule {
  readonly side: Side;
  readonly row: number;
  /** First come, first. */
  readonly orders: readonly Order[];
  readonly left: bigint;
  readonly filled: bigint;
  /** In front of the first of them; `null` where it is not known. */
  readonly ahead: bigint | null;
  /** Whether all of them work at the venue and no change is on its way. */
  readonly isSettled: boolean;
  /** `held`: kept under the pointer while the order itself is elsewhere or over. `ghost`: where it truly is, or will be. */
  readonly look: "true" | "held" | "ghost";
}

/** What the pointer rests on. */
export interface Hold {
  readonly side: Side;
  readonly row: number;
  readonly orders: readonly Order[];
}

/** The price at which an order shows: a stop order that waits shows where it triggers. */
export function shownPrice({ state, stopPrice, price }: Order): bigint | null {
  return state === "pending" || price === null ? (stopPrice ?? price) : price;
}

/**
 * Capsules of the orders. `moves`: prices that orders were dragged to and do not have yet, by key. A held capsule stays
 * in its row with the orders that were there, whatever became of them; where they are now stands a ghost. Of many
 * thousands only those within `rows` cost more than a look.
 */
export function capsulesOf(
  orders: readonly Order[],
  rowOf: (price: bigint, side: Side) => number,
  moves: ReadonlyMap<string, bigint>,
  hold: Hold | null,
  rows = Number.POSITIVE_INFINITY,
): Capsule[] {
  const capsules: Capsule[] = [];
  const heldKeys = new Set(hold?.orders.map(({ key }) => key));
  const byPlace = new Map<string, Order[]>();
  const put = (order: Order, row: number, look: Capsule["look"]) => {
    if (row < 0 || row >= rows) return;
    const place = `${order.side}/${row}/${look}`;
    const there = byPlace.get(place);
    if (there) there.push(order);
    else byPlace.set(place, [order]);
  };
  // Orders come newest first.
  for (let at = orders.length - 1; at >= 0; at--) {
    const order = orders[at] as Order;
    const price = shownPrice(order);
    if (price === null) continue;
    const row = rowOf(price, order.side);
    const target = moves.get(order.key);
    if (target !== undefined) put(order, rowOf(target, order.side), "ghost");
    if (!heldKeys.has(order.key)) put(order, row, "true");
    else if (row !== hold?.row) put(order, row, "ghost");
  }
  for (const [place, there] of byPlace) {
    const [side, row, look] = place.split("/") as [Side, string, Capsule["look"]];
    capsules.push(capsuleOf(side, Number(row), there, look));
  }
  if (hold) capsules.push(heldCapsule(hold, orders, rowOf));
  return capsules;
}

function heldCapsule(hold: Hold, orders: readonly Order[], rowOf: (price: bigint, side: Side) => number): Capsule {
  const now = hold.orders.map((held) => orders.find(({ key }) => key === held.key));
  const present = now.filter((order) => order !== undefined);
  const isThere = (order: Order) => rowOf(shownPrice(order) ?? 0n, order.side) === hold.row;
  const isTrue = present.length === hold.orders.length && present.every(isThere);
  // Orders that are over stay drawn as they were last, and a click on them does nothing.
  const drawn = present.length > 0 ? present : hold.orders;
  return capsuleOf(hold.side, hold.row, drawn, isTrue ? "true" : "held");
}

function capsuleOf(side: Side, row: number, orders: readonly Order[], look: Capsule["look"]): Capsule {
  let [left, filled] = [0n, 0n];
  let areSettled = true;
  for (const order of orders) {
    left += leftOf(order);
    filled += order.filled;
    areSettled &&= isWorking(order) && order.state !== "pending";
  }
  return { side, row, orders, left, filled, ahead: orders[0]?.ahead ?? null, isSettled: areSettled, look };
}
