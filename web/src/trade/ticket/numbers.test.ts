import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "../../numbers/decimal";
import { BTC } from "./fixtures";
import { nearest, readNumber, stepped, tidied } from "./numbers";

const { price } = BTC;

describe("steps", () => {
  it("goes by ticks, and keeps to the bounds", () => {
    expect(stepped("60000", price, 1n, null)).toBe("60000.05");
    expect(stepped("60000", price, -10n, null)).toBe("59999.50");
    expect(stepped("0.05", price, -1n, null)).toBe("0.05");
    expect(stepped("1000000", price, 10n, null)).toBe("1000000.00");
  });

  it("goes from between two ticks to the next one", () => {
    expect(stepped("60000.03", price, 1n, null)).toBe("60000.05");
    expect(stepped("60000.03", price, -1n, null)).toBe("60000.00");
  });

  it("begins where the market is", () => {
    expect(stepped("", price, 1n, 5_999_995n)).toBe("59999.95");
    expect(stepped("", BTC.qty, 1n, null)).toBe("0.00010");
  });
});

it("writes out a suffix, and leaves other texts as they are typed", () => {
  expect(tidied("1.5k", 2)).toBe("1500");
  expect(tidied("60,120.5", 2)).toBe("60120.5");
  expect(tidied("60120.50", 2)).toBe("60120.50");
  expect(tidied("abc", 2)).toBe("abc");
});

it("offers a fix that has no problem, and that no allowed number is nearer to", () => {
  const text = fc
    .tuple(fc.bigInt(-(10n ** 12n), 10n ** 13n), fc.integer({ min: 0, max: 6 }))
    .map(([value, decimals]) => {
      const digits = (value < 0n ? -value : value).toString().padStart(decimals + 1, "0");
      const at = digits.length - decimals;
      return `${value < 0n ? "-" : ""}${digits.slice(0, at)}.${digits.slice(at)}`;
    });
  fc.assert(
    fc.property(text, (typed) => {
      const read = readNumber(typed, price, "price");
      if ("value" in read) return;
      expect(read.fix).toBeDefined();
      const fixed = readNumber(read.fix?.value ?? "", price, "price");
      if (!("value" in fixed)) throw new Error(`${read.fix?.value} is no allowed price`);
      const exact = parse(typed, 8);
      if ("problem" in exact) throw new Error(typed);
      const distance = (units: bigint) => {
        const by = units * 10n ** 6n - exact.units;
        return by < 0n ? -by : by;
      };
      for (const other of [fixed.value - price.step, fixed.value + price.step]) {
        if (other < price.min || other > price.max) continue;
        // Rounding twice may miss by less than the price has decimals.
        expect(distance(fixed.value) <= distance(other) + 10n ** 6n).toBe(true);
      }
    }),
  );
});

it("keeps to multiples of the step within bounds that are none", () => {
  const scale = { decimals: 0, step: 5n, min: 7n, max: 23n };
  expect([0n, 8n, 12n, 13n, 99n].map((value) => nearest(value, scale))).toEqual([10n, 10n, 10n, 15n, 20n]);
});
