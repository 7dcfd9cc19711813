import { format } from "../../numbers/decimal";
import { cancel } from "../../stores/act";
import { markets } from "../../stores/markets";
import { isWorking } from "../../stores/orderState";
import { session } from "../../stores/session";
import type { Order } from "../../stores/types";
import { Button } from "../../ui/Button";
import { Amount } from "./Amount";
import { type Linked, linkedLists } from "./linked";
import { SideWord, State } from "./State";
import { typeWords } from "./words";
import "./lists.css";

/** More would be slow to draw, and are not read. */
const MOST = 200;

interface Props {
  onLife: (key: string) => void;
}

export function Lists({ onLife }: Props) {
  if (linkedLists.value.length === 0) {
    return (
      <p class="table-empty">
        {session.value === null
          ? "Sign in to see your lists."
          : "No open lists. OCO, OTO and OTOCO orders appear here."}
      </p>
    );
  }
  return (
    <ul class="dock-lists" aria-label="Lists of orders">
      {linkedLists.value.slice(0, MOST).map((list) => (
        <List key={`${list.symbol} ${list.id}`} list={list} onLife={onLife} />
      ))}
      {linkedLists.value.length > MOST && <li class="dim">{linkedLists.value.length - MOST} more are not shown.</li>}
    </ul>
  );
}

function List({ list, onLife }: { list: Linked } & Props) {
  const open = list.orders.find((order) => isWorking(order));
  return (
    <li class="dock-list">
      <header class="dock-list-head">
        <strong>{list.kind}</strong>
        <span>{list.symbol}</span>
        <span class="dim">list {list.id}</span>
        <Button
          look="plain"
          disabled={!open}
          title="The venue cancels a list as a whole"
          onClick={() => {
            if (open) void cancel(open);
          }}
        >
          Cancel the list
        </Button>
      </header>
      <ul>
        {list.orders.map((order) => (
          <li key={order.key} class="dock-member">
            <SideWord side={order.side} />
            <span>{typeWords(order.type)}</span>
            <Amounts order={order} />
            <button type="button" class="dock-link" title="Life of this order" onClick={() => onLife(order.key)}>
              <State order={order} />
            </button>
          </li>
        ))}
      </ul>
      {list.unseen > 0 && <p class="dim">{list.unseen} ended before this page was opened.</p>}
    </li>
  );
}

function Amounts({ order: { symbol, qty, price, stopPrice } }: { order: Order }) {
  const market = markets.value.get(symbol);
  if (!market) return null;
  const { decimals } = market.price;
  return (
    <>
      <span class="number">
        <Amount value={qty} decimals={market.qty.decimals} />
      </span>
      <span class="number">{price === null ? "market" : <Amount value={price} decimals={decimals} />}</span>
      <span class="dim">{stopPrice !== null && `trigger ${format(stopPrice, decimals)}`}</span>
    </>
  );
}
