import { signal } from "@preact/signals";
import { beforeEach, expect, test, vi } from "vitest";
import type { Trade } from "../../stores/types";

const tape = { trades: [] as Trade[], version: 0 };
const market = signal<{ symbol: string }>({ symbol: "BTCUSDT" });
vi.mock("../../stores/markets", () => ({ market }));
vi.mock("../../stores/trades", () => ({ tape }));
vi.mock("../canvas/loop", () => ({ wake: () => {} }));
const { TapeView } = await import("./view");

let view = new TapeView();
let nextId = 0;

function trade(...sizes: bigint[]): void {
  for (const qty of sizes) {
    tape.trades.push({ id: nextId, price: 5n, qty, timeMs: nextId, aggressor: "BUY" });
    nextId += 1;
  }
  tape.version += 1;
  view.refresh();
}

/** Sizes from the top line on. */
const top = (count: number) =>
  view.shown
    .slice(0, view.end())
    .slice(-count)
    .reverse()
    .map(({ qty }) => qty);

beforeEach(() => {
  tape.trades = [];
  tape.version += 1;
  market.value = { symbol: "BTCUSDT" };
  view = new TapeView();
  nextId = 0;
});

test("the newest line is on top", () => {
  trade(1n, 2n, 3n);
  expect(top(3)).toEqual([3n, 2n, 1n]);
});

test("held under the pointer it stays, and counts what waits", () => {
  trade(1n, 2n);
  view.hold(true);
  trade(3n);
  trade(4n, 5n);
  expect(top(2)).toEqual([2n, 1n]);
  expect(view.waiting.value).toBe(3);
  view.hold(false);
  expect(top(2)).toEqual([5n, 4n]);
  expect(view.waiting.value).toBe(0);
});

test("paused by its button it stays when the pointer leaves", () => {
  trade(1n);
  view.pause(true);
  view.hold(true);
  view.hold(false);
  trade(2n);
  expect(top(1)).toEqual([1n]);
  view.pause(false);
  expect(top(1)).toEqual([2n]);
});

test("a filter hides smaller lines, and they do not wait", () => {
  trade(1n, 10n, 2n);
  view.filter(5n);
  expect(top(9)).toEqual([10n]);
  view.hold(true);
  trade(3n, 20n);
  expect(view.waiting.value).toBe(1);
  view.filter(0n);
  view.hold(false);
  expect(top(9)).toEqual([20n, 3n, 2n, 10n, 1n]);
});

test("it scrolls back only while it is held, and not beyond the first line", () => {
  trade(1n, 2n, 3n);
  view.scroll(1);
  expect(top(1)).toEqual([3n]);
  view.hold(true);
  view.scroll(1);
  expect(top(1)).toEqual([2n]);
  view.scroll(99);
  expect(top(1)).toEqual([1n]);
});

test("another market begins anew", () => {
  trade(1n, 2n);
  market.value = { symbol: "ETHUSDT" };
  tape.trades = [];
  trade(7n);
  expect(top(9)).toEqual([7n]);
});
