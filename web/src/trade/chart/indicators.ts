// Averages over candles, as numbers: they are drawn, never traded on.
import { DAY_MS } from "./intervals";

/** A candle as the chart draws it. `time` in milliseconds. */
export interface Bar {
  readonly time: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
}

/** One value a bar; `null` until there are enough bars. */
export type Values = (number | null)[];

export function sma(bars: readonly Bar[], length: number): Values {
  let sum = 0;
  return bars.map(({ close }, at) => {
    sum += close - (at >= length ? (bars[at - length]?.close ?? 0) : 0);
    return at >= length - 1 ? sum / length : null;
  });
}

/** Begins with the simple average of the first `length` bars. */
export function ema(bars: readonly Bar[], length: number): Values {
  const weight = 2 / (length + 1);
  let sum = 0;
  let average = 0;
  return bars.map(({ close }, at) => {
    if (at < length) {
      sum += close;
      average = sum / length;
    } else {
      average += weight * (close - average);
    }
    return at >= length - 1 ? average : null;
  });
}

/** Volume-weighted average of the typical price since the day (UTC) began. */
export function vwap(bars: readonly Bar[]): Values {
  let day = Number.NaN;
  let volume = 0;
  let turnover = 0;
  return bars.map((bar) => {
    const barDay = Math.floor(bar.time / DAY_MS);
    if (barDay !== day) {
      day = barDay;
      volume = 0;
      turnover = 0;
    }
    volume += bar.volume;
    turnover += ((bar.high + bar.low + bar.close) / 3) * bar.volume;
    return volume > 0 ? turnover / volume : null;
  });
}
