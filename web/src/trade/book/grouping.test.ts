import fc from "fast-check";
import { expect, test } from "vitest";
import type { Market } from "../../stores/types";
import { groupOf, multiplesFor, suitingMultiple } from "./grouping";

const market = { price: { decimals: 2, step: 5n, min: 5n, max: 10n ** 12n } } as Market;
const prices = fc.bigInt(1n, 10n ** 30n);
const sizes = fc.bigInt(1n, 10n ** 9n);

test("a group shows no better price than there is, and at most one group worse", () => {
  fc.assert(
    fc.property(prices, sizes, (price, size) => {
      const [bid, ask] = [groupOf(price, size, "BUY") * size, groupOf(price, size, "SELL") * size];
      expect(bid <= price && price < bid + size).toBe(true);
      expect(ask >= price && price > ask - size).toBe(true);
    }),
  );
});

test("bids and asks that do not cross are in different groups", () => {
  fc.assert(
    fc.property(prices, sizes, fc.bigInt(1n, 10n ** 9n), (bid, size, spread) => {
      expect(groupOf(bid, size, "BUY") < groupOf(bid + spread, size, "SELL")).toBe(true);
    }),
  );
});

test("multiples are 1, 2, 5 and so on", () => {
  expect(multiplesFor(market, 10_000n)).toEqual([1n, 2n, 5n, 10n, 20n, 50n, 100n]);
  expect(multiplesFor(market, 0n)).toEqual([1n]);
});

test("the suiting multiple shows the nearest levels, and is not larger than that needs", () => {
  fc.assert(
    fc.property(fc.bigInt(1n, 2_000n), (gap) => {
      const side = (direction: bigint) =>
        Array.from({ length: 50 }, (_, at) => ({
          price: 10n ** 9n + direction * (BigInt(at) + 1n) * gap * 5n,
          qty: 1n,
        }));
      const multiple = suitingMultiple({ bids: side(-1n), asks: side(1n) }, market, 30);
      const half = 15n * multiple * 5n;
      const span = 9n * gap * 5n;
      expect(half >= span).toBe(true);
      expect(multiple === 1n || half * 2n <= span * 5n).toBe(true);
    }),
  );
});

test("an empty book has a multiple, too", () => {
  expect(suitingMultiple({ bids: [], asks: [] }, market, 30)).toBe(1n);
});
