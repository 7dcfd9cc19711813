// What stands in the ticket. Ladder, book, chart and keys write into it, too.
import { signal } from "@preact/signals";
import type { Side } from "./types";

export const ticket = {
  side: signal<Side>("BUY"),
  /** A type of the API, or the kind of a list in capitals. */
  type: signal("LIMIT"),
  price: signal(""),
  qty: signal(""),
  stopPrice: signal(""),
};

/** Takes over what a click elsewhere says; the rest stays as it is. */
export function prefill(from: { side?: Side; price?: string; qty?: string }): void {
  if (from.side !== undefined) ticket.side.value = from.side;
  if (from.price !== undefined) ticket.price.value = from.price;
  if (from.qty !== undefined) ticket.qty.value = from.qty;
}
