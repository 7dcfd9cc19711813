/**
 * Calls `publish` soon after any number of calls: at once where that is cheap, otherwise at most once in `everyMs`.
 * Tables are made anew as a whole, so each publication costs as much as they have rows.
 */
export function batched(publish: () => void, everyMs: () => number): () => void {
  let lastMs = Number.NEGATIVE_INFINITY;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const run = () => {
    timer = undefined;
    lastMs = performance.now();
    publish();
  };
  return () => {
    if (timer !== undefined) return;
    const waitMs = lastMs + everyMs() - performance.now();
    if (waitMs <= 0) run();
    else timer = setTimeout(run, waitMs);
  };
}
