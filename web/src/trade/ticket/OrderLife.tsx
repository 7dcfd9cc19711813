// What became of the order that was sent last, beside the button that sent it.
import { formatShort } from "../../numbers/decimal";
import { markets } from "../../stores/markets";
import { lastSentOrder, orderWords } from "../../stores/orders";
import type { Order } from "../../stores/types";
import { STATE_WORDS } from "./words";

const LOOKS: Readonly<Record<Order["state"], string>> = {
  sent: "dim",
  unknown: "warning",
  accepted: "good",
  pending: "good",
  "part-filled": "good",
  filled: "good",
  canceled: "dim",
  expired: "warning",
  rejected: "bad",
};

export function OrderLife() {
  const order = lastSentOrder.value;
  const market = order && markets.value.get(order.symbol);
  if (!order || !market) return null;
  const { filled, qty, state, reason } = order;
  const part = qty !== null && qty > 0n && filled > 0n && filled < qty;
  return (
    <p class="ticket-life" data-testid="ticket-life" data-state={state}>
      <span class={LOOKS[state]}>
        {STATE_WORDS[state]}
        {part && ` ${formatShort(filled, market.qty.decimals)} of ${formatShort(qty, market.qty.decimals)}`}
      </span>{" "}
      <span class="dim">
        {orderWords(order, market)}
        {reason && `. ${reason}`}
      </span>
    </p>
  );
}
