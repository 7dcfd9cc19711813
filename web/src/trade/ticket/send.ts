// The last step before an order leaves: asks where a warning applies, and sends.
import { signal } from "@preact/signals";
import { place, placeList } from "../../stores/actions";
import { book } from "../../stores/book";
import { warnings } from "../../stores/settings";
import type { Market } from "../../stores/types";
import { draftOf, entering } from "./draft";
import { preview } from "./preview";
import type { ReadTicket } from "./rules";
import { meansOf, situationOf } from "./situation";
import { warningsOf } from "./warnings";

export interface Question {
  readonly read: ReadTicket;
  readonly market: Market;
  readonly warnings: readonly string[];
}

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
  void ("order" in draft ? place(draft.order) : placeList(draft.list));
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
