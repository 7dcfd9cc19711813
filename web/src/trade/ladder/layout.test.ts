import fc from "fast-check";
import { expect, test } from "vitest";
import { COLUMNS, hitTest, layoutOf } from "./layout";

test("each point of the rows is in one cell, whose edges surround it", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 50, max: 2_000 }),
      fc.integer({ min: 100, max: 2_000 }),
      fc.integer({ min: 10, max: 90 }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (width, height, rowHeight, partX, partY) => {
        const layout = layoutOf(width, height, rowHeight);
        const [x, y] = [partX * width, partY * layout.rows * rowHeight];
        const hit = hitTest(layout, x, y);
        if (hit === null) throw new Error("no cell");
        const column = COLUMNS.indexOf(hit.column);
        expect(layout.edges[column]).toBeLessThanOrEqual(x);
        expect(layout.edges[column + 1]).toBeGreaterThan(x);
        expect(hit.row * rowHeight).toBeLessThanOrEqual(y);
        expect((hit.row + 1) * rowHeight).toBeGreaterThan(y);
      },
    ),
  );
});

test("outside there is none", () => {
  const layout = layoutOf(100, 100, 30);
  expect(hitTest(layout, -1, 5)).toBe(null);
  expect(hitTest(layout, 100, 5)).toBe(null);
  expect(hitTest(layout, 5, -1)).toBe(null);
  expect(hitTest(layout, 5, 99)).toBe(null);
});
