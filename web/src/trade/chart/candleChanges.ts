import type { Candle } from "../../stores/types";

/** First candle that differs from what is drawn; `null`: none does. `"all"`: the chart has to be drawn anew. */
export type Change = { readonly from: number } | "all" | null;

/**
 * What changed between two lists of candles. A candle is replaced when it changes, so the objects themselves are
 * compared, from the newest: an ordinary change touches one or two candles.
 */
export function candleChange(drawn: readonly Candle[], list: readonly Candle[]): Change {
  const common = Math.min(drawn.length, list.length);
  if (common === 0) return drawn.length === list.length ? null : "all";
  if (list.length < drawn.length || drawn[0] !== list[0]) return "all";
  let same = common;
  while (same > 0 && drawn[same - 1] !== list[same - 1]) same -= 1;
  // The chart appends and replaces its newest candle cheaply, but none before it.
  if (same < drawn.length - 1) return "all";
  // A change in the middle, as after a gap, leaves the newest candle as it was.
  for (let at = 0; at < same; at += 1) if (drawn[at] !== list[at]) return "all";
  return same === list.length ? null : { from: same };
}
