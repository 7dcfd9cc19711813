import { computed, signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { format, rescale, toNumber } from "../../numbers/decimal";
import { balances } from "../../stores/balances";
import { markets, tickers } from "../../stores/markets";
import { session } from "../../stores/session";
import type { Balance } from "../../stores/types";
import { VirtualTable } from "../../ui/VirtualTable";
import { Amount } from "./Amount";
import { type Sort, sorted } from "./sorting";
import { exportRows, fitting, type TableColumn, turnSort } from "./table";
import { commonQuote, worthOf } from "./valuation";

interface Row extends Balance {
  readonly value: bigint | null;
}

/** Decimals of a value on screen: it is an estimate. */
const SHOWN_DECIMALS = 2;

const sort = signal<Sort | null>(null);
const quote = computed(() => commonQuote(markets.value.values()));

const rows = computed<readonly Row[]>(() => {
  const to = quote.value;
  return [...balances.value.values()]
    .filter(({ free, locked }) => free !== 0n || locked !== 0n)
    .map((balance) => ({
      ...balance,
      value: to && worthOf(balance, to.quote, to.quoteDecimals, markets.value.values(), tickers.value),
    }));
});

const total = computed(() => {
  const known = rows.value.filter(({ value }) => value !== null);
  return {
    value: known.reduce((sum, { value }) => sum + (value ?? 0n), 0n),
    unknown: rows.value.length - known.length,
  };
});

function amount(id: string, title: string, of: (row: Row) => bigint, from: number): TableColumn<Row> {
  return {
    id,
    title,
    width: "minmax(90px, 1fr)",
    isNumber: true,
    from,
    cell: (row) => <Amount value={of(row)} decimals={row.decimals} />,
    sortKey: (row) => toNumber(of(row), row.decimals),
    csv: (row) => format(of(row), row.decimals),
  };
}

const columns: readonly TableColumn<Row>[] = [
  {
    id: "asset",
    title: "Asset",
    width: "44px",
    cell: ({ asset }) => asset,
    sortKey: ({ asset }) => asset,
    csv: ({ asset }) => asset,
    isText: true,
  },
  amount("free", "Free", ({ free }) => free, 0),
  amount("locked", "In orders", ({ locked }) => locked, 0),
  amount("total", "Total", ({ free, locked }) => free + locked, 620),
  {
    id: "value",
    title: "Value",
    width: "minmax(80px, 1fr)",
    isNumber: true,
    from: 400,
    cell: ({ value }) => <Value value={value} />,
    sortKey: ({ value }) => (value === null ? null : Number(value)),
    csv: ({ value }) => (value === null || !quote.value ? "" : format(value, quote.value.quoteDecimals)),
  },
];

const shown = computed(() => {
  const by = sort.value;
  const column = columns.find(({ id }) => id === (by?.column ?? "value"));
  return column ? sorted(rows.value, column.sortKey, by?.isDescending ?? true) : rows.value;
});

export const exportBalances = () => exportRows("balances", columns, shown.peek());

export function Balances({ width }: { width: number }) {
  const visible = useMemo(() => fitting(columns, width), [width]);
  return (
    <div class="dock-balances">
      <VirtualTable
        label="Balances"
        testId="balances"
        columns={visible}
        rows={shown.value}
        rowKey={keyOf}
        empty={session.value === null ? "Sign in to see your balances." : "No balances."}
        onSort={sortBy}
        {...(sort.value && { sort: sort.value })}
      />
      {rows.value.length > 0 && quote.value && (
        <p class="dock-total">
          <span class="dim">
            Worth at last prices{total.value.unknown > 0 && `, without ${total.value.unknown} that have none`}
          </span>
          <span class="number">
            <Value value={total.value.value} /> {quote.value.quote}
          </span>
        </p>
      )}
    </div>
  );
}

function Value({ value }: { value: bigint | null }) {
  const decimals = quote.value?.quoteDecimals ?? 0;
  const shownDecimals = Math.min(decimals, SHOWN_DECIMALS);
  return <Amount value={value === null ? null : rescale(value, decimals, shownDecimals)} decimals={shownDecimals} />;
}

const keyOf = ({ asset }: Row) => asset;
const sortBy = (column: string) => turnSort(sort, columns, column);
