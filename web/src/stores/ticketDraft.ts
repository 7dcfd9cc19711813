// What stands in the ticket. Ladder, book, chart and keys write into it, too.
import { signal } from "@preact/signals";
import type { Side } from "./types";

export type Display = "shown" | "iceberg" | "hidden";

/** The fields of one order: the ticket's own, or a further one of a list. All are texts as typed. */
function orderFields(type: string) {
  return {
    type: signal(type),
    price: signal(""),
    stopPrice: signal(""),
    /** In percent. */
    trailing: signal(""),
    timeInForce: signal("GTC"),
    /** Date and time in UTC, as `2026-01-31T17:00`. */
    goodTill: signal(""),
    display: signal<Display>("shown"),
    icebergQty: signal(""),
    minQty: signal(""),
  };
}

export const ticket = {
  ...orderFields("LIMIT"),
  side: signal<Side>("BUY"),
  qty: signal(""),
  /** Whether a market order has its size in the quote asset. */
  isByQuote: signal(false),
  quoteQty: signal(""),
  isWithinBalance: signal(false),
  /** Type of the order itself where `type` names a list or `PEGGED`. */
  ownType: signal("LIMIT"),
  peg: signal("PRIMARY_PEG"),
  /** In ticks, may be negative. */
  pegOffset: signal(""),
  selfTrade: signal("NONE"),
  pendingSide: signal<"opposite" | "same">("opposite"),
  pendingQty: signal(""),
  pending: orderFields("LIMIT"),
  profit: orderFields("LIMIT_MAKER"),
  stop: orderFields("STOP_LOSS"),
};

/** Takes over what a click elsewhere says; the rest stays as it is. */
export function prefill(from: { side?: Side; price?: string; qty?: string }): void {
  if (from.side !== undefined) ticket.side.value = from.side;
  if (from.price !== undefined) ticket.price.value = from.price;
  if (from.qty !== undefined) ticket.qty.value = from.qty;
}
