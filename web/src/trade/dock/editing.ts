// A change of an order that is being typed.
import { format, parse } from "../../numbers/decimal";
import type { Market, Order } from "../../stores/types";

export interface Edit {
  readonly key: string;
  readonly price: string;
  readonly qty: string;
  /** Why it cannot be sent. */
  readonly problem: string | null;
}

export function editOf(order: Order, market: Market): Edit {
  const text = (value: bigint | null, decimals: number) => (value === null ? "" : format(value, decimals));
  const price = text(order.price, market.price.decimals);
  return { key: order.key, price, qty: text(order.qty, market.qty.decimals), problem: null };
}

/** What a typed change asks for, or a sentence that says what is wrong with it. */
export function changeOf(edit: Edit, order: Order, market: Market): { price?: bigint; qty?: bigint } | string {
  const change: { price?: bigint; qty?: bigint } = {};
  for (const [name, word] of [
    ["price", "price"],
    ["qty", "quantity"],
  ] as const) {
    if (order[name] === null) continue;
    const { decimals, step } = market[name];
    const parsed = parse(edit[name], decimals);
    if ("problem" in parsed) {
      return parsed.problem === "too many decimals"
        ? `The ${word} may have ${decimals} decimals.`
        : `Enter a ${word}, such as ${format(order[name], decimals)}.`;
    }
    if (parsed.units <= 0n) return `The ${word} must be above zero.`;
    if (step > 0n && parsed.units % step !== 0n) return `The ${word} must be a multiple of ${format(step, decimals)}.`;
    if (parsed.units !== order[name]) change[name] = parsed.units;
  }
  if (change.qty !== undefined && change.qty <= order.filled) {
    return `${format(order.filled, market.qty.decimals)} are filled already: the quantity must be above it.`;
  }
  // A replacement would leave the list, and the venue would cancel its other orders.
  if (order.orderListId !== -1 && (change.qty ?? 0n) > (order.qty ?? 0n)) {
    return "The quantity of an order in a list can only fall: cancel the list and enter it anew.";
  }
  return change;
}
