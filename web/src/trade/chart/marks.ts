import type { Fill, Side } from "../../stores/types";

/** Own fills of one side within one candle, drawn as one mark. */
export interface Mark {
  readonly candleMs: number;
  readonly side: Side;
  /** Average, in units of the price. */
  readonly price: bigint;
  readonly qty: bigint;
  readonly count: number;
}

/** Marks of the chart for `fills` (newest first) since `fromMs`, oldest first, at most `most` of them. */
export function fillMarks(
  fills: readonly Fill[],
  symbol: string,
  lengthMs: number,
  fromMs: number,
  most = 400,
): Mark[] {
  const marks = new Map<string, { mark: Mark; turnover: bigint }>();
  for (const fill of fills) {
    if (fill.timeMs < fromMs) break;
    if (fill.symbol !== symbol || fill.isBusted || fill.qty === 0n) continue;
    const candleMs = Math.floor(fill.timeMs / lengthMs) * lengthMs;
    const key = `${candleMs} ${fill.side}`;
    const known = marks.get(key);
    if (!known && marks.size === most) break;
    const turnover = (known?.turnover ?? 0n) + fill.price * fill.qty;
    const qty = (known?.mark.qty ?? 0n) + fill.qty;
    const count = (known?.mark.count ?? 0) + 1;
    marks.set(key, { mark: { candleMs, side: fill.side, price: turnover / qty, qty, count }, turnover });
  }
  return [...marks.values()].map(({ mark }) => mark).sort((a, b) => a.candleMs - b.candleMs);
}
