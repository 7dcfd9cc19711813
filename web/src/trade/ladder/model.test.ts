import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Level } from "../../stores/types";
import { groupOf } from "../book/grouping";
import { LadderModel } from "./model";

/** A book that does not cross, with a gap of any width. */
const books = fc
  .record({
    bids: fc.uniqueArray(fc.tuple(fc.bigInt(1n, 5_000n), fc.bigInt(1n, 900n)), { selector: ([price]) => price }),
    asks: fc.uniqueArray(fc.tuple(fc.bigInt(5_001n, 9_000n), fc.bigInt(1n, 900n)), { selector: ([price]) => price }),
  })
  .map(({ bids, asks }) => ({ bids: sorted(bids, -1n), asks: sorted(asks, 1n) }));
const sizes = fc.constantFrom(1n, 2n, 5n, 10n, 50n, 500n);

function sorted(levels: [bigint, bigint][], direction: bigint): Level[] {
  return levels
    .map(([price, qty]) => ({ price, qty }))
    .sort((left, right) => Number((left.price - right.price) * direction));
}

function modelOf(size: bigint, rows: number, top: bigint): LadderModel {
  const model = new LadderModel();
  model.resize(rows);
  model.size = size;
  model.top = top;
  return model;
}

describe("rows", () => {
  test("have the sum of the levels of their group, and nothing else", () => {
    fc.assert(
      fc.property(books, sizes, fc.bigInt(0n, 9_000n), (book, size, top) => {
        const model = modelOf(size, 30, top / size);
        model.refresh(book, true);
        for (let row = 0; row < 30; row++) {
          const group = model.top - BigInt(row);
          expect(model.bids[row]).toBe(sum(book.bids.filter(({ price }) => groupOf(price, size, "BUY") === group)));
          expect(model.asks[row]).toBe(sum(book.asks.filter(({ price }) => groupOf(price, size, "SELL") === group)));
        }
      }),
    );
  });

  test("have all that stands there or better, when cumulative, as far as there are levels", () => {
    fc.assert(
      fc.property(books, sizes, fc.bigInt(0n, 9_000n), (book, size, top) => {
        const model = modelOf(size, 30, top / size);
        model.isCumulative = true;
        model.refresh(book, true);
        for (let row = 0; row < 30; row++) {
          const group = model.top - BigInt(row);
          const isWithin = (levels: readonly Level[], side: "BUY" | "SELL") => {
            const last = levels.at(-1);
            if (!last) return false;
            const end = groupOf(last.price, size, side);
            return side === "BUY" ? group >= end : group <= end;
          };
          const bids = book.bids.filter(({ price }) => groupOf(price, size, "BUY") >= group);
          const asks = book.asks.filter(({ price }) => groupOf(price, size, "SELL") <= group);
          expect(model.bids[row]).toBe(isWithin(book.bids, "BUY") ? sum(bids) : 0n);
          expect(model.asks[row]).toBe(isWithin(book.asks, "SELL") ? sum(asks) : 0n);
        }
      }),
    );
  });

  test("never have bids and asks at once", () => {
    fc.assert(
      fc.property(books, sizes, (book, size) => {
        const model = modelOf(size, 40, 0n);
        model.centre(book);
        model.refresh(book, false);
        for (let row = 0; row < 40; row++) expect((model.bids[row] ?? 0n) * (model.asks[row] ?? 0n)).toBe(0n);
      }),
    );
  });
});

describe("moving", () => {
  const at = (bid: bigint) => ({ bids: [{ price: bid, qty: 1n }], asks: [{ price: bid + 2n, qty: 1n }] });

  test("stand about the last trade while bids and asks overlap", () => {
    const model = modelOf(1n, 21, 0n);
    const book = { bids: [{ price: 7_000n, qty: 1n }], asks: [{ price: 4_000n, qty: 1n }], lastTradePrice: 4_100n };
    model.centre(book);
    expect(model.top - 10n).toBe(4_100n);
  });

  test("rows stay while the market is near the middle, and follow it when it is not", () => {
    const model = modelOf(1n, 40, 0n);
    model.centre(at(1_000n));
    expect(model.refresh(at(1_003n), false)).toBe(false);
    expect(model.refresh(at(1_010n), false)).toBe(true);
    expect(model.priceOf(20)).toBe(1_011n);
  });

  test("held rows stay, wherever the market goes, and say where it is", () => {
    const model = modelOf(1n, 40, 0n);
    model.centre(at(1_000n));
    expect(model.refresh(at(2_000n), true)).toBe(false);
    expect(model.outside()).toBe("above");
    model.refresh(at(10n), true);
    expect(model.outside()).toBe("below");
    expect(model.refresh(at(10n), false)).toBe(true);
    expect(model.outside()).toBe(null);
  });

  test("a scroll by hand ends following until it is centred again", () => {
    const model = modelOf(1n, 40, 0n);
    model.centre(at(1_000n));
    model.scroll(100);
    expect(model.priceOf(20)).toBe(901n);
    expect(model.refresh(at(1_000n), false)).toBe(false);
  });

  test("regrouping keeps about the same price in the middle", () => {
    fc.assert(
      fc.property(fc.bigInt(1_000n, 1_000_000n), sizes, sizes, (bid, before, after) => {
        const model = modelOf(before, 40, 0n);
        model.centre(at(bid));
        const price = model.priceOf(20);
        model.regroup(after);
        const off = model.priceOf(20) - price;
        expect(off <= 0n && off > -after).toBe(true);
      }),
    );
  });

  test("prices beyond 2^53 units keep each unit", () => {
    const model = modelOf(1n, 10, 0n);
    const price = 2n ** 60n + 1n;
    model.centre({ bids: [{ price, qty: 3n }], asks: [] });
    model.refresh({ bids: [{ price, qty: 3n }], asks: [] }, false);
    expect(model.priceOf(model.rowOf(price, "BUY"))).toBe(price);
    expect(model.bids[model.rowOf(price, "BUY")]).toBe(3n);
  });
});

const sum = (levels: readonly Level[]): bigint => levels.reduce((total, { qty }) => total + qty, 0n);
