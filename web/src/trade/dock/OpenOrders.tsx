import { type Signal, signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { format, toNumber } from "../../numbers/decimal";
import { cancel } from "../../stores/act";
import { venueNow } from "../../stores/link";
import { chosen, markets } from "../../stores/markets";
import { isWorking } from "../../stores/orderState";
import { openOrders } from "../../stores/orders";
import { session } from "../../stores/session";
import type { Market, Order } from "../../stores/types";
import { VirtualTable } from "../../ui/VirtualTable";
import { amendAsking } from "../ticket/send";
import { Amount } from "./Amount";
import { sideColumn, symbolColumn } from "./columns";
import { changeOf, type Edit, editOf } from "./editing";
import { type Filter, NO_FILTER } from "./Filters";
import { SideWord, State } from "./State";
import type { Sort } from "./sorting";
import { exportRows, fitting, shownRows, type TableColumn, turnSort } from "./table";
import { rowHeight } from "./useWidth";
import { dateAndClock, shortTime, stateWords, typeWords } from "./words";

export const orderFilter = signal<Filter>(NO_FILTER);
const sort = signal<Sort | null>(null);
const edit = signal<Edit | null>(null);

const marketOf = ({ symbol }: Order): Market | undefined => markets.value.get(symbol);
const inPrice = (order: Order, value: bigint | null) => textOf(value, marketOf(order)?.price.decimals);
const inQty = (order: Order, value: bigint | null) => textOf(value, marketOf(order)?.qty.decimals);
const priceNumber = (order: Order, value: bigint | null) => numberOf(value, marketOf(order)?.price.decimals);
const qtyNumber = (order: Order, value: bigint | null) => numberOf(value, marketOf(order)?.qty.decimals);

const columns: readonly TableColumn<Order>[] = [
  {
    id: "time",
    title: "Time",
    width: "76px",
    from: 720,
    cell: ({ createdMs }) => <span class="dim">{shortTime(createdMs, venueNow())}</span>,
    sortKey: ({ createdMs }) => createdMs,
    csv: ({ createdMs }) => dateAndClock(createdMs),
  },
  symbolColumn,
  sideColumn,
  {
    id: "type",
    title: "Type",
    width: "minmax(64px, 1fr)",
    from: 740,
    cell: ({ type, timeInForce }) => (
      <span title={`${typeWords(type)}, ${timeInForce}`}>
        {typeWords(type)}
        {timeInForce !== "GTC" && timeInForce !== "" && <span class="dim"> {timeInForce}</span>}
      </span>
    ),
    sortKey: ({ type }) => type,
    csv: ({ type }) => type,
  },
  {
    id: "price",
    title: "Price",
    width: "minmax(84px, 1fr)",
    isNumber: true,
    cell: (order) => <PriceCell order={order} />,
    sortKey: (order) => priceNumber(order, order.price ?? order.stopPrice),
    csv: (order) => inPrice(order, order.price),
  },
  {
    id: "qty",
    title: "Quantity",
    width: "minmax(76px, 1fr)",
    isNumber: true,
    cell: (order) => <QtyCell order={order} />,
    sortKey: (order) => qtyNumber(order, order.qty),
    csv: (order) => inQty(order, order.qty),
  },
  {
    id: "filled",
    title: "Filled",
    width: "minmax(70px, 1fr)",
    isNumber: true,
    from: 960,
    cell: (order) => <Amount value={order.filled} decimals={marketOf(order)?.qty.decimals ?? 0} />,
    sortKey: (order) => qtyNumber(order, order.filled),
    csv: (order) => inQty(order, order.filled),
  },
  {
    id: "ahead",
    title: "Ahead",
    width: "minmax(64px, 0.8fr)",
    isNumber: true,
    from: 560,
    cell: (order) => (
      <span title="Quantity that trades before it at its price">
        <Amount value={order.ahead} decimals={marketOf(order)?.qty.decimals ?? 0} />
      </span>
    ),
    sortKey: (order) => qtyNumber(order, order.ahead),
    csv: (order) => inQty(order, order.ahead),
  },
  {
    id: "state",
    title: "State",
    width: "minmax(var(--dock-state), 1.6fr)",
    cell: (order) => (
      <span class="dock-last">
        <StateCell order={order} />
        <Actions order={order} />
      </span>
    ),
    sortKey: (order) => stateWords(order).text,
    csv: (order) => stateWords(order).text,
  },
  {
    id: "id",
    title: "Client order id",
    width: "0",
    from: Number.POSITIVE_INFINITY,
    cell: () => null,
    sortKey: ({ clientOrderId }) => clientOrderId,
    csv: ({ clientOrderId }) => clientOrderId,
    isText: true,
  },
];

/** On a phone each row has two lines. */
const narrowColumns: readonly TableColumn<Order>[] = [
  {
    id: "symbol",
    title: "Market",
    width: "minmax(76px, 1fr)",
    cell: ({ symbol, side, type }) => (
      <>
        <span class="dock-line">{symbol}</span>
        <span class="dock-line">
          <SideWord side={side} /> <span class="dim">{typeWords(type)}</span>
        </span>
      </>
    ),
    sortKey: ({ symbol }) => symbol,
  },
  {
    id: "price",
    title: "Price",
    width: "minmax(92px, 1fr)",
    isNumber: true,
    cell: (order) => (
      <>
        <span class="dock-line">
          <PriceCell order={order} />
        </span>
        <span class="dock-line dim">
          <QtyCell order={order} />
        </span>
      </>
    ),
    sortKey: (order) => priceNumber(order, order.price ?? order.stopPrice),
  },
  {
    id: "state",
    title: "State",
    width: "minmax(108px, 1fr)",
    cell: (order) => (
      <>
        <StateCell order={order} />
        <Actions order={order} />
      </>
    ),
    sortKey: (order) => stateWords(order).text,
  },
];
const ONE_LINE_FROM = 520;
const TWO_LINES = 94;

const shown = shownRows(openOrders, columns, orderFilter, sort, chosen, (order) =>
  [order.symbol, order.side, typeWords(order.type), stateWords(order).text, order.clientOrderId, order.orderId].join(
    " ",
  ),
);

export const exportOrders = () => exportRows("open-orders", columns, shown.peek());

interface Props {
  width: number;
  onLife: (key: string) => void;
}

export function OpenOrders({ width, onLife }: Props) {
  life.value = onLife;
  const isNarrow = width < ONE_LINE_FROM;
  const visible = useMemo(() => (isNarrow ? narrowColumns : fitting(columns, width)), [width, isNarrow]);
  return (
    <>
      <VirtualTable
        label="Open orders"
        testId="open-orders"
        columns={visible}
        rows={shown.value}
        rowKey={keyOf}
        rowHeight={isNarrow ? TWO_LINES : rowHeight()}
        empty={emptyText()}
        onSort={sortBy}
        onRow={open}
        {...(sort.value && { sort: sort.value })}
      />
      <p class="dock-problem bad" role="alert">
        {edit.value?.problem}
      </p>
    </>
  );
}

const life: Signal<(key: string) => void> = signal(() => {});
const keyOf = ({ key }: Order) => key;
const sortBy = (column: string) => turnSort(sort, columns, column);
const open = ({ key }: Order) => {
  if (edit.peek() === null) life.peek()(key);
};

function emptyText(): string {
  if (session.value === null) return "Sign in to see your orders.";
  return openOrders.value.length > 0 ? "No open order passes the filter." : "No open orders.";
}

function PriceCell({ order }: { order: Order }) {
  const market = marketOf(order);
  if (!market) return <>–</>;
  if (edit.value?.key === order.key && order.price !== null && order.orderListId === -1) {
    return <EditField name="price" label={`Price of ${wordsOf(order)}`} order={order} />;
  }
  if (order.price === null && order.stopPrice === null) return <span class="dim">market</span>;
  const { decimals } = market.price;
  return (
    <span title={order.stopPrice === null ? undefined : `Triggered at ${format(order.stopPrice, decimals)}`}>
      {order.stopPrice !== null && <span class="dim">@ </span>}
      <Amount value={order.price ?? order.stopPrice} decimals={decimals} />
    </span>
  );
}

function QtyCell({ order }: { order: Order }) {
  const market = marketOf(order);
  if (!market) return <>–</>;
  if (edit.value?.key === order.key) {
    return <EditField name="qty" label={`Quantity of ${wordsOf(order)}`} order={order} />;
  }
  if (order.qty !== null) return <Amount value={order.qty} decimals={market.qty.decimals} />;
  return (
    <>
      <Amount value={order.quoteQty} decimals={market.quoteDecimals} /> {market.quote}
    </>
  );
}

interface FieldProps {
  name: "price" | "qty";
  label: string;
  order: Order;
}

function EditField({ name, label, order }: FieldProps) {
  return (
    <input
      class="dock-edit number"
      inputMode="decimal"
      aria-label={label}
      aria-invalid={edit.value?.problem != null}
      value={edit.value?.[name]}
      // The first field that appears takes the focus: the pencil that had it is gone.
      ref={(element) => {
        if (element && (name === "price" || order.price === null || order.orderListId !== -1))
          focusOnce(element, order.key);
      }}
      onClick={stop}
      onInput={(event) => {
        const typed = event.currentTarget.value;
        if (edit.value) edit.value = { ...edit.value, [name]: typed, problem: null };
      }}
      onKeyDown={(event) => {
        if (event.key === "Enter") void send(order);
        else if (event.key === "Escape") edit.value = null;
        else return;
        event.stopPropagation();
        event.preventDefault();
      }}
    />
  );
}

let focused = "";
function focusOnce(element: HTMLInputElement, key: string): void {
  if (focused === key) return;
  focused = key;
  element.focus();
  element.select();
}

function StateCell({ order }: { order: Order }) {
  return (
    <button
      type="button"
      class="dock-link"
      title="Life of this order"
      onClick={(event) => {
        event.stopPropagation();
        life.peek()(order.key);
      }}
    >
      <State order={order} />
    </button>
  );
}

function Actions({ order }: { order: Order }) {
  const market = marketOf(order);
  const words = wordsOf(order);
  if (edit.value?.key === order.key) {
    return (
      <span class="dock-actions">
        <Act label={`Send the change of ${words}`} onClick={() => void send(order)}>
          ✓
        </Act>
        <Act label="Keep it as it is" onClick={() => leave()}>
          ↶
        </Act>
      </span>
    );
  }
  return (
    <span class="dock-actions">
      <Act
        label={`Amend ${words}`}
        disabled={!isWorking(order) || order.qty === null || !market}
        onClick={() => {
          focused = "";
          if (market) edit.value = editOf(order, market);
        }}
      >
        ✎
      </Act>
      <Act label={`Cancel ${words}`} disabled={order.change !== null} onClick={() => void cancel(order)}>
        ✕
      </Act>
    </span>
  );
}

interface ActProps {
  label: string;
  onClick: () => void;
  disabled?: boolean;
  children: string;
}

function Act({ label, onClick, disabled = false, children }: ActProps) {
  return (
    <button
      type="button"
      class="dock-act"
      aria-label={label}
      title={label}
      disabled={disabled}
      onClick={(event) => {
        event.stopPropagation();
        onClick();
      }}
    >
      {children}
    </button>
  );
}

async function send(order: Order): Promise<void> {
  const [typed, market] = [edit.peek(), marketOf(order)];
  if (!typed || !market) return;
  const change = changeOf(typed, order, market);
  if (typeof change === "string") {
    edit.value = { ...typed, problem: change };
    return;
  }
  leave();
  // A refusal is in the messages, and the row shows that nothing changed.
  await amendAsking(order, change);
}

function leave(): void {
  edit.value = null;
}

function wordsOf(order: Order): string {
  const price = order.price === null ? "" : ` at ${inPrice(order, order.price)}`;
  return `${order.side === "BUY" ? "buy" : "sell"} ${inQty(order, order.qty)} ${order.symbol}${price}`;
}

const stop = (event: Event) => event.stopPropagation();
const textOf = (value: bigint | null, decimals = 0) => (value === null ? "" : format(value, decimals));
const numberOf = (value: bigint | null, decimals = 0) => (value === null ? null : toNumber(value, decimals));
