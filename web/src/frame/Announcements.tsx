// Says what becomes of own orders to those who do not see it.
import { computed } from "@preact/signals";
import { lastSentOrder, orderWords } from "../stores/orders";

const words = computed(() => {
  const order = lastSentOrder.value;
  return order === null ? "" : `${orderWords(order)}: ${order.state}. ${order.reason ?? ""}`;
});

export function Announcements() {
  return (
    <p class="hidden-text" aria-live="polite" data-testid="announcements">
      {words}
    </p>
  );
}
