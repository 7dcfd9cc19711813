// The account's open order lists: which orders belong together.
import { signal } from "@preact/signals";
import type { ListInfo, ListStatusEvent } from "../api/types";

export interface OrderList {
  readonly symbol: string;
  readonly orderListId: number;
  readonly contingencyType: string;
  readonly listOrderStatus: string;
  readonly orders: readonly { readonly symbol: string; readonly orderId: number; readonly clientOrderId: string }[];
  readonly timeMs: number;
}

/** By `orderListId`. */
export const openLists = signal<ReadonlyMap<number, OrderList>>(new Map());

export function listsRead(answers: readonly ListInfo[]): void {
  const list = ({ transactionTime, ...answer }: ListInfo): OrderList => ({ ...answer, timeMs: transactionTime });
  openLists.value = new Map(answers.map((answer) => [answer.orderListId, list(answer)]));
}

export function listReported({ s, g, c, L, T, O }: ListStatusEvent): void {
  const next = new Map(openLists.peek());
  const orders = O.map(({ s: symbol, i: orderId, c: clientOrderId }) => ({ symbol, orderId, clientOrderId }));
  if (L === "ALL_DONE" || L === "REJECT") next.delete(g);
  else next.set(g, { symbol: s, orderListId: g, contingencyType: c, listOrderStatus: L, orders, timeMs: T });
  openLists.value = next;
}

export function clearLists(): void {
  openLists.value = new Map();
}
