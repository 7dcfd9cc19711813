import { expect, test } from "vitest";
import { fill } from "../dock/fixtures";
import { fillMarks } from "./marks";

const MINUTE = 60_000;

test("fills of one side in one candle are one mark at their average price", () => {
  const fills = [
    fill({ timeMs: 2 * MINUTE, side: "SELL", price: 50n, qty: 1n }),
    fill({ timeMs: MINUTE + 5, price: 200n, qty: 3n }),
    fill({ timeMs: MINUTE, price: 100n, qty: 1n }),
  ];
  expect(fillMarks(fills, "BTCUSDT", MINUTE, 0)).toEqual([
    { candleMs: MINUTE, side: "BUY", price: 175n, qty: 4n, count: 2 },
    { candleMs: 2 * MINUTE, side: "SELL", price: 50n, qty: 1n, count: 1 },
  ]);
});

test("other markets, undone trades and fills before the first candle have no mark", () => {
  const fills = [fill({ timeMs: 9, symbol: "ETHUSDT" }), fill({ timeMs: 9, isBusted: true }), fill({ timeMs: 4 })];
  expect(fillMarks(fills, "BTCUSDT", MINUTE, 5)).toEqual([]);
});

test("the newest marks are kept", () => {
  const fills = [3, 2, 1].map((minute) => fill({ timeMs: minute * MINUTE }));
  expect(fillMarks(fills, "BTCUSDT", MINUTE, 0, 2).map(({ candleMs }) => candleMs)).toEqual([2 * MINUTE, 3 * MINUTE]);
});
