import { signal } from "@preact/signals";
import { afterEach, expect, test, vi } from "vitest";
import { type Filter, NO_FILTER } from "./Filters";
import { fill } from "./fixtures";
import type { Sort } from "./sorting";
import { shownRows, type TableColumn } from "./table";

const columns: TableColumn<ReturnType<typeof fill>>[] = [
  {
    id: "price",
    title: "Price",
    width: "1fr",
    isNumber: true,
    cell: () => null,
    sortKey: ({ price }) => Number(price),
  },
];

function table(all: ReturnType<typeof fill>[]) {
  const [rows, filter, sort] = [signal(all), signal<Filter>(NO_FILTER), signal<Sort | null>(null)];
  const shown = shownRows(rows, columns, filter, sort, signal("ETHUSDT"), ({ symbol }) => symbol);
  return { rows, filter, sort, shown };
}

afterEach(() => vi.useRealTimers());

test("rows are filtered by side, market and words, and sorted", () => {
  const { filter, sort, shown } = table([
    fill({ price: 1n }),
    fill({ price: 3n, symbol: "ETHUSDT" }),
    fill({ price: 2n, side: "SELL" }),
  ]);
  sort.value = { column: "price", isDescending: true };
  expect(shown.value.map(({ price }) => price)).toEqual([3n, 2n, 1n]);
  filter.value = { text: "", side: "SELL", isChosenOnly: false };
  expect(shown.value.map(({ price }) => price)).toEqual([2n]);
  filter.value = { text: "", side: "", isChosenOnly: true };
  expect(shown.value.map(({ price }) => price)).toEqual([3n]);
  filter.value = { text: "btc", side: "BUY", isChosenOnly: false };
  expect(shown.value.map(({ price }) => price)).toEqual([1n]);
});

test("very many rows follow at once as they come, and after a moment while they are sorted", () => {
  vi.useFakeTimers();
  const many = Array.from({ length: 20_001 }, () => fill());
  const { rows, sort, shown } = table(many);
  rows.value = [fill({ price: 9n }), ...many];
  expect(shown.value).toHaveLength(20_002);
  sort.value = { column: "price", isDescending: true };
  rows.value = [fill({ price: 8n }), ...rows.value];
  expect(shown.value).toHaveLength(20_002);
  vi.advanceTimersByTime(2_000);
  expect(shown.value).toHaveLength(20_003);
});
