import { useSignal } from "@preact/signals";
import { Component, type ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

export interface Column<T> {
  readonly id: string;
  readonly title: string;
  /** A track of CSS grid, such as `1fr` or `90px`. */
  readonly width: string;
  readonly cell: (row: T) => ComponentChildren;
  readonly isNumber?: boolean;
}

interface Props<T> {
  label: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  rowKey: (row: T) => string | number;
  rowHeight?: number;
  testId?: string;
  /** What stands there without rows. */
  empty: ComponentChildren;
  sort?: { readonly column: string; readonly isDescending: boolean };
  onSort?: (column: string) => void;
  onRow?: (row: T) => void;
  rowClass?: (row: T) => string;
}

/** Rows above and below the visible ones, so that a quick scroll shows no hole. */
const MARGIN = 8;
/** Browsers place nothing beyond some 16 million pixels. */
const HEIGHT_MAX = 8_000_000;

/** A table of which only the visible rows are in the document. */
export function VirtualTable<T>(props: Props<T>) {
  const { label, columns, rows, rowKey, rowHeight = 26, testId, empty, sort, onSort, onRow, rowClass } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const top = useSignal(0);
  const height = useSignal(400);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const observer = new ResizeObserver(() => {
      height.value = element.clientHeight;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [height]);
  const tracks = columns.map(({ width }) => width).join(" ");
  // Above the browser's limit the scroll bar stands for more rows than it has pixels for.
  const whole = rows.length * rowHeight;
  const shown = Math.min(whole, HEIGHT_MAX);
  const room = Math.max(shown - height.value, 1);
  const offset = shown === whole ? top.value : (Math.min(top.value, room) / room) * (whole - height.value);
  const first = Math.max(0, Math.floor(offset / rowHeight) - MARGIN);
  const last = Math.min(rows.length, Math.ceil((offset + height.value) / rowHeight) + MARGIN);
  return (
    <div class="table" data-testid={testId}>
      <div role="table" class="table-frame" aria-label={label} aria-rowcount={rows.length + 1}>
        <div role="rowgroup" class="table-head">
          <div
            role="row"
            class="table-row"
            aria-rowindex={1}
            style={{ gridTemplateColumns: tracks, height: `${rowHeight}px` }}
          >
            {columns.map((column) => (
              <Head key={column.id} column={column} sort={sort} onSort={onSort} />
            ))}
          </div>
        </div>
        <div
          ref={scroller}
          class="table-scroll"
          role={rows.length > 0 ? "rowgroup" : "presentation"}
          tabIndex={rows.length > 0 ? 0 : undefined}
          onScroll={(event) => {
            top.value = event.currentTarget.scrollTop;
          }}
        >
          <div class="table-space" role="presentation" style={{ height: `${shown}px` }}>
            {rows.slice(first, last).map((row, index) => (
              <Row
                key={rowKey(row)}
                row={row}
                index={first + index + 2}
                columns={columns}
                tracks={tracks}
                height={rowHeight}
                top={(first + index) * rowHeight - offset + top.value}
                rowClass={rowClass}
                onRow={onRow}
              />
            ))}
          </div>
        </div>
      </div>
      {rows.length === 0 && <p class="table-empty">{empty}</p>}
    </div>
  );
}

interface RowProps<T> {
  row: T;
  index: number;
  columns: readonly Column<T>[];
  tracks: string;
  height: number;
  top: number;
  rowClass: Props<T>["rowClass"];
  onRow: Props<T>["onRow"];
}

/** Rendered anew only where it has changed: a table that scrolls has most of its rows already. */
class Row<T> extends Component<RowProps<T>> {
  override shouldComponentUpdate(next: RowProps<T>, state: object): boolean {
    // A signal that a cell has read changes the state.
    if (state !== this.state) return true;
    return (Object.keys(next) as (keyof RowProps<T>)[]).some((name) => next[name] !== this.props[name]);
  }

  override render({ row, index, columns, tracks, height, top, rowClass, onRow }: RowProps<T>) {
    return (
      // biome-ignore lint/a11y/useKeyWithClickEvents: a cell of the row has a button that does the same.
      <div
        role="row"
        tabIndex={-1}
        class={`table-row ${rowClass?.(row) ?? ""}`}
        aria-rowindex={index}
        style={{ gridTemplateColumns: tracks, height: `${height}px`, top: `${top}px` }}
        onClick={onRow && (() => onRow(row))}
      >
        {columns.map(({ id, cell, isNumber }) => (
          <div key={id} role="cell" class={isNumber ? "number" : ""}>
            {cell(row)}
          </div>
        ))}
      </div>
    );
  }
}

interface HeadProps<T> {
  column: Column<T>;
  sort: Props<T>["sort"];
  onSort: Props<T>["onSort"];
}

function Head<T>({ column: { id, title, isNumber }, sort, onSort }: HeadProps<T>) {
  const direction = sort?.column === id ? (sort.isDescending ? "descending" : "ascending") : undefined;
  const arrow = direction && (direction === "descending" ? " ↓" : " ↑");
  return (
    <div role="columnheader" class={isNumber ? "number" : ""} aria-sort={direction}>
      {onSort && title !== "" ? (
        <button type="button" class="table-sort" onClick={() => onSort(id)}>
          {title}
          {arrow}
        </button>
      ) : (
        title
      )}
    </div>
  );
}
