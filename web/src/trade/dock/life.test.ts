import { expect, test } from "vitest";
import { market, order } from "./fixtures";
import { eventsBetween } from "./life";

const texts = (...args: Parameters<typeof eventsBetween>) => eventsBetween(...args).map(({ text }) => text);

test("an order of this page is sent, accepted and filled", () => {
  const sent = order({ state: "sent", orderId: null });
  const accepted = order({ updatedMs: 1_004 });
  expect(texts(null, sent, market, 0)).toEqual(["Sent: BUY limit"]);
  expect(eventsBetween(sent, accepted, market, 0)).toEqual([{ timeMs: 1_004, text: "Accepted by the venue" }]);
  expect(texts(accepted, order({ state: "filled", filled: 100_000n }), market, 0)).toEqual(["Filled"]);
});

test("an order without an answer is asked for, and found", () => {
  const sent = order({ state: "sent", orderId: null });
  const unknown = order({ state: "unknown", orderId: null });
  expect(texts(sent, unknown, market, 0)).toEqual(["No answer in time: the venue is asked for it"]);
  expect(texts(unknown, order(), market, 0)).toEqual(["Accepted by the venue"]);
});

test("an end says why", () => {
  const rejected = order({ state: "rejected", reason: "Too low." });
  expect(texts(order({ state: "sent", orderId: null }), rejected, market, 0)).toEqual(["Rejected: Too low."]);
});

test("a change names both values", () => {
  const amending = order({ change: "amending" });
  expect(texts(order(), amending, market, 0)).toEqual(["Change sent"]);
  expect(texts(amending, order({ qty: 50_000n }), market, 0)).toEqual(["Amended: quantity 1.00000 → 0.50000"]);
  expect(texts(amending, order(), market, 0)).toEqual(["Change answered without effect"]);
});

test("nothing happened where nothing changed", () => {
  expect(texts(order(), order({ ahead: 5n }), market, 0)).toEqual([]);
});
