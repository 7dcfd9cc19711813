import { ordersOfChosen } from "../../stores/orders";
import { escapeHint } from "./install";

/** After the first Escape: what a second one does. */
export function EscapeHint() {
  const symbol = escapeHint.value;
  const count = ordersOfChosen.value.length;
  return (
    <p class="escape-hint" role="status" data-testid="escape-hint" data-shown={symbol !== null}>
      {symbol !== null &&
        (count === 0
          ? `No open orders of ${symbol}`
          : `Esc again: cancel ${count === 1 ? "the order" : `all ${count} orders`} of ${symbol}`)}
    </p>
  );
}
