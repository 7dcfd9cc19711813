import fc from "fast-check";
import { expect, test } from "vitest";
import { averageOf, costTo } from "./cost";

const asks = fc
  .uniqueArray(fc.record({ price: fc.bigInt(1n, 10_000n), qty: fc.bigInt(1n, 10n ** 20n) }), {
    selector: (it) => it.price,
  })
  .map((levels) => levels.sort((left, right) => Number(left.price - right.price)));

test("takes each level at the limit or better, and no other", () => {
  fc.assert(
    fc.property(asks, fc.bigInt(0n, 11_000n), (levels, limit) => {
      const within = levels.filter(({ price }) => price <= limit);
      const cost = costTo(levels, limit, "BUY");
      expect(cost.levels).toBe(within.length);
      expect(cost.qty).toBe(within.reduce((sum, { qty }) => sum + qty, 0n));
      expect(cost.amount).toBe(within.reduce((sum, { price, qty }) => sum + price * qty, 0n));
      const bids = [...levels].reverse();
      expect(costTo(bids, limit, "SELL").levels).toBe(levels.filter(({ price }) => price >= limit).length);
    }),
  );
});

test("the average is never better than what is paid", () => {
  fc.assert(
    fc.property(asks, (levels) => {
      const cost = costTo(levels, 10_000n, "BUY");
      const bought = averageOf(cost, "BUY");
      if (bought === null) {
        expect(levels).toEqual([]);
        return;
      }
      expect(bought * cost.qty >= cost.amount).toBe(true);
      expect((bought - 1n) * cost.qty < cost.amount).toBe(true);
      const sold = averageOf(cost, "SELL") ?? 0n;
      expect(sold * cost.qty <= cost.amount).toBe(true);
    }),
  );
});
