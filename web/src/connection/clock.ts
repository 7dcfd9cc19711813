// The venue's time. A machine's clock may be off by minutes; what the page signs and counts down follows the venue.
import { signal } from "@preact/signals";
import { request, whenOpen } from "./api";

const ASK_EVERY_MS = 60_000;

/** Milliseconds that this machine's clock is behind the venue's. */
export const clockBehindMs = signal(0);
/** Milliseconds to the venue and back, without any work there. */
export const netMs = signal<number | null>(null);

export function venueNow(): number {
  return Date.now() + clockBehindMs.peek();
}

export function followClock(): void {
  whenOpen(ask);
  setInterval(ask, ASK_EVERY_MS);
}

async function ask(): Promise<void> {
  const [sentMs, begun] = [Date.now(), performance.now()];
  const answer = await request<{ serverTime: number }>("time").catch(() => null);
  if (answer === null) return;
  const tookMs = performance.now() - begun;
  netMs.value = tookMs;
  clockBehindMs.value = Math.round(answer.serverTime - (sentMs + tookMs / 2));
}
