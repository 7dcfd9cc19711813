import { expect, test } from "vitest";
import type { Candle } from "../../stores/types";
import { candleChange } from "./candleChanges";

const candle = (openMs: number): Candle => ({ openMs, open: 1n, high: 1n, low: 1n, close: 1n, volume: 0n });
const [a, b, c, d] = [candle(0), candle(1), candle(2), candle(3)] as const;

test("nothing is drawn where nothing changed", () => {
  expect(candleChange([], [])).toBeNull();
  expect(candleChange([a, b], [a, b])).toBeNull();
});

test("a newest candle that changed or came is drawn alone", () => {
  expect(candleChange([a, b], [a, candle(1)])).toEqual({ from: 1 });
  expect(candleChange([a, b], [a, b, c])).toEqual({ from: 2 });
  expect(candleChange([a, b], [a, candle(1), c, d])).toEqual({ from: 1 });
});

test("all is drawn after a change further back, older candles, or another market", () => {
  expect(candleChange([a, b, c], [a, candle(1), c])).toBe("all");
  expect(candleChange([a, b, c, d], [a, candle(1), c, candle(3)])).toBe("all");
  expect(candleChange([b, c], [a, b, c])).toBe("all");
  expect(candleChange([a, b], [])).toBe("all");
  expect(candleChange([], [a])).toBe("all");
});
