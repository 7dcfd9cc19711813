import fc from "fast-check";
import { expect, test } from "vitest";
import { BookSide } from "./bookLevels";

const price = fc.bigInt({ min: 1n, max: 60n });
const qty = fc.bigInt({ min: 0n, max: 5n });

test("a side has the levels of a map, best first", () => {
  fc.assert(
    fc.property(fc.boolean(), fc.array(fc.tuple(price, qty), { maxLength: 200 }), (isBid, changes) => {
      const side = new BookSide(isBid);
      const model = new Map<bigint, bigint>();
      for (const [at, quantity] of changes) {
        side.set({ price: at, qty: quantity });
        if (quantity === 0n) model.delete(at);
        else model.set(at, quantity);
      }
      const sorted = [...model].sort(([left], [right]) => Number(isBid ? right - left : left - right));
      expect(side.levels).toEqual(sorted.map(([level, quantity]) => ({ price: level, qty: quantity })));
    }),
  );
});
