import { expect, test } from "vitest";
import { type Bar, ema, sma, vwap } from "./indicators";
import { DAY_MS } from "./intervals";

const bars = (...closes: number[]): Bar[] =>
  closes.map((close, at) => ({ time: at * 60_000, open: close, high: close, low: close, close, volume: 1 }));

test("a simple average moves with its last bars", () => {
  expect(sma(bars(1, 2, 3, 4), 2)).toEqual([null, 1.5, 2.5, 3.5]);
  expect(sma(bars(1), 2)).toEqual([null]);
});

test("an exponential average begins as a simple one, and weighs the newest bar with 2 / (length + 1)", () => {
  expect(ema(bars(1, 3, 5), 3)).toEqual([null, null, 3]);
  expect(ema(bars(1, 3, 5, 7), 3)).toEqual([null, null, 3, 5]);
});

test("the volume-weighted average begins anew with each day in UTC", () => {
  const bar = (time: number, price: number, volume: number): Bar => ({
    time,
    open: price,
    high: price,
    low: price,
    close: price,
    volume,
  });
  const values = vwap([bar(0, 10, 0), bar(1, 10, 1), bar(2, 20, 3), bar(DAY_MS, 50, 2)]);
  expect(values).toEqual([null, 10, 17.5, 50]);
});
