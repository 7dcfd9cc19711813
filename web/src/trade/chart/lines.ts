// Own open orders as lines of the chart.
import { format } from "../../numbers/decimal";
import { isWorking } from "../../stores/orderState";
import type { Market, Order, Side } from "../../stores/types";
import type { Linked } from "../dock/linked";
import { stateWords, typeWords } from "../dock/words";

export interface Line {
  /** Of the order, with what its price does there. */
  readonly id: string;
  readonly order: Order;
  readonly side: Side;
  readonly price: bigint;
  readonly label: string;
  /** Not known to be at the venue as drawn. */
  readonly isPending: boolean;
  /** At which another price begins to count, rather than one at which the order trades. */
  readonly isTrigger: boolean;
  readonly isDraggable: boolean;
  /** Lines of one list are joined. */
  readonly list: { readonly id: number; readonly kind: string } | null;
}

/** More would cover the candles, and no hand could tell them apart. */
const MOST = 200;

/**
 * Lines of the orders of a market, newest first. An order that is on its way to another price is drawn there: `asked`
 * has such prices by key.
 */
export function orderLines(
  orders: readonly Order[],
  lists: readonly Linked[],
  market: Market,
  asked: ReadonlyMap<string, bigint>,
): Line[] {
  const kinds = new Map(lists.map(({ id, kind }) => [id, kind]));
  const lines: Line[] = [];
  for (const order of orders) {
    if (lines.length >= MOST) break;
    const kind = kinds.get(order.orderListId);
    const list = kind === undefined ? null : { id: order.orderListId, kind };
    const target = asked.get(order.key);
    const isPending =
      target !== undefined || order.change !== null || order.state === "sent" || order.state === "unknown";
    const shared = { order, side: order.side, isPending, list };
    if (order.price !== null) {
      const price = target ?? order.price;
      const label = labelOf(order, market, target);
      // The venue changes no price within a list.
      const isDraggable = isWorking(order) && order.orderListId === -1 && order.qty !== null;
      lines.push({ ...shared, id: `${order.key} price`, price, label, isTrigger: false, isDraggable });
    }
    if (order.stopPrice !== null) {
      const what = order.price === null ? labelOf(order, market) : `${order.side} trigger`;
      lines.push({
        ...shared,
        id: `${order.key} stop`,
        price: order.stopPrice,
        label: what,
        isTrigger: true,
        isDraggable: false,
      });
    }
  }
  return lines;
}

function labelOf(order: Order, market: Market, target?: bigint): string {
  const qty = order.qty === null ? "" : ` ${format(order.qty - order.filled, market.qty.decimals)}`;
  const type = order.type === "LIMIT" ? "" : ` ${typeWords(order.type).toLowerCase()}`;
  const { sign, text } = stateWords(order);
  const state =
    target !== undefined
      ? " · … amending"
      : order.state === "accepted" && order.change === null
        ? ""
        : ` · ${sign} ${text}`;
  return `${order.side}${qty}${type}${state}`;
}
