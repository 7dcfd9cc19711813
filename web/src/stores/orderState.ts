// What the state of an order says.
import type { Order } from "./types";

/** Nothing of it will trade any more. */
export const isOver = ({ state }: Pick<Order, "state">): boolean =>
  state === "filled" || state === "canceled" || state === "expired" || state === "rejected";

/** The venue has it, and no change of it is on its way. */
export const isWorking = ({ state, change }: Pick<Order, "state" | "change">): boolean =>
  change === null && (state === "accepted" || state === "part-filled" || state === "pending");

/** What is left of it to trade; nothing is known of a market order by amount. */
export const leftOf = ({ qty, filled }: Pick<Order, "qty" | "filled">): bigint => (qty ?? filled) - filled;
