// Order and choice of the rows of a table.

export interface Sort {
  readonly column: string;
  readonly isDescending: boolean;
}

/** What a row is sorted by: `null` comes last in both directions. */
export type SortKey = number | string | null;

/** The same column turns around; another one begins with the largest number or the first letter. */
export function nextSort(sort: Sort | null, column: string, isNumber: boolean): Sort | null {
  if (sort?.column !== column) return { column, isDescending: isNumber };
  return sort.isDescending === isNumber ? { column, isDescending: !isNumber } : null;
}

/** Stable; each key is made once, since 100,000 rows are compared some 1,700,000 times. */
export function sorted<T>(rows: readonly T[], key: (row: T) => SortKey, isDescending: boolean): T[] {
  const keyed = rows.map((row) => ({ row, key: key(row) }));
  const sign = isDescending ? -1 : 1;
  keyed.sort((a, b) => {
    if (a.key === b.key) return 0;
    if (a.key === null) return 1;
    if (b.key === null) return -1;
    return a.key < b.key ? -sign : sign;
  });
  return keyed.map(({ row }) => row);
}

/** Rows that have each word of `filter` in their text, whatever its case. */
export function filtered<T>(rows: readonly T[], filter: string, text: (row: T) => string): readonly T[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return rows;
  return rows.filter((row) => {
    const whole = text(row).toLowerCase();
    return words.every((word) => whole.includes(word));
  });
}
