// What happened to each order while this page was open.
import { effect } from "@preact/signals";
import { format } from "../../numbers/decimal";
import { venueNow } from "../../stores/link";
import { markets } from "../../stores/markets";
import { isOver } from "../../stores/orderState";
import { openOrders, recentOrders } from "../../stores/orders";
import type { Market, Order } from "../../stores/types";
import { typeWords } from "./words";

export interface LifeEvent {
  /** By the venue's clock. */
  readonly timeMs: number;
  readonly text: string;
}

/** Orders of which more is kept than the stores have. */
const SPARE = 2_000;

const lives = new Map<string, { order: Order; events: LifeEvent[] }>();

/** Begins to write down what changes; the returned function ends it. */
export function followLives(): () => void {
  return effect(() => {
    const [open, ended] = [openOrders.value, recentOrders.value];
    if (open.length === 0 && ended.length === 0) lives.clear();
    for (const orders of [ended, open]) for (const order of orders) note(order);
    if (lives.size > open.length + ended.length + SPARE) forgetOthers(open, ended);
  });
}

/** Oldest first; without the fills, which the fills store has. */
export function lifeOf(key: string): readonly LifeEvent[] {
  return lives.get(key)?.events ?? [];
}

function note(order: Order): void {
  const known = lives.get(order.key);
  if (known?.order === order) return;
  const events = eventsBetween(known?.order ?? null, order, markets.peek().get(order.symbol), venueNow());
  if (known) {
    known.events.push(...events);
    known.order = order;
  } else {
    lives.set(order.key, { order, events });
  }
}

function forgetOthers(open: readonly Order[], ended: readonly Order[]): void {
  const kept = new Set([...open, ...ended].map(({ key }) => key));
  for (const key of lives.keys()) if (!kept.has(key)) lives.delete(key);
}

/** What happened between two states of an order; `before` is `null` for one that was not known. */
export function eventsBetween(
  before: Order | null,
  after: Order,
  market: Market | undefined,
  nowMs: number,
): LifeEvent[] {
  const events: LifeEvent[] = [];
  const add = (timeMs: number, text: string) => events.push({ timeMs, text });
  if (before === null) {
    if (after.state === "sent") add(after.createdMs, `Sent: ${after.side} ${typeWords(after.type).toLowerCase()}`);
    else
      add(after.createdMs, after.state === "pending" ? "Accepted, waits for another order" : "Accepted by the venue");
  } else {
    if (before.change !== "amending" && after.change === "amending") add(nowMs, "Change sent");
    if (before.change !== "canceling" && after.change === "canceling") add(nowMs, "Cancel sent");
    const changed = market ? changes(before, after, market) : [];
    if (changed.length > 0) add(after.updatedMs, `Amended: ${changed.join(", ")}`);
    else if (before.change === "amending" && after.change === null && after.state === before.state) {
      add(nowMs, "Change answered without effect");
    } else if (before.change === "canceling" && after.change === null && after.state === before.state) {
      add(nowMs, "Cancel answered without effect");
    }
    if (isUnanswered(before) && !isUnanswered(after) && !isOver(after)) add(after.updatedMs, "Accepted by the venue");
    else if (before.state === "pending" && after.state === "accepted") add(after.updatedMs, "Began to work");
  }
  if (after.state !== before?.state) {
    if (after.state === "unknown") add(nowMs, "No answer in time: the venue is asked for it");
    if (isOver(after)) add(after.updatedMs, endOf(after));
  }
  return events;
}

function changes(before: Order, after: Order, { price, qty }: Market): string[] {
  const changed = [];
  const text = (value: bigint | null, decimals: number) => (value === null ? "none" : format(value, decimals));
  // The venue's first answer completes what this page could not know.
  if (before.orderId === null) return [];
  if (before.price !== after.price) {
    changed.push(`price ${text(before.price, price.decimals)} → ${text(after.price, price.decimals)}`);
  }
  if (before.qty !== after.qty) {
    changed.push(`quantity ${text(before.qty, qty.decimals)} → ${text(after.qty, qty.decimals)}`);
  }
  return changed;
}

function endOf({ state, reason }: Order): string {
  const word = { filled: "Filled", canceled: "Canceled", expired: "Expired", rejected: "Rejected" }[state as "filled"];
  return reason === null ? word : `${word}: ${reason}`;
}

const isUnanswered = ({ state }: Order) => state === "sent" || state === "unknown";
