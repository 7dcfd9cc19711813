import { format } from "../../numbers/decimal";
import { decimalsOfAsset, fills } from "../../stores/fills";
import { markets } from "../../stores/markets";
import { openOrders, orderByKey, recentOrders } from "../../stores/orders";
import type { Fill, Order } from "../../stores/types";
import { Dialog } from "../../ui/Dialog";
import { type LifeEvent, lifeOf } from "./life";
import { SideWord, State } from "./State";
import { clock, dateAndClock, typeWords } from "./words";
import "./life.css";

/** An order's fills are looked for among so many of the newest. */
const FILLS_SEARCHED = 20_000;

/** Characters that do not fit beside another fact. */
const LONG = 18;

interface Props {
  orderKey: string;
  onClose: () => void;
}

/** What happened to an order, with times. */
export function OrderLife({ orderKey, onClose }: Props) {
  // They change whenever the order does.
  void [openOrders.value, recentOrders.value];
  const order = orderByKey(orderKey);
  if (!order) return null;
  const events = [...lifeOf(orderKey), ...fillEvents(order)].sort((a, b) => a.timeMs - b.timeMs);
  const begunMs = events[0]?.timeMs ?? order.createdMs;
  return (
    <Dialog title="Life of the order" onClose={onClose} class="dock-life" testId="order-life">
      <p class="dock-life-head">
        <SideWord side={order.side} /> {order.symbol} {typeWords(order.type).toLowerCase()}
        <State order={order} />
      </p>
      <dl class="dock-facts">
        {factsOf(order).map(([name, value]) => (
          <div key={name} data-long={value.length > LONG}>
            <dt>{name}</dt>
            <dd class="number">{value}</dd>
          </div>
        ))}
      </dl>
      <ol class="dock-events" aria-label="Events">
        {events.map(({ timeMs, text }, at) => (
          <li key={at}>
            <time class="number" title={`${dateAndClock(timeMs)} UTC`}>
              {clock(timeMs)}
            </time>
            <span class="dim number">{at === 0 ? "" : `+${since(timeMs - begunMs)}`}</span>
            <span>{text}</span>
          </li>
        ))}
      </ol>
      <p class="dim">Times in UTC. Events before this page was opened are not listed, fills are.</p>
    </Dialog>
  );
}

function fillEvents(order: Order): LifeEvent[] {
  const market = markets.value.get(order.symbol);
  if (!market || order.orderId === null || order.filled === 0n) return [];
  const isOwn = ({ symbol, orderId }: Fill) => symbol === order.symbol && orderId === order.orderId;
  return fills.value
    .slice(0, FILLS_SEARCHED)
    .filter(isOwn)
    .map(({ timeMs, qty, price, fee, feeAsset, isMaker, isBusted }) => {
      const role = isMaker ? "maker" : "taker";
      const paid = `${format(fee, decimalsOfAsset(market, feeAsset))} ${feeAsset}`;
      const traded = `${format(qty, market.qty.decimals)} at ${format(price, market.price.decimals)}`;
      return { timeMs, text: `Traded ${traded} as ${role}, fee ${paid}${isBusted ? "; undone by an operator" : ""}` };
    });
}

function factsOf(order: Order): [string, string][] {
  const market = markets.value.get(order.symbol);
  const price = (value: bigint) => format(value, market?.price.decimals ?? 0);
  const qty = (value: bigint) => format(value, market?.qty.decimals ?? 0);
  const facts: [string, string | null][] = [
    ["Price", order.price === null ? null : price(order.price)],
    ["Trigger", order.stopPrice === null ? null : price(order.stopPrice)],
    ["Quantity", order.qty === null ? null : qty(order.qty)],
    ["Amount", order.quoteQty === null ? null : format(order.quoteQty, market?.quoteDecimals ?? 0)],
    ["Filled", qty(order.filled)],
    ["Ahead", order.ahead === null ? null : qty(order.ahead)],
    ["Time in force", order.timeInForce],
    ["Order id", order.orderId === null ? null : String(order.orderId)],
    ["Client order id", order.clientOrderId],
    ["Reason", order.reason],
  ];
  return facts.filter((fact): fact is [string, string] => fact[1] !== null && fact[1] !== "");
}

function since(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  return ms < 60_000 ? `${(ms / 1_000).toFixed(1)} s` : `${Math.floor(ms / 60_000)} min`;
}
