import type { Order } from "../../stores/types";
import { stateWords } from "./words";

/** The state of an order in a sign and in words. */
export function State({ order }: { order: Order }) {
  const { sign, text, look } = stateWords(order);
  return (
    <span class="dock-state" data-look={look} title={order.reason ?? undefined}>
      <span aria-hidden="true">{sign}</span> {text}
    </span>
  );
}

export function SideWord({ side }: { side: Order["side"] }) {
  return <span class={side === "BUY" ? "up dock-side" : "down dock-side"}>{side === "BUY" ? "Buy" : "Sell"}</span>;
}
