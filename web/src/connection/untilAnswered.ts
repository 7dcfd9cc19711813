// Questions that a page cannot do without are asked until they are answered.
import { nextOpen } from "./api";

const WAIT_MS = [250, 500, 1_000, 2_000, 4_000, 8_000];

/**
 * The answer of `ask`, which is asked again after a failure: with the next connection, and otherwise less and less often.
 * `null` once `signal` is aborted, because the answer is not wanted any more.
 */
export async function untilAnswered<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T | null> {
  for (let failures = 0; !signal.aborted; failures += 1) {
    try {
      const answer = await ask();
      return signal.aborted ? null : answer;
    } catch {
      // The panel says meanwhile that it is catching up.
      await pause(WAIT_MS[Math.min(failures, WAIT_MS.length - 1)] ?? 0, signal);
    }
  }
  return null;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      forget();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    const forget = nextOpen(end);
    signal.addEventListener("abort", end);
  });
}
