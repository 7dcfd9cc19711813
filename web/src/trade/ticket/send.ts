// The last step before an order leaves: asks where a warning applies, and sends.
import { signal } from "@preact/signals";
import { type Outcome, place, placeList } from "../../stores/actions";
import { book } from "../../stores/book";
import { lastSent } from "../../stores/orders";
import { warnings } from "../../stores/settings";
import type { ListDraft, Market } from "../../stores/types";
import { draftOf, entering, withOrderIds } from "./draft";
import { preview } from "./preview";
import type { ReadTicket } from "./rules";
import { meansOf, situationOf } from "./situation";
import { warningsOf } from "./warnings";

export interface Question {
  readonly read: ReadTicket;
  readonly market: Market;
  readonly warnings: readonly string[];
}

/** The list that was sent last. */
export interface SentList {
  readonly list: ListDraft;
  /** Client order ids of its orders. */
  readonly ids: readonly string[];
  /** `null` until the venue has answered. */
  readonly outcome: Outcome | null;
  /** The order that had been sent last before it: a later one takes its place. */
  readonly lastSent: string | null;
}

export const sentList = signal<SentList | null>(null);

/** What the person is being asked; `null`: nothing. */
export const question = signal<Question | null>(null);

/** Sends at once, or asks first. The ticket must be without a certain problem. */
export function send(read: ReadTicket, market: Market): void {
  const found = warningsFor(read, market);
  if (found.length === 0) sendNow(read, market);
  else question.value = { read, market, warnings: found };
}

export function sendNow(read: ReadTicket, market: Market): void {
  const draft = draftOf(read, market);
  if ("order" in draft) void place(draft.order);
  else void sendList(draft.list);
}

async function sendList(draft: ListDraft): Promise<void> {
  const { list, ids } = withOrderIds(draft, () => `web-${crypto.randomUUID().replaceAll("-", "").slice(0, 24)}`);
  const sending: SentList = { list, ids, outcome: null, lastSent: lastSent.peek() };
  sentList.value = sending;
  const outcome = await placeList(list);
  if (sentList.peek() === sending) sentList.value = { ...sending, outcome };
}

export function warningsFor(read: ReadTicket, market: Market): readonly string[] {
  const { last } = situationOf(market);
  const means = meansOf(market);
  const bounds = warnings.value;
  const found = entering(read).flatMap((order) =>
    warningsOf(order, preview(order, book, market, means), last, market, bounds),
  );
  return [...new Set(found)];
}
