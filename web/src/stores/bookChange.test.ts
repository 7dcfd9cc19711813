import fc from "fast-check";
import { expect, test, vi } from "vitest";
import type { DepthUpdate } from "../api/types";
import { parse } from "../numbers/decimal";
import { type BookChange, readChange } from "./bookChange";
import type { Market } from "./types";

const market = { price: { decimals: 2 }, qty: { decimals: 5 } } as Market;

/** By JSON and exact decimals alone. */
function plainly(text: string): BookChange {
  const { E, U, u, b, a } = JSON.parse(text) as DepthUpdate;
  const exact = (number: string, decimals: number) => {
    const parsed = parse(number, decimals);
    if ("problem" in parsed) throw new Error(parsed.problem);
    return parsed.units;
  };
  const levels = (rows: DepthUpdate["b"]) =>
    rows.map(([price, qty]) => ({ price: exact(price, 2), qty: exact(qty, 5) }));
  return { E, U, u, bids: levels(b), asks: levels(a) };
}

const outcomeOf = (read: () => BookChange): BookChange | "refused" => {
  try {
    return read();
  } catch {
    return "refused";
  }
};

const digits = (most: number) => fc.bigInt({ min: 0n, max: 10n ** BigInt(most) }).map(String);
const decimal = fc.oneof(
  fc.tuple(digits(7), digits(2)).map(([whole, part]) => `${whole}.${part}`),
  digits(25),
  fc.constantFrom("0", "0.00000", "0.5e3", "-1", "", " 1", "00012.50"),
);
const levels = fc.array(fc.tuple(decimal, decimal), { maxLength: 4 });
const id = fc.oneof(fc.nat(), fc.constantFrom(2 ** 53 - 1, 0));
const update = fc.record({
  e: fc.constant("depthUpdate"),
  E: fc.oneof(fc.nat(), fc.double({ min: 0, max: 2e12, noNaN: true })),
  s: fc.constantFrom("BTCUSDT", 'Q"', "Ä-1"),
  U: id,
  u: id,
  b: levels,
  a: levels,
});
const ordered = update.map(({ e, E, s, U, u, b, a }) => JSON.stringify({ e, E, s, U, u, b, a }));

test("what the venue sends is read as JSON and exact decimals read it", () => {
  const texts = fc.oneof(
    ordered,
    update.map((fields) => JSON.stringify({ ...fields, x: 1 })),
    update.map((fields) => JSON.stringify(fields, null, 1)),
  );
  fc.assert(
    fc.property(texts, (text) => {
      expect(outcomeOf(() => readChange(text, market))).toEqual(outcomeOf(() => plainly(text)));
    }),
    { numRuns: 2_000 },
  );
});

test("a text with any bytes changed is read alike, or refused alike", () => {
  const inserted = fc.oneof(
    fc.string({ maxLength: 3 }),
    fc.constantFrom('"', "]", "[", ",", "}", "0", ".", "\\", "1e9"),
  );
  fc.assert(
    fc.property(ordered, fc.nat(), fc.nat({ max: 3 }), inserted, (text, where, removed, put) => {
      const at = where % (text.length + 1);
      const changed = text.slice(0, at) + put + text.slice(at + removed);
      expect(outcomeOf(() => readChange(changed, market))).toEqual(outcomeOf(() => plainly(changed)));
    }),
    { numRuns: 5_000 },
  );
});

test("a number without quotes is refused", () => {
  const text = '{"e":"depthUpdate","E":1,"s":"BTCUSDT","U":1,"u":1,"b":[["1.00",1e9]],"a":[]}';
  expect(() => readChange(text, market)).toThrow();
});

test("the shape that the venue writes needs no JSON", () => {
  const text =
    '{"e":"depthUpdate","E":1672515782136,"s":"BTCUSDT","U":157,"u":160,' +
    '"b":[["0.02","10.00000"],["0.01","0.00000"]],"a":[]}';
  const parsed = vi.spyOn(JSON, "parse");
  const change = readChange(text, market);
  expect(parsed).not.toHaveBeenCalled();
  parsed.mockRestore();
  expect(change).toEqual(plainly(text));
});
