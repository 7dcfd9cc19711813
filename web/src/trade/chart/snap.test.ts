import { expect, test } from "vitest";
import { market } from "../dock/fixtures";
import { snap } from "./snap";

test("a point of the chart is the nearest allowed price", () => {
  expect(snap(60_000.02, market.price)).toBe(6_000_000n);
  expect(snap(60_000.03, market.price)).toBe(6_000_005n);
  expect(snap(0.1 + 0.2, market.price)).toBe(30n);
});

test("it stays within the allowed prices", () => {
  expect(snap(-1, market.price)).toBe(5n);
  expect(snap(Number.NaN, market.price)).toBe(5n);
  expect(snap(2_000_000, market.price)).toBe(100_000_000n);
});
