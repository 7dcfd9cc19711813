import { useSignal } from "@preact/signals";
import { format } from "../../numbers/decimal";
import { isWorking } from "../../stores/orderState";
import type { Market, Order } from "../../stores/types";
import { Button } from "../../ui/Button";
import { changeOf, editOf } from "../dock/editing";
import { SideWord, State } from "../dock/State";
import { typeWords } from "../dock/words";

const MOST = 50;

interface Props {
  market: Market;
  orders: readonly Order[];
  onAmend: (order: Order, price: bigint) => void;
}

/** What dragging a line does, without a pointer. */
export function OrderAmends({ market, orders, onAmend }: Props) {
  const withPrice = orders.filter(({ price }) => price !== null);
  if (withPrice.length === 0) return <p class="table-empty">No own orders with a limit in {market.symbol}.</p>;
  return (
    <ul class="chart-amends" aria-label="Prices of own orders">
      {withPrice.slice(0, MOST).map((order) => (
        <Amend key={order.key} market={market} order={order} onAmend={onAmend} />
      ))}
      {withPrice.length > MOST && <li class="dim">{withPrice.length - MOST} more are in the open orders below.</li>}
    </ul>
  );
}

function Amend({ market, order, onAmend }: { market: Market; order: Order } & Pick<Props, "onAmend">) {
  const typed = useSignal<string | null>(null);
  const problem = useSignal<string | null>(null);
  const edit = editOf(order, market);
  const send = () => {
    const change = changeOf({ ...edit, price: typed.value ?? edit.price }, order, market);
    if (typeof change === "string") {
      problem.value = change;
      return;
    }
    problem.value = null;
    typed.value = null;
    if (change.price !== undefined) onAmend(order, change.price);
  };
  const { decimals, step } = market.price;
  const stepBy = (steps: bigint) => {
    const change = changeOf({ ...edit, price: typed.value ?? edit.price }, order, market);
    const from = typeof change === "string" ? (order.price ?? 0n) : (change.price ?? order.price ?? 0n);
    typed.value = format(from + steps * step, decimals);
    problem.value = null;
  };
  const name = `${order.side === "BUY" ? "buy" : "sell"} order of ${edit.qty}`;
  return (
    <li class="chart-amend">
      <SideWord side={order.side} />
      <span class="number">{edit.qty}</span>
      <span class="dim">{typeWords(order.type)}</span>
      <State order={order} />
      <input
        class="field number"
        inputMode="decimal"
        aria-label={`Price of the ${name}`}
        aria-invalid={problem.value !== null}
        disabled={!isWorking(order) || order.orderListId !== -1}
        value={typed.value ?? edit.price}
        onInput={(event) => {
          typed.value = event.currentTarget.value;
          problem.value = null;
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter") send();
          else if (event.key === "ArrowUp") stepBy(event.shiftKey ? 10n : 1n);
          else if (event.key === "ArrowDown") stepBy(event.shiftKey ? -10n : -1n);
          else return;
          event.preventDefault();
        }}
      />
      <Button disabled={typed.value === null} label={`Amend the ${name}`} onClick={send}>
        Amend
      </Button>
      <span class="bad chart-amend-problem" role="alert">
        {problem.value ?? ""}
      </span>
    </li>
  );
}
