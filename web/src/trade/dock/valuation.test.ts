import { expect, test } from "vitest";
import type { Ticker } from "../../stores/types";
import { market } from "./fixtures";
import { commonQuote, worthOf } from "./valuation";

const eth = { ...market, symbol: "ETHBTC", base: "ETH", quote: "BTC" };
const balance = { asset: "BTC", decimals: 8, free: 100_000_000n, locked: 50_000_000n };
const last = (price: bigint): Ticker => ({ last: price, open: 0n, high: 0n, low: 0n, volume: 0n, quoteVolume: 0n });
const tickers = new Map([["BTCUSDT", last(6_000_000n)]]);

test("a balance is worth what is free and locked, at the last price", () => {
  expect(worthOf(balance, "USDT", 8, [market], tickers)).toBe(9_000_000_000_000n);
  expect(worthOf({ ...balance, asset: "USDT" }, "USDT", 8, [], tickers)).toBe(150_000_000n);
});

test("the market may be the other way around", () => {
  const usdt = { asset: "USDT", decimals: 8, free: 6_000_000_000_000n, locked: 0n };
  expect(worthOf(usdt, "BTC", 8, [market], tickers)).toBe(100_000_000n);
});

test("without a market or a price nothing is made up", () => {
  expect(worthOf({ ...balance, asset: "DOGE" }, "USDT", 8, [market], tickers)).toBeNull();
  expect(worthOf(balance, "USDT", 8, [market], new Map())).toBeNull();
});

test("values are in what most markets are quoted in", () => {
  expect(commonQuote([eth, market, { ...market, symbol: "ETHUSDT", base: "ETH" }])?.quote).toBe("USDT");
  expect(commonQuote([])).toBeNull();
});
