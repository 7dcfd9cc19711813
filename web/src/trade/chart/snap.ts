import type { Scale } from "../../stores/types";

/** The allowed price nearest to a point of the chart, in units. */
export function snap(price: number, { decimals, step, min, max }: Scale): bigint {
  if (!Number.isFinite(price)) return min;
  const ticks = Math.round((price * 10 ** decimals) / Number(step));
  const snapped = BigInt(ticks) * step;
  if (snapped < min) return min;
  return max > 0n && snapped > max ? max : snapped;
}
