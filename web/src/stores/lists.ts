// The account's open order lists: which orders belong together.
import { signal } from "@preact/signals";

export interface OrderList {
  readonly symbol: string;
  readonly orderListId: number;
  readonly contingencyType: string;
  readonly listOrderStatus: string;
  readonly orders: readonly { readonly symbol: string; readonly orderId: number; readonly clientOrderId: string }[];
  readonly timeMs: number;
}

/** An answer of the API. */
export interface ListAnswer {
  symbol: string;
  orderListId: number;
  contingencyType: string;
  listOrderStatus: string;
  transactionTime: number;
  orders: { symbol: string; orderId: number; clientOrderId: string }[];
}

/** `listStatus` */
export interface ListReport {
  s: string;
  g: number;
  c: string;
  L: string;
  T: number;
  O: { s: string; i: number; c: string }[];
}

/** By `orderListId`. */
export const openLists = signal<ReadonlyMap<number, OrderList>>(new Map());

export function listsRead(answers: readonly ListAnswer[]): void {
  const list = ({ transactionTime, ...answer }: ListAnswer): OrderList => ({ ...answer, timeMs: transactionTime });
  openLists.value = new Map(answers.map((answer) => [answer.orderListId, list(answer)]));
}

export function listReported({ s, g, c, L, T, O }: ListReport): void {
  const next = new Map(openLists.peek());
  const orders = O.map(({ s: symbol, i: orderId, c: clientOrderId }) => ({ symbol, orderId, clientOrderId }));
  if (L === "ALL_DONE" || L === "REJECT") next.delete(g);
  else next.set(g, { symbol: s, orderListId: g, contingencyType: c, listOrderStatus: L, orders, timeMs: T });
  openLists.value = next;
}

export function clearLists(): void {
  openLists.value = new Map();
}
