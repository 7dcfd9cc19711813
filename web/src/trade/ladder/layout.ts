// Where the columns and rows of a ladder are, in pixels of its canvas.

export const COLUMNS = ["buyOrders", "bid", "price", "ask", "sellOrders"] as const;
export type Column = (typeof COLUMNS)[number];

export const columnOf = (column: Column): number => COLUMNS.indexOf(column);

export interface Layout {
  /** Left edges of the columns, and the right edge of the last. */
  readonly edges: readonly number[];
  readonly rowHeight: number;
  readonly rows: number;
}

export interface Hit {
  readonly row: number;
  readonly column: Column;
}

/** Shares of the width; the heads over the canvas have the same. */
export const SHARES = [43, 35, 44, 35, 43] as const;

export function layoutOf(width: number, height: number, rowHeight: number): Layout {
  const whole = SHARES.reduce((sum, share) => sum + share, 0);
  const edges = [0];
  let sum = 0;
  for (const share of SHARES) {
    sum += share;
    edges.push(Math.round((width * sum) / whole));
  }
  const rows = Math.max(1, Math.floor(height / rowHeight));
  // What is left below is shared among the rows.
  return { edges, rowHeight: Math.max(rowHeight, Math.floor(height / rows)), rows };
}

/** The cell at a point, or `null` outside of all. */
export function hitTest({ edges, rowHeight, rows }: Layout, x: number, y: number): Hit | null {
  const row = Math.floor(y / rowHeight);
  if (row < 0 || row >= rows || x < 0) return null;
  for (let at = 0; at < COLUMNS.length; at++) {
    if (x < (edges[at + 1] ?? 0)) return { row, column: COLUMNS[at] as Column };
  }
  return null;
}
