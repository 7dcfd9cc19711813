import { signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { format, toNumber } from "../../numbers/decimal";
import { decimalsOfAsset, fills, known } from "../../stores/fills";
import { venueNow } from "../../stores/link";
import { chosen, markets } from "../../stores/markets";
import { session } from "../../stores/session";
import type { Fill } from "../../stores/types";
import { VirtualTable } from "../../ui/VirtualTable";
import { Amount } from "./Amount";
import { sideColumn, symbolColumn } from "./columns";
import { type Filter, NO_FILTER } from "./Filters";
import type { Sort } from "./sorting";
import { exportRows, fitting, shownRows, type TableColumn, turnSort } from "./table";
import { dateAndClock, shortTime } from "./words";

export const fillFilter = signal<Filter>(NO_FILTER);
const sort = signal<Sort | null>(null);

interface Decimals {
  readonly price: number;
  readonly qty: number;
  readonly quote: number;
  readonly fee: number;
}

function decimalsOf({ symbol, feeAsset }: Fill): Decimals {
  const market = markets.value.get(symbol);
  if (!market) return { price: 0, qty: 0, quote: 0, fee: 0 };
  const fee = decimalsOfAsset(market, feeAsset);
  return { price: market.price.decimals, qty: market.qty.decimals, quote: market.quoteDecimals, fee };
}

const roleOf = ({ isMaker }: Fill) => (isMaker ? "maker" : "taker");
const stateOf = ({ isBusted }: Fill) => (isBusted ? "undone" : "");

/** A column of numbers. */
function number(
  id: "price" | "qty" | "quoteQty" | "fee",
  title: string,
  decimals: (fill: Fill) => number,
  from: number,
  least: number,
): TableColumn<Fill> {
  return {
    id,
    title,
    width: `minmax(${least}px, 1fr)`,
    isNumber: true,
    from,
    cell: (fill) => <Amount value={fill[id]} decimals={decimals(fill)} />,
    sortKey: (fill) => toNumber(fill[id], decimals(fill)),
    csv: (fill) => format(fill[id], decimals(fill)),
  };
}

const columns: readonly TableColumn<Fill>[] = [
  {
    id: "time",
    title: "Time",
    width: "64px",
    cell: ({ timeMs, isBusted }) => <span class="dim">{isBusted ? "undone" : shortTime(timeMs, venueNow())}</span>,
    sortKey: ({ timeMs }) => timeMs,
    csv: ({ timeMs }) => dateAndClock(timeMs),
  },
  symbolColumn,
  sideColumn,
  number("price", "Price", (fill) => decimalsOf(fill).price, 0, 72),
  number("qty", "Quantity", (fill) => decimalsOf(fill).qty, 0, 60),
  number("quoteQty", "Value", (fill) => decimalsOf(fill).quote, 720, 110),
  {
    ...number("fee", "Fee", (fill) => decimalsOf(fill).fee, 560, 100),
    cell: (fill) => (
      <>
        <Amount value={fill.fee} decimals={decimalsOf(fill).fee} /> <span class="dim">{fill.feeAsset}</span>
      </>
    ),
  },
  {
    id: "feeAsset",
    title: "Fee asset",
    width: "0",
    from: Number.POSITIVE_INFINITY,
    cell: () => null,
    sortKey: ({ feeAsset }) => feeAsset,
    csv: ({ feeAsset }) => feeAsset,
    isText: true,
  },
  {
    id: "role",
    title: "Role",
    width: "48px",
    from: 460,
    cell: (fill) => <span class="dim">{roleOf(fill)}</span>,
    sortKey: roleOf,
    csv: roleOf,
  },
  {
    id: "trade",
    title: "Trade",
    width: "70px",
    isNumber: true,
    from: 820,
    cell: ({ tradeId }) => tradeId,
    sortKey: ({ tradeId }) => tradeId,
    csv: ({ tradeId }) => String(tradeId),
  },
  {
    id: "order",
    title: "Order",
    width: "70px",
    isNumber: true,
    from: 900,
    cell: ({ orderId }) => orderId,
    sortKey: ({ orderId }) => orderId,
    csv: ({ orderId }) => String(orderId),
  },
  {
    id: "state",
    title: "State",
    width: "0",
    from: Number.POSITIVE_INFINITY,
    cell: () => null,
    sortKey: stateOf,
    csv: stateOf,
  },
];

const shown = shownRows(fills, columns, fillFilter, sort, chosen, (fill) =>
  [fill.symbol, fill.side, roleOf(fill), stateOf(fill), fill.orderId, fill.tradeId].join(" "),
);

export const exportFills = () => exportRows("fills", columns, shown.peek());

export function Fills({ width }: { width: number }) {
  const visible = useMemo(() => fitting(columns, width), [width]);
  return (
    <>
      <VirtualTable
        label="Fills"
        testId="fills"
        columns={visible}
        rows={shown.value}
        rowKey={keyOf}
        rowClass={classOf}
        empty={emptyText()}
        onSort={sortBy}
        {...(sort.value && { sort: sort.value })}
      />
      <p class="dock-note" role="status">
        {fills.value.length > 0 && known.value === "own" && BEING_READ}
      </p>
    </>
  );
}

const BEING_READ = "Earlier fills are being read …";

const keyOf = ({ key }: Fill) => key;
const classOf = ({ isBusted }: Fill) => (isBusted ? "dock-busted" : "");
const sortBy = (column: string) => turnSort(sort, columns, column);

function emptyText(): string {
  if (session.value === null) return "Sign in to see your fills.";
  if (fills.value.length > 0) return "No fill passes the filter.";
  return known.value === "own" ? BEING_READ : "Nothing traded yet.";
}
