import { expect, test } from "vitest";
import { around, crossing, curve } from "./demandSupply";

const level = (price: bigint, qty: bigint) => ({ price, qty });

test("demand adds up from the highest bid, supply from the lowest ask", () => {
  const points = curve([level(102n, 5n), level(100n, 3n)], [level(99n, 4n), level(102n, 10n)]);
  expect(points).toEqual([
    { price: 99n, demand: 8n, supply: 4n },
    { price: 100n, demand: 8n, supply: 4n },
    { price: 102n, demand: 5n, supply: 14n },
  ]);
});

test("the crossing is where the most trades, then where the least is left over", () => {
  const points = curve([level(102n, 5n), level(100n, 3n)], [level(99n, 4n), level(102n, 10n)]);
  expect(crossing(points)).toEqual({ price: 102n, qty: 5n });
  const even = curve([level(101n, 5n), level(100n, 5n)], [level(99n, 5n)]);
  expect(crossing(even)).toEqual({ price: 101n, qty: 5n });
});

test("without a bid that reaches an ask nothing crosses", () => {
  expect(crossing(curve([level(99n, 5n)], [level(100n, 5n)]))).toBeNull();
  expect(crossing(curve([], []))).toBeNull();
});

test("prices far from the others are left out of the drawing", () => {
  const points = curve([level(101n, 1n), level(99n, 1n), level(1n, 1n)], [level(98n, 1n), level(103n, 1n)]);
  expect(around(points, 100n).map(({ price }) => price)).toEqual([98n, 99n, 101n, 103n]);
  expect(around([], null)).toEqual([]);
});
