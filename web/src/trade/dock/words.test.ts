import { expect, test } from "vitest";
import { order } from "./fixtures";
import { filledPercent, shortTime, stateWords, typeWords } from "./words";

test("a part is neither nothing nor all", () => {
  const percent = (filled: bigint) => filledPercent(order({ filled }));
  expect([0n, 1n, 40_000n, 99_999n, 100_000n].map(percent)).toEqual(["0", "<1", "40", "99", "100"]);
});

test("an order by amount is filled by amount", () => {
  expect(filledPercent(order({ qty: null, quoteQty: 200n, filled: 5n, filledQuote: 50n }))).toBe("25");
});

test("a change on its way comes before the state", () => {
  expect(stateWords(order({ change: "amending" })).text).toBe("amending");
  expect(stateWords(order({ state: "part-filled", filled: 40_000n })).text).toBe("part filled 40 %");
  expect(stateWords(order({ state: "canceled", filled: 40_000n })).text).toBe("canceled, 40 % filled");
});

test("names of the API are words", () => {
  expect(typeWords("STOP_LOSS_LIMIT")).toBe("Stop loss limit");
});

test("another day is named", () => {
  const noon = Date.UTC(2026, 11, 1, 12);
  expect(shortTime(noon, noon + 1)).toBe("12:00:00");
  expect(shortTime(noon, noon + 86_400_000)).toBe("12-01 12:00");
});
