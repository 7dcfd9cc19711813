// Columns that a table can show, be sorted by and be exported with.
import { computed, effect, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { Side } from "../../stores/types";
import type { Column } from "../../ui/VirtualTable";
import type { CsvColumn } from "./csv";
import { type Filter, NO_FILTER } from "./Filters";
import { filtered, nextSort, type Sort, type SortKey, sorted } from "./sorting";

export interface TableColumn<T> extends Column<T> {
  readonly sortKey: (row: T) => SortKey;
  /** As it stands in a file; without it the column is only on screen. */
  readonly csv?: (row: T) => string;
  /** Another person may have written it. */
  readonly isText?: boolean;
  /** Only where the table has this width at least, in pixels. */
  readonly from?: number;
}

interface Filterable {
  readonly symbol: string;
  readonly side: Side;
}

/** So many rows are sorted or filtered anew once in a while only: it takes longer than they take to change. */
const MANY = 20_000;
const MANY_EVERY_MS = 2_000;

/** Rows that pass the filter, sorted. */
export function shownRows<T extends Filterable>(
  rows: ReadonlySignal<readonly T[]>,
  columns: readonly TableColumn<T>[],
  filter: Signal<Filter>,
  sort: Signal<Sort | null>,
  chosen: ReadonlySignal<string>,
  text: (row: T) => string,
): ReadonlySignal<readonly T[]> {
  const isPlain = () => sort.value === null && filter.value === NO_FILTER;
  const source = seldom(rows, (all) => all.length > MANY && !isPlain());
  const kept = computed(() => {
    const { side, isChosenOnly, text: words } = filter.value;
    const symbol = isChosenOnly ? chosen.value : "";
    const all = source.value;
    const some =
      side === "" && symbol === ""
        ? all
        : all.filter((row) => (side === "" || row.side === side) && (symbol === "" || row.symbol === symbol));
    return filtered(some, words, text);
  });
  return computed(() => {
    const by = sort.value;
    const column = columns.find(({ id }) => id === by?.column);
    return by && column ? sorted(kept.value, column.sortKey, by.isDescending) : kept.value;
  });
}

/** Follows `rows`, at most once in a while as long as they are `slow`. */
function seldom<T>(
  rows: ReadonlySignal<readonly T[]>,
  slow: (rows: readonly T[]) => boolean,
): ReadonlySignal<readonly T[]> {
  const followed = signal(rows.peek());
  let timer: ReturnType<typeof setTimeout> | undefined;
  const take = () => {
    clearTimeout(timer);
    timer = undefined;
    followed.value = rows.peek();
  };
  effect(() => {
    if (!slow(rows.value)) take();
    else timer ??= setTimeout(take, MANY_EVERY_MS);
  });
  return followed;
}

export function turnSort<T>(sort: Signal<Sort | null>, columns: readonly TableColumn<T>[], column: string): void {
  sort.value = nextSort(sort.peek(), column, columns.find(({ id }) => id === column)?.isNumber ?? false);
}

/** The columns that fit. */
export function fitting<T>(columns: readonly TableColumn<T>[], width: number): readonly TableColumn<T>[] {
  return columns.filter(({ from = 0 }) => from <= width);
}

/** Saves all rows of a table, with all its columns. */
export async function exportRows<T>(
  name: string,
  columns: readonly TableColumn<T>[],
  rows: readonly T[],
): Promise<void> {
  const { csv, saveCsv } = await import("./csv");
  const inFile = columns.flatMap(({ title, csv: value, isText = false }): CsvColumn<T>[] =>
    value ? [{ title, value, isText }] : [],
  );
  const day = new Date().toISOString().slice(0, 19).replaceAll(":", "");
  saveCsv(`${name}-${day}.csv`, csv(inFile, rows));
}
