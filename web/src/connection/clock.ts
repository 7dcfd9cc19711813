// The venue's time. A machine's clock may be off by minutes; what the page signs and counts down follows the venue.
import { signal } from "@preact/signals";
import type { ServerTime } from "../api/types";
import { request, whenOpen } from "./api";
import { Latest } from "./latest";
import { untilAnswered } from "./untilAnswered";

const SETTLED_MS = 3_000;
const ASK_EVERY_MS = 60_000;
/** The quickest of so many answers: the others waited for something else than the way. */
const WAYS_KEPT = 8;

/** Milliseconds that this machine's clock is behind the venue's. */
export const clockBehindMs = signal(0);
/** Milliseconds to the venue and back, without any work there. */
export const netMs = signal<number | null>(null);
let ways: readonly number[] = [];

export function venueNow(): number {
  return Date.now() + clockBehindMs.peek();
}

const asks = new Latest();
let setKnown = () => {};
/** Resolves with the venue's first answer: a time that is signed before may be refused. */
export const clockKnown = new Promise<void>((resolve) => {
  setKnown = resolve;
});

export function followClock(): void {
  whenOpen(() => {
    void untilAnswered(measureClock, asks.begin());
    // The first answer waits for all that the page asks for at its beginning.
    setTimeout(refresh, SETTLED_MS);
  });
  setInterval(refresh, ASK_EVERY_MS);
}

export async function measureClock(): Promise<void> {
  const [sentMs, begun] = [Date.now(), performance.now()];
  const { serverTime } = await request<ServerTime>("time");
  const tookMs = performance.now() - begun;
  ways = [...ways, tookMs].slice(-WAYS_KEPT);
  netMs.value = Math.min(...ways);
  clockBehindMs.value = Math.round(serverTime - (sentMs + tookMs / 2));
  setKnown();
}

/** One that fails leaves the clock as it was. */
function refresh(): void {
  measureClock().catch(() => {});
}
