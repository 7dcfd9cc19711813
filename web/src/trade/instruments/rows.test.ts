import { expect, test } from "vitest";
import type { Ticker } from "../../stores/types";
import { market } from "../dock/fixtures";
import { PriceHistory } from "./priceHistory";
import { change, changeText, compact, rowsOf, sortRows } from "./rows";

const ticker = (open: bigint, last: bigint): Ticker => ({ open, last, high: 0n, low: 0n, volume: 0n, quoteVolume: 0n });

test("a change is in hundredths of a percent, with its sign", () => {
  expect(changeText(change(ticker(10_000n, 10_125n)))).toBe("+1.25 %");
  expect(changeText(change(ticker(10_000n, 9_999n)))).toBe("−0.01 %");
  expect(changeText(change(ticker(100n, 100n)))).toBe("0.00 %");
  expect(changeText(change(ticker(0n, 0n)))).toBe("–");
});

test("favourites come first, then the sorted column; markets without a value last", () => {
  const names = ["AUSDT", "BUSDT", "CUSDT", "DUSDT"];
  const markets = new Map(names.map((symbol) => [symbol, { ...market, symbol }]));
  const tickers = new Map([
    ["AUSDT", ticker(100n, 101n)],
    ["BUSDT", ticker(100n, 105n)],
    ["DUSDT", ticker(100n, 90n)],
  ]);
  const rows = sortRows(rowsOf(markets, tickers, { DUSDT: true }), { column: "change", isDescending: true });
  expect(rows.map(({ market: { symbol } }) => symbol)).toEqual(["DUSDT", "BUSDT", "AUSDT", "CUSDT"]);
});

test("volumes are short", () => {
  expect([0, 12.345, 1_234, 5_600_000, 2.5e9].map((value) => compact(value))).toEqual([
    "0",
    "12.3",
    "1.23k",
    "5.60M",
    "2.50G",
  ]);
  expect([123.4, 123_456, 0.0123].map((value) => compact(value, 2))).toEqual(["123", "123k", "0.012"]);
});

test("a sparkline takes a point every ten seconds, and its newest follows the price", () => {
  const kept = new PriceHistory();
  kept.take(0, [["A", 1]]);
  kept.take(5_000, [["A", 2]]);
  kept.take(10_000, [["A", 3]]);
  kept.take(11_000, [["A", 4]]);
  expect(kept.of("A")).toEqual([2, 4]);
  expect(kept.of("B")).toEqual([]);
});
