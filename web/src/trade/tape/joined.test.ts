import fc from "fast-check";
import { expect, test } from "vitest";
import type { Trade } from "../../stores/types";
import { JoinedTape } from "./joined";

const trades = fc
  .array(
    fc.record({
      price: fc.bigInt(1n, 50n),
      qty: fc.bigInt(1n, 50n),
      wait: fc.integer({ min: 0, max: 2 }),
      aggressor: fc.constantFrom("BUY" as const, "SELL" as const),
    }),
    { maxLength: 60 },
  )
  .map((list) => {
    let timeMs = 0;
    return list.map(({ wait, ...rest }, id): Trade => {
      timeMs += wait;
      return { ...rest, id, timeMs };
    });
  });

test("neighbours of one millisecond and side are one line; nothing is lost or doubled in any cut of the stream", () => {
  fc.assert(
    fc.property(trades, fc.array(fc.nat(60)), (all, cuts) => {
      const tape = new JoinedTape(1_000);
      for (const cut of [...cuts.sort((left, right) => left - right), all.length]) tape.take(all.slice(0, cut));
      const plain: { qty: bigint; count: number; from: bigint; to: bigint; timeMs: number; aggressor: string }[] = [];
      for (const { price, qty, timeMs, aggressor } of all) {
        const last = plain.at(-1);
        if (last?.timeMs === timeMs && last.aggressor === aggressor) {
          last.qty += qty;
          last.count += 1;
          last.to = price;
        } else plain.push({ qty, count: 1, from: price, to: price, timeMs, aggressor });
      }
      expect(tape.lines.map(({ id, ...rest }) => rest)).toEqual(plain);
      expect(tape.total).toBe(plain.length);
    }),
  );
});

test("says whether there was anything new", () => {
  const tape = new JoinedTape(10);
  const trade: Trade = { id: 0, price: 1n, qty: 1n, timeMs: 0, aggressor: "BUY" };
  expect(tape.take([])).toBe(false);
  expect(tape.take([trade])).toBe(true);
  expect(tape.take([trade])).toBe(false);
});

test("keeps no more than half as much again as it was asked to", () => {
  const tape = new JoinedTape(10);
  for (let id = 0; id < 100; id++) tape.take([{ id, price: 1n, qty: 1n, timeMs: id, aggressor: "BUY" }]);
  expect(tape.lines.length).toBeLessThanOrEqual(15);
  expect(tape.lines.at(-1)?.id).toBe(99);
  expect(tape.total).toBe(100);
});
