// What became of the order or list that was sent last, beside the button that sent it.
import { formatShort } from "../../numbers/decimal";
import { markets } from "../../stores/markets";
import { lastSent, lastSentOrder, openOrders, orderWords, recentOrders } from "../../stores/orders";
import type { Order } from "../../stores/types";
import { type SentList, sentList } from "./send";
import { lifeWords, STATE_WORDS } from "./words";

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

const LIST_WORDS = { sent: STATE_WORDS.sent, unknown: STATE_WORDS.unknown, accepted: "Accepted", rejected: "Refused" };

export function OrderLife() {
  const list = sentList.value;
  if (list !== null && list.lastSent === lastSent.value) return <ListLife sent={list} />;
  const order = lastSentOrder.value;
  return order === null ? null : (
    <div class="ticket-life" data-testid="ticket-life" data-state={order.state}>
      <OneLife order={order} />
    </div>
  );
}

function ListLife({ sent: { list, ids, outcome } }: { sent: SentList }) {
  const of = [...openOrders.value, ...recentOrders.value].filter(({ clientOrderId }) => ids.includes(clientOrderId));
  const state = outcome === null ? "sent" : outcome.ok ? "accepted" : outcome.fate ? "unknown" : "rejected";
  const name = list.kind.toUpperCase();
  return (
    <div class="ticket-life" data-testid="ticket-life" data-state={state}>
      <p>
        <span class={LOOKS[state]}>{LIST_WORDS[state]}</span>{" "}
        <span class="dim">
          {name} of {list.symbol}
          {outcome && !outcome.ok && `. ${outcome.sentence}`}
        </span>
      </p>
      {of.map((order) => (
        <OneLife key={order.key} order={order} />
      ))}
    </div>
  );
}

function OneLife({ order }: { order: Order }) {
  const market = markets.value.get(order.symbol);
  if (!market) return null;
  const { filled, qty, state, reason } = order;
  const isPart = qty !== null && filled > 0n && filled < qty;
  return (
    <p>
      <span class={LOOKS[state]}>
        {lifeWords(order)}
        {isPart && ` ${formatShort(filled, market.qty.decimals)} of ${formatShort(qty, market.qty.decimals)}`}
      </span>{" "}
      <span class="dim">
        {orderWords(order, market)}
        {reason && `. ${reason}`}
      </span>
    </p>
  );
}
