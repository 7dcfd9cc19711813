// The account's orders over all markets: what the venue reported, and what this page has sent and not heard of yet.
import { batch, computed, signal } from "@preact/signals";
import type { ExecutionReport, OrderAnswer, OrderInfo } from "../api/types";
import { format, units } from "../numbers/decimal";
import { batched } from "./batched";
import { chosen, markets } from "./markets";
import { isOver } from "./orderState";
import type { Market, Order, OrderState, Side } from "./types";

const ENDED_KEPT = 1_000;
const OVER_KEPT = 20_000;
/** Tables of more rows are made anew less often. */
const MANY = 500;
/** Most answers come sooner: to render an order as sent, too, would only keep the page from seeing its answer. */
const SENT_SHOWN_AFTER_MS = 30;

const open = new Map<string, Order>();
const keyOfId = new Map<string, string>();
let ended: readonly Order[] = [];
/** Ids of orders that ended: whatever is read or reported late, they are not open again. */
const over = new Set<string>();
let sentLast: string | null = null;
let showsSent: ReturnType<typeof setTimeout> | undefined;

/** Newest first, all markets. */
export const openOrders = signal<readonly Order[]>([]);
/** Those that ended since the page was opened, last one first. */
export const recentOrders = signal<readonly Order[]>([]);
export const ordersOfChosen = computed(() => openOrders.value.filter(({ symbol }) => symbol === chosen.value));
/** The last order that this page sent. */
export const lastSent = signal<string | null>(null);
export const lastSentOrder = computed(() => {
  const key = lastSent.value;
  const has = (order: Order) => order.key === key;
  return openOrders.value.find(has) ?? recentOrders.value.find(has) ?? null;
});

const publish = batched(
  () => {
    clearTimeout(showsSent);
    batch(() => {
      openOrders.value = [...open.values()].reverse();
      recentOrders.value = ended;
      lastSent.value = sentLast;
    });
  },
  () => (open.size > MANY ? 100 : 0),
);

export function ordersOf(filter: { symbol?: string; side?: Side }): readonly Order[] {
  const { symbol, side } = filter;
  const fits = (order: Order) => (symbol ?? order.symbol) === order.symbol && (side ?? order.side) === order.side;
  return [...open.values()].filter(fits);
}

export const orderByKey = (key: string): Order | undefined => open.get(key) ?? ended.find((order) => order.key === key);

/** An order that has left this page now. It is known at once, and shown with its answer if that comes soon. */
export function addSent(order: Order): void {
  // One that is sent again has been given up before.
  ended = ended.filter(({ key }) => key !== order.key);
  open.set(order.key, order);
  sentLast = order.key;
  clearTimeout(showsSent);
  showsSent = setTimeout(publish, SENT_SHOWN_AFTER_MS);
}

/** The venue has it under another key. */
export function sentAs(key: string, knownAs: string): void {
  if (sentLast !== key) return;
  sentLast = knownAs;
  publish();
}

/** Changes what the page knows of an order, if it is still open. */
export function change(key: string, to: Partial<Order>): void {
  const order = open.get(key);
  if (!order) return;
  put({ ...order, ...to });
}

/** All open orders as the venue has them now; those that this page waits for stay. */
export function replaceOpen(answers: readonly OrderAnswer[]): void {
  const before = new Map(open);
  open.clear();
  keyOfId.clear();
  for (const answer of answers) answered(answer, before);
  for (const [key, order] of before) {
    if (order.orderId === null && !open.has(key)) open.set(key, order);
  }
  publish();
}

/** Takes over an order from an answer; returns it. */
export function answered(answer: OrderAnswer, before: ReadonlyMap<string, Order> = open): Order | null {
  const market = markets.peek().get(answer.symbol);
  if (!market) return null;
  const key = keyFor(answer.symbol, answer.orderId, answer.clientOrderId, before);
  const known = before.get(key);
  const atMs = answer.updateTime ?? answer.transactTime ?? Date.now();
  const filled = units(answer.executedQty, market.qty.decimals);
  // A report may have come before the answer, and know more.
  if (known && known.orderId !== null && (known.filled > filled || known.updatedMs > atMs)) return known;
  const order: Order = {
    key,
    symbol: answer.symbol,
    clientOrderId: answer.clientOrderId,
    orderId: answer.orderId,
    orderListId: answer.orderListId,
    side: answer.side,
    type: answer.type,
    timeInForce: answer.timeInForce,
    price: positive(answer.price, market.price.decimals),
    stopPrice: positive(answer.stopPrice, market.price.decimals),
    trailingDelta: answer.trailingDelta ?? null,
    qty: positive(answer.origQty, market.qty.decimals),
    quoteQty: positive(answer.origQuoteOrderQty, market.quoteDecimals),
    icebergQty: positive(answer.icebergQty, market.qty.decimals),
    isHidden: answer.hidden ?? false,
    filled,
    filledQuote: units(answer.cummulativeQuoteQty, market.quoteDecimals),
    ahead: answer.aheadQty ? units(answer.aheadQty, market.qty.decimals) : (known?.ahead ?? null),
    state: stateOf(answer.status, filled),
    change: null,
    reason: answer.expiryReason ? sentenceOf(answer.expiryReason) : null,
    createdMs: answer.time ?? answer.transactTime ?? known?.createdMs ?? atMs,
    updatedMs: atMs,
  };
  put(order);
  return order;
}

/** Takes over an `executionReport`. */
export function reported(report: ExecutionReport): void {
  const market = markets.peek().get(report.s);
  if (!market) return;
  // A cancel has an id of its own; the order's is then in `C`.
  const clientOrderId = report.x === "CANCELED" && report.C !== "" ? report.C : report.c;
  const key = keyFor(report.s, report.i, clientOrderId, open);
  const filled = units(report.z, market.qty.decimals);
  const known = open.get(key);
  const isRefused = report.x === "REJECTED";
  put({
    key,
    symbol: report.s,
    clientOrderId,
    orderId: report.i,
    orderListId: report.g,
    side: report.S,
    type: report.o,
    timeInForce: report.f,
    price: positive(report.p, market.price.decimals),
    stopPrice: positive(report.P, market.price.decimals),
    trailingDelta: report.d ?? null,
    qty: positive(report.q, market.qty.decimals),
    quoteQty: positive(report.Q, market.quoteDecimals),
    icebergQty: positive(report.F, market.qty.decimals),
    isHidden: report.hidden ?? false,
    filled,
    filledQuote: units(report.Z, market.quoteDecimals),
    ahead: known?.ahead ?? null,
    state: isRefused ? "rejected" : stateOf(report.X, filled),
    change: report.x === "TRADE" ? (known?.change ?? null) : null,
    reason: isRefused && report.r !== "NONE" ? sentenceOf(report.r) : reasonOfEnd(report),
    createdMs: report.O,
    updatedMs: report.T,
  });
}

/** Quantities that trade ahead, by `SYMBOL/order id`. */
export function queued(answers: readonly OrderInfo[]): void {
  let hasChanged = false;
  for (const { symbol, orderId, aheadQty } of answers) {
    const key = keyOfId.get(idKey(symbol, orderId));
    const order = key === undefined ? undefined : open.get(key);
    const market = markets.peek().get(symbol);
    if (!order || !market || aheadQty === undefined) continue;
    const ahead = aheadQty === null ? null : units(aheadQty, market.qty.decimals);
    if (ahead === order.ahead) continue;
    open.set(order.key, { ...order, ahead });
    hasChanged = true;
  }
  if (hasChanged) publish();
}

/** Nobody is signed in any more. */
export function clearOrders(): void {
  open.clear();
  keyOfId.clear();
  ended = [];
  over.clear();
  sentLast = null;
  publish();
}

function put(order: Order): void {
  const id = order.orderId === null ? null : idKey(order.symbol, order.orderId);
  if (isOver(order)) {
    open.delete(order.key);
    if (id !== null) {
      keyOfId.delete(id);
      over.add(id);
      const [oldest] = over;
      if (over.size > OVER_KEPT && oldest !== undefined) over.delete(oldest);
    }
    ended = [order, ...ended.filter(({ key }) => key !== order.key)].slice(0, ENDED_KEPT);
  } else if (id !== null && over.has(id)) {
    // What this page had sent under this key is that order.
    open.delete(order.key);
  } else {
    if (id !== null) keyOfId.set(id, order.key);
    open.set(order.key, order);
  }
  publish();
}

/** The key under which an order is known; one that this page sent is known by its client order id at first. */
function keyFor(symbol: string, orderId: number, clientOrderId: string, before: ReadonlyMap<string, Order>): string {
  const byId = keyOfId.get(idKey(symbol, orderId));
  if (byId !== undefined) return byId;
  const sent = `${symbol}/${clientOrderId}`;
  const known = before.get(sent);
  if (known && (known.orderId === null || known.orderId === orderId)) return sent;
  const done = ended.find((order) => order.symbol === symbol && order.orderId === orderId);
  return done?.key ?? idKey(symbol, orderId);
}

const idKey = (symbol: string, orderId: number): string => `${symbol}#${orderId}`;

function positive(text: string | null | undefined, decimals: number): bigint | null {
  const value = text == null ? 0n : units(text, decimals);
  return value === 0n ? null : value;
}

function stateOf(status: string, filled: bigint): OrderState {
  switch (status) {
    case "NEW":
    case "PENDING_CANCEL":
      return filled > 0n ? "part-filled" : "accepted";
    case "PENDING_NEW":
      return "pending";
    case "PARTIALLY_FILLED":
      return "part-filled";
    case "FILLED":
      return "filled";
    case "CANCELED":
      return "canceled";
    case "REJECTED":
      return "rejected";
    default:
      return "expired";
  }
}

function reasonOfEnd({ X, expiryReason }: ExecutionReport): string | null {
  if (X === "EXPIRED_IN_MATCH") return "It would have traded with an order of its own account or group.";
  if (expiryReason !== undefined) return sentenceOf(expiryReason);
  return null;
}

/** `INSUFFICIENT_LIQUIDITY` as words. */
function sentenceOf(name: string): string {
  const words = name
    .replace(/_/g, " ")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase();
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

/** Words for an order, such as `BUY 0.5 BTC at 60000.00`. */
export function orderWords(order: Order, market: Market | undefined = markets.peek().get(order.symbol)): string {
  if (!market) return `${order.side} ${order.symbol}`;
  const amount =
    order.qty !== null
      ? `${format(order.qty, market.qty.decimals)} ${market.base}`
      : `${market.base} for ${format(order.quoteQty ?? 0n, market.quoteDecimals)} ${market.quote}`;
  const at = order.price === null ? "" : ` at ${format(order.price, market.price.decimals)}`;
  return `${order.side} ${amount}${at}`;
}
