import { computed } from "@preact/signals";
import { type OrderList, openLists } from "../../stores/lists";
import { openOrders, recentOrders } from "../../stores/orders";
import type { Order } from "../../stores/types";

/** A list of orders with what is known of its members. */
export interface Linked {
  readonly id: number;
  readonly symbol: string;
  /** `OCO`, `OTO`, `OTOCO`, or what else the venue calls it. */
  readonly kind: string;
  /** As the venue lists them; without those that this page has never seen. */
  readonly orders: readonly Order[];
  /** Members that ended before this page was opened. */
  readonly unseen: number;
}

/** The account's open lists. Empty ones cost nothing, however many orders there are. */
export const linkedLists = computed(() =>
  openLists.value.size === 0 ? [] : linkedOrders(openLists.value.values(), openOrders.value, recentOrders.value),
);

/** Newest first. */
export function linkedOrders(
  lists: Iterable<OrderList>,
  open: readonly Order[],
  ended: readonly Order[],
): readonly Linked[] {
  const members = new Map<string, Order>();
  for (const orders of [ended, open]) {
    for (const order of orders) if (order.orderListId >= 0) members.set(`${order.symbol}#${order.orderId}`, order);
  }
  return [...lists]
    .map(({ symbol, orderListId, contingencyType, orders }) => {
      const known = orders
        .map(({ orderId }) => members.get(`${symbol}#${orderId}`))
        .filter((order) => order !== undefined);
      const kind = contingencyType === "OTO" && orders.length === 3 ? "OTOCO" : contingencyType;
      return { id: orderListId, symbol, kind, orders: known, unseen: orders.length - known.length };
    })
    .sort((a, b) => b.id - a.id);
}
