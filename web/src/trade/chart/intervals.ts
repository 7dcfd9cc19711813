import type { Interval } from "../../stores/candles";

/** Lengths of candles, in milliseconds. All begin at a multiple of their length in UTC. */
export const LENGTH_MS: Readonly<Record<Interval, number>> = {
  "1s": 1_000,
  "1m": 60_000,
  "5m": 300_000,
  "15m": 900_000,
  "1h": 3_600_000,
  "4h": 14_400_000,
  "1d": 86_400_000,
};

export const DAY_MS = LENGTH_MS["1d"];
