import { expect, it } from "vitest";
import { BTC, formOf, NOW } from "./fixtures";
import type { Form } from "./form";
import { type Books, preview } from "./preview";
import { readTicket } from "./rules";
import { warningsOf } from "./warnings";

const BOOK: Books = {
  bids: [{ price: 5_999_995n, qty: 100_000n }],
  asks: [
    { price: 6_000_005n, qty: 10_000n },
    { price: 6_400_000n, qty: 90_000n },
  ],
};

function warned(fields: Partial<Form>, bounds: Partial<Parameters<typeof warningsOf>[4]>): readonly string[] {
  const { own } = readTicket(formOf(fields), BTC, NOW);
  const means = { rates: null, isFeeInQuote: false, freeBase: null, freeQuote: null };
  const none = { percentAway: "", maxQty: "", maxCost: "" };
  return warningsOf(own, preview(own, BOOK, BTC, means), NOW.last, BTC, { ...none, ...bounds });
}

it("warns of a price that is worse than the last by more than the bound", () => {
  const buy = { type: "LIMIT", qty: "0.1" };
  expect(warned({ ...buy, price: "63000" }, { percentAway: "5" })).toEqual([]);
  expect(warned({ ...buy, price: "63000.05" }, { percentAway: "5" })).toEqual([
    "Buys at 63 000.05: 5.00 % above the last price 60 000.",
  ]);
  expect(warned({ ...buy, price: "10" }, { percentAway: "5" })).toEqual([]);
  expect(warned({ ...buy, side: "SELL", price: "56000" }, { percentAway: "5" })).toEqual([
    "Sells at 56 000: 6.66 % below the last price 60 000.",
  ]);
});

it("warns of a price that is worse than the last by more than so many ticks", () => {
  const buy = { type: "LIMIT", qty: "0.1" };
  expect(warned({ ...buy, price: "60000.50" }, { ticksAway: "10" })).toEqual([]);
  expect(warned({ ...buy, price: "60000.55" }, { ticksAway: "10" })).toEqual([
    "Buys at 60 000.55: 11 ticks above the last price 60 000.",
  ]);
  expect(warned({ ...buy, price: "59000" }, { ticksAway: "10" })).toEqual([]);
});

it("warns of a market order that walks the book too far", () => {
  expect(warned({ type: "MARKET", qty: "0.1" }, { percentAway: "5" })).toEqual([]);
  expect(warned({ type: "MARKET", qty: "0.2" }, { percentAway: "5" })).toEqual([
    "Buys as far as 64 000: 6.66 % above the last price 60 000.",
  ]);
});

it("warns of size and worth above the bounds, and of nothing without bounds", () => {
  const order = { type: "LIMIT", qty: "2", price: "50000" };
  expect(warned(order, {})).toEqual([]);
  expect(warned(order, { maxQty: "2", maxCost: "100k" })).toEqual([]);
  expect(warned(order, { maxQty: "1.5", maxCost: "99k" })).toEqual([
    "2 BTC is more than your bound of 1.5.",
    "It is worth 100 000 USDT, more than your bound of 99k.",
  ]);
});

it("warns of an order that would empty the book", () => {
  expect(warned({ type: "MARKET", qty: "3" }, {})).toEqual(["The book has 1 BTC only: it would take all of it."]);
});
