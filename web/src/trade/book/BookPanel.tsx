// Both sides of the book beside each other, best price first, with cumulative bars; a click fills the ticket.
import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { formatShort } from "../../numbers/decimal";
import { book, bookFreshness } from "../../stores/book";
import { market } from "../../stores/markets";
import { ordersOfChosen } from "../../stores/orders";
import { prefill } from "../../stores/ticketDraft";
import type { Market, Side } from "../../stores/types";
import { Panel } from "../../ui/Panel";
import { useCanvas } from "../canvas/useCanvas";
import { useSlowly } from "../canvas/useSlowly";
import { multiplesFor } from "./grouping";
import { BookPainter, BookView } from "./painter";
import "./book.css";

export function BookPanel() {
  const view = useMemo(() => new BookView(), []);
  const multiple = useSignal(1n);
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useCanvas((surface) => new BookPainter(surface, view));
  const of = market.value;
  // Another market has other ticks.
  useEffect(() => {
    multiple.value = 1n;
    view.group(1n);
  }, [of?.symbol, view, multiple]);
  useEffect(() => view.ordersChanged(), [ordersOfChosen.value, view]);
  const group = (to: bigint) => {
    multiple.value = to;
    view.group(to);
  };
  const point = (event: PointerEvent) => {
    const box = frame.current?.getBoundingClientRect();
    if (box) view.point((event.clientX - box.left) / box.width, event.clientY - box.top);
  };
  const click = (event: PointerEvent) => {
    point(event);
    const price = view.pointedPrice();
    if (price === null || of === null || bookFreshness.peek() !== "live") return;
    prefill({ price: formatShort(price, of.price.decimals) });
  };
  return (
    <Panel
      title="Book"
      testId="book"
      class="book"
      freshness={bookFreshness.value}
      tools={of && <Group market={of} multiple={multiple.value} onChange={group} />}
    >
      <div class="book-body">
        <div class="book-heads" aria-hidden="true">
          <span>Sum</span>
          <span>Size</span>
          <span>Bid</span>
          <span>Ask</span>
          <span>Size</span>
          <span>Sum</span>
        </div>
        <div
          ref={frame}
          class="book-rows"
          title="A click puts the price into the ticket"
          onPointerMove={point}
          onPointerLeave={() => view.point(null, 0)}
          onPointerUp={click}
        >
          <canvas ref={canvas} />
        </div>
        {of && <Mirror market={of} />}
      </div>
    </Panel>
  );
}

interface GroupProps {
  market: Market;
  multiple: bigint;
  onChange: (multiple: bigint) => void;
}

function Group({ market: of, multiple, onChange }: GroupProps) {
  const price = book.lastTradePrice ?? book.bids[0]?.price ?? book.asks[0]?.price ?? 0n;
  return (
    <select
      class="field book-group"
      aria-label="Price of a row of the book"
      value={String(multiple)}
      onChange={({ currentTarget }) => onChange(BigInt(currentTarget.value))}
    >
      {multiplesFor(of, price).map((each) => (
        <option key={String(each)} value={String(each)}>
          {formatShort(each * of.price.step, of.price.decimals)}
        </option>
      ))}
    </select>
  );
}

/** Prices as buttons: the keyboard fills the ticket, too. Out of sight until one has the focus. */
function Mirror({ market: of }: { market: Market }) {
  useSlowly(() => book.version);
  const row = (side: Side, price: bigint, qty: bigint) => (
    <li key={`${side}${price}`}>
      <button
        type="button"
        class="button"
        disabled={bookFreshness.value !== "live"}
        onClick={() => prefill({ price: formatShort(price, of.price.decimals) })}
      >
        {side === "BUY" ? "Bid" : "Ask"} {formatShort(price, of.price.decimals)}, size{" "}
        {formatShort(qty, of.qty.decimals)}
      </button>
    </li>
  );
  return (
    <ul class="book-mirror" aria-label="Prices for the ticket">
      {book.asks
        .slice(0, 5)
        .map(({ price, qty }) => row("SELL", price, qty))
        .reverse()}
      {book.bids.slice(0, 5).map(({ price, qty }) => row("BUY", price, qty))}
    </ul>
  );
}
