// The ladder for assistive technology: the best ten prices of each side, once a second, and own orders as buttons.
import { format, formatShort } from "../../numbers/decimal";
import { cancel } from "../../stores/act";
import { book } from "../../stores/book";
import { market } from "../../stores/markets";
import { ordersOfChosen } from "../../stores/orders";
import type { Level, Market } from "../../stores/types";
import { useSlowly } from "../canvas/useSlowly";
import { capsuleWords } from "./intents";
import { capsulesOf } from "./orders";

const LEVELS = 10;
const OWN_MAX = 20;

export function LadderMirror() {
  const of = market.value;
  if (of === null) return null;
  return (
    <>
      <BookGrid market={of} />
      <OwnOrders market={of} />
    </>
  );
}

function BookGrid({ market: of }: { market: Market }) {
  useSlowly(() => book.version);
  const asks = book.asks.slice(0, LEVELS).reverse();
  const bids = book.bids.slice(0, LEVELS);
  return (
    <div class="hidden-text">
      <div role="grid" aria-label={`Best prices of ${of.symbol}`} aria-readonly="true">
        {asks.map((level) => (
          <GridRow key={`a${level.price}`} name="Ask" level={level} market={of} />
        ))}
        {bids.map((level) => (
          <GridRow key={`b${level.price}`} name="Bid" level={level} market={of} />
        ))}
      </div>
    </div>
  );
}

function GridRow({ name, level, market: of }: { name: string; level: Level; market: Market }) {
  return (
    <div role="row">
      <span role="rowheader">{name}</span>
      <span role="gridcell">{format(level.price, of.price.decimals)}</span>
      <span role="gridcell">{formatShort(level.qty, of.qty.decimals)}</span>
    </div>
  );
}

/** Seen when one of them has the focus. */
function OwnOrders({ market: of }: { market: Market }) {
  const orders = ordersOfChosen.value;
  if (orders.length === 0) return null;
  return (
    <ul class="ladder-own" aria-label="Own orders of this market">
      {orders.slice(0, OWN_MAX).map((order) => (
        <li key={order.key}>
          <button type="button" class="button" onClick={() => void cancel(order)}>
            Cancel{" "}
            {capsulesOf([order], () => 0, new Map(), null).map((capsule) => capsuleWords(capsule, of))[0] ?? order.type}
          </button>
        </li>
      ))}
      {orders.length > OWN_MAX && <li>{orders.length - OWN_MAX} more are in the open orders.</li>}
    </ul>
  );
}
