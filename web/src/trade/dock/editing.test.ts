import { expect, test } from "vitest";
import { changeOf, editOf } from "./editing";
import { market, order } from "./fixtures";

const change = (price: string, qty: string, of = order()) =>
  changeOf({ ...editOf(of, market), price, qty }, of, market);

test("only what differs is sent", () => {
  expect(change("60000.00", "1.00000")).toEqual({});
  expect(change("60000.05", "1")).toEqual({ price: 6_000_005n });
  expect(change("60000", "0.5")).toEqual({ qty: 50_000n });
});

test("what cannot be a price or a quantity is said before it is sent", () => {
  expect(change("60000.001", "1")).toBe("The price may have 2 decimals.");
  expect(change("60000.01", "1")).toBe("The price must be a multiple of 0.05.");
  expect(change("", "1")).toBe("Enter a price, such as 60000.00.");
  expect(change("60000", "0")).toBe("The quantity must be above zero.");
});

test("the quantity stays above what is filled", () => {
  expect(change("60000", "0.4", order({ filled: 40_000n }))).toMatch(/0.40000 are filled already/);
});

test("an order without a limit has no price to change", () => {
  expect(change("", "0.5", order({ price: null }))).toEqual({ qty: 50_000n });
});

test("the quantity of an order in a list can only fall", () => {
  expect(change("60000", "1.1", order({ orderListId: 7 }))).toMatch(/can only fall/);
  expect(change("60000", "0.9", order({ orderListId: 7 }))).toEqual({ qty: 90_000n });
});
