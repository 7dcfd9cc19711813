import { expect, test } from "vitest";
import { filtered, nextSort, sorted } from "./sorting";

test("a column is sorted one way, then the other, then no more", () => {
  const first = nextSort(null, "price", true);
  expect(first).toEqual({ column: "price", isDescending: true });
  const second = nextSort(first, "price", true);
  expect(second).toEqual({ column: "price", isDescending: false });
  expect(nextSort(second, "price", true)).toBeNull();
  expect(nextSort(second, "side", false)).toEqual({ column: "side", isDescending: false });
});

test("equal rows keep their order, and rows without a value come last both ways", () => {
  const rows = [
    { id: "a", key: 1 },
    { id: "b", key: null },
    { id: "c", key: 2 },
    { id: "d", key: 1 },
  ];
  const ids = (isDescending: boolean) => sorted(rows, ({ key }) => key, isDescending).map(({ id }) => id);
  expect(ids(false)).toEqual(["a", "d", "c", "b"]);
  expect(ids(true)).toEqual(["c", "a", "d", "b"]);
});

test("a row has each word of a filter, in any order and case", () => {
  const rows = ["BTCUSDT Buy accepted", "ETHUSDT Buy sent"];
  expect(filtered(rows, "buy btc", (row) => row)).toEqual([rows[0]]);
  expect(filtered(rows, " ", (row) => row)).toBe(rows);
});

test("100,000 rows are sorted in a moment", () => {
  const rows = Array.from({ length: 100_000 }, (_, at) => ({ key: (at * 7_919) % 100_003 }));
  const begun = performance.now();
  const first = sorted(rows, ({ key }) => key, false)[0];
  expect(first?.key).toBe(0);
  expect(performance.now() - begun).toBeLessThan(2_000);
});
