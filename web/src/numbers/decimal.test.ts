import fc from "fast-check";
import { expect, test } from "vitest";
import { decimalsOf, format, formatGrouped, formatShort, parse, rescale, units } from "./decimal";

const anyUnits = fc.bigInt({ min: -(10n ** 38n), max: 10n ** 38n });
const anyDecimals = fc.integer({ min: 0, max: 18 });

test("what is formatted is read as the same number, far beyond 2^53", () => {
  fc.assert(
    fc.property(anyUnits, anyDecimals, (value, decimals) => {
      for (const text of [format(value, decimals), formatGrouped(value, decimals), formatShort(value, decimals)]) {
        expect(parse(text, decimals)).toEqual({ units: value });
      }
    }),
  );
});

test("trailing zeros are no decimals, other digits are never rounded", () => {
  fc.assert(
    fc.property(anyUnits, anyDecimals, fc.integer({ min: 0, max: 8 }), (value, decimals, more) => {
      const text = format(value, decimals);
      const zeros = text.includes(".") ? "0".repeat(more) : "";
      expect(parse(text + zeros, decimals)).toEqual({ units: value });
      const tooFine = `${text.includes(".") ? text : `${text}.`}1`;
      expect(parse(tooFine, decimals)).toEqual({ problem: "too many decimals" });
    }),
  );
});

test("the quick way for what the venue sends reads as the exact one does", () => {
  const texts = fc.oneof(
    fc.stringMatching(/^\d{0,18}(\.\d{0,9})?$/),
    fc.stringMatching(/^[0-9.+-]{0,6}$/),
    fc.tuple(anyUnits, anyDecimals).map(([value, decimals]) => format(value, decimals)),
    fc.bigInt({ min: 2n ** 53n - 9n, max: 2n ** 53n + 9n }).map(String),
  );
  fc.assert(
    fc.property(texts, anyDecimals, (text, decimals) => {
      const exact = parse(text, decimals);
      if ("units" in exact) expect(units(text, decimals)).toBe(exact.units);
      else expect(() => units(text, decimals)).toThrow(exact.problem);
    }),
    { numRuns: 2_000 },
  );
});

test("what people type", () => {
  const cases: [string, number, ReturnType<typeof parse>][] = [
    ["60120.5", 2, { units: 6012050n }],
    ["60 120.5", 2, { units: 6012050n }],
    ["60,120.5", 2, { units: 6012050n }],
    [".5", 2, { units: 50n }],
    ["5.", 2, { units: 500n }],
    ["1.5k", 0, { units: 1500n }],
    ["2M", 2, { units: 200000000n }],
    ["0.0015k", 0, { problem: "too many decimals" }],
    ["-1", 0, { units: -1n }],
    ["9007199254740993", 0, { units: 9007199254740993n }],
    ["", 2, { problem: "empty" }],
    [" ", 2, { problem: "empty" }],
    [".", 2, { problem: "not a number" }],
    ["1e5", 2, { problem: "not a number" }],
    ["1.2.3", 2, { problem: "not a number" }],
    ["NaN", 2, { problem: "not a number" }],
    ["<b>1</b>", 2, { problem: "not a number" }],
  ];
  for (const [text, decimals, expected] of cases) expect(parse(text, decimals), text).toEqual(expected);
  expect(() => units("x", 2)).toThrow("not a number");
});

test("decimals of a step, and amounts with other decimals", () => {
  expect(["1", "0.01000000", "0.05", "10.00000000", "0.00000001"].map(decimalsOf)).toEqual([0, 2, 2, 0, 8]);
  expect(rescale(150n, 2, 8)).toBe(150000000n);
  expect(rescale(150000001n, 8, 2)).toBe(150n);
});
