// How well this page is connected, and how long its orders take.
import { computed, signal } from "@preact/signals";
import { apiLink } from "../connection/api";
import { clockBehindMs, netMs, venueNow } from "../connection/clock";
import { streamLink } from "../connection/streams";
import { accountFreshness } from "./account";
import { bookFreshness } from "./book";
import { worstOf } from "./freshness";
import type { Freshness } from "./types";

const KEPT = 1_000;
const tookMs = signal<readonly number[]>([]);

/** The worst of all links. */
export const connection = computed<Freshness>(() => {
  const isDown = apiLink.state.value !== "live" || streamLink.state.value !== "live";
  return worstOf(isDown ? "stale" : "live", accountFreshness.value, bookFreshness.value);
});

/** Of own orders: milliseconds from the click to the answer; `venueMs` is what the way to the venue does not explain. */
export const roundTrip = computed(() => {
  const all = tookMs.value;
  const lastMs = all.at(-1);
  if (lastMs === undefined) return null;
  const sorted = [...all].sort((left, right) => left - right);
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? lastMs;
  const venueMs = netMs.value === null ? null : Math.max(0, lastMs - netMs.value);
  return { lastMs, p50Ms: at(0.5), p99Ms: at(0.99), venueMs };
});

/** An own order was answered after so many milliseconds. */
export function answered(ms: number): void {
  tookMs.value = [...tookMs.peek(), ms].slice(-KEPT);
}

export { clockBehindMs, netMs, venueNow };
