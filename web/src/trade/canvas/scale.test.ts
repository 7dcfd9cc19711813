import fc from "fast-check";
import { expect, test } from "vitest";
import { barLength, barScale, decimalsThatFit, niceAbove } from "./scale";
import { compact, SizeTexts } from "./sizes";

const sizes = fc.bigInt(1n, 10n ** 24n);

test("a nice number is not below, and less than two and a half times as large", () => {
  fc.assert(
    fc.property(sizes, (value) => {
      const nice = niceAbove(value);
      expect(nice >= value && nice * 2n <= value * 5n).toBe(true);
      expect(/^[125]0*$/.test(String(nice))).toBe(true);
    }),
  );
});

test("a scale stays until a bar leaves it or all become small", () => {
  expect(barScale(100n, 100n)).toBe(100n);
  expect(barScale(100n, 101n)).toBe(200n);
  expect(barScale(100n, 20n)).toBe(100n);
  expect(barScale(100n, 19n)).toBe(20n);
});

test("bars are within their column, and there where there is a size", () => {
  fc.assert(
    fc.property(sizes, sizes, fc.integer({ min: 1, max: 500 }), (qty, scale, pixels) => {
      const length = barLength(qty, scale, pixels);
      expect(length).toBeGreaterThanOrEqual(1);
      expect(length).toBeLessThanOrEqual(pixels);
    }),
  );
  expect(barLength(0n, 5n, 10)).toBe(0);
});

test("texts fit, and none says nothing of something", () => {
  fc.assert(
    fc.property(
      fc.bigInt(1n, 10n ** 12n),
      fc.integer({ min: 0, max: 8 }),
      fc.integer({ min: 4, max: 12 }),
      (qty, decimals, chars) => {
        const short = compact(qty, decimals, chars);
        expect(short.length).toBeLessThanOrEqual(Math.max(chars, 4));
        expect(/[1-9]/.test(short)).toBe(true);
        const texts = new SizeTexts();
        texts.use(decimals, decimalsThatFit(qty, decimals, chars));
        expect(/[1-9]/.test(texts.of(qty))).toBe(true);
      },
    ),
  );
});

test("short texts round down", () => {
  expect(compact(123_456n, 5, 4)).toBe("1.23");
  expect(compact(100_000n, 5, 4)).toBe("1");
  expect(compact(4n, 5, 4)).toBe("<.01");
  expect(compact(1_234_567n, 0, 4)).toBe("1M");
  expect(compact(12_345n, 0, 4)).toBe("12k");
});
