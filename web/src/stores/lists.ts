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
  openLists.value = new Map(answers.map((answer) => [answer.orderListId, listOf(answer)]));
}

/** One list as the venue has it now. */
export function listRead(answer: ListInfo): void {
  put(listOf(answer));
}

export function listReported({ s, g, c, L, T, O }: ListStatusEvent): void {
  const orders = O.map(({ s: symbol, i: orderId, c: clientOrderId }) => ({ symbol, orderId, clientOrderId }));
  put({ symbol: s, orderListId: g, contingencyType: c, listOrderStatus: L, orders, timeMs: T });
}

function put(list: OrderList): void {
  const next = new Map(openLists.peek());
  const { orderListId, listOrderStatus } = list;
  if (listOrderStatus === "ALL_DONE" || listOrderStatus === "REJECT") next.delete(orderListId);
  else next.set(orderListId, list);
  openLists.value = next;
}

const listOf = ({ transactionTime, ...answer }: ListInfo): OrderList => ({ ...answer, timeMs: transactionTime });

export function clearLists(): void {
  openLists.value = new Map();
}
