import fc from "fast-check";
import { expect, test } from "vitest";
import type { Market } from "../../stores/types";
import { costWords, priceAt, rangeOf } from "./view";

const market = {
  base: "BTC",
  quote: "USDT",
  price: { decimals: 2, step: 5n, min: 5n, max: 0n },
  qty: { decimals: 3, step: 1n, min: 1n, max: 0n },
} as Market;

const book = {
  bids: [
    { price: 9_900n, qty: 1_000n },
    { price: 9_000n, qty: 1_000n },
  ],
  asks: [
    { price: 10_000n, qty: 1_000n },
    { price: 10_100n, qty: 3_000n },
  ],
};

test("a range has the market in its middle, and all of a small book", () => {
  const range = rangeOf(book, market, 100n);
  expect(range).toEqual({ low: 8_950n, high: 10_950n });
  expect(rangeOf({ bids: [], asks: [] }, market, 100n)).toBe(null);
});

test("a price of the picture is on a tick and within half a tick of its place", () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (part) => {
      const range = { low: 1_001n, high: 99_999n };
      const price = priceAt(range, part, market);
      expect(price % 5n).toBe(0n);
      expect(Math.abs(Number(price - range.low) - part * 98_998)).toBeLessThanOrEqual(3.1);
    }),
  );
});

test("cost says size, money, average and distance", () => {
  expect(costWords(book, 10_100n, market)).toBe(
    "Buy all to 101.00: 4 BTC for 403.00 USDT; average 100.75, 0.75 (0.75 %) off the best price",
  );
  expect(costWords(book, 9_500n, market)).toBe(
    "Sell all to 95.00: 1 BTC for 99.00 USDT; average 99.00, 0 (0.00 %) off the best price",
  );
  expect(costWords(book, 9_950n, market)).toBe("99.50: within the spread, nothing trades there.");
});
