// What clicks and keys in a ladder do. Each returns a sentence for the person, or nothing where the order itself shows it.
import { format, formatShort, parse } from "../../numbers/decimal";
import { amend, cancel, place } from "../../stores/actions";
import { balances } from "../../stores/balances";
import { book, bookFreshness } from "../../stores/book";
import { orderByKey } from "../../stores/orders";
import { armed, clickQtys, warnings } from "../../stores/settings";
import { prefill, ticket } from "../../stores/ticketDraft";
import type { Draft, Market, Order, Side } from "../../stores/types";
import { preview } from "../ticket/preview";
import type { ReadOrder } from "../ticket/rules";
import { warningsOf } from "../ticket/warnings";
import { type Capsule, leftOf, shownPrice } from "./orders";
import type { Drag, LadderView } from "./view";

const sideWord = (side: Side): string => (side === "BUY" ? "buy" : "sell");

/** Why nothing can be sent from the ladder now. */
export function refusal(): string | null {
  if (bookFreshness.peek() !== "live") return "The book is not live: nothing is sent from here.";
  return null;
}

export function clickQty(market: Market): string {
  return clickQtys.value[market.symbol] ?? "";
}

/** A limit order at a price, if armed; otherwise the ticket has it. */
export function placeAt(market: Market, side: Side, price: bigint): string | null {
  const refused = refusal();
  if (refused) return refused;
  const text = format(price, market.price.decimals);
  const qty = readQty(market);
  if (price < market.price.min || (market.price.max > 0n && price > market.price.max)) {
    return `${text} is not a price of this market.`;
  }
  const toTicket = () => {
    if (ticket.price.peek() === "" || ticket.type.peek() === "MARKET") ticket.type.value = "LIMIT";
    prefill({ side, price: formatShort(price, market.price.decimals), ...(qty !== null && { qty: clickQty(market) }) });
  };
  if (!armed.peek()) {
    toTicket();
    return `Not armed: the ticket has ${sideWord(side)} at ${text} now.`;
  }
  if (qty === null) {
    toTicket();
    return "Set the quantity of one click first: the ticket has the price now.";
  }
  const warned = warningOf(market, side, price, qty);
  if (warned) {
    toTicket();
    return `${warned} The ticket has it now.`;
  }
  const params = { price: text, quantity: format(qty, market.qty.decimals), timeInForce: "GTC" };
  send({ symbol: market.symbol, side, type: "LIMIT", params });
  return null;
}

export function placeMarket(market: Market, side: Side): string | null {
  const refused = refusal();
  if (refused) return refused;
  const qty = readQty(market);
  const toTicket = () => {
    ticket.type.value = "MARKET";
    prefill({ side, ...(qty !== null && { qty: clickQty(market) }) });
  };
  if (!armed.peek()) {
    toTicket();
    return `Not armed: the ticket has ${sideWord(side)} at market now.`;
  }
  if (qty === null) return "Set the quantity of one click first.";
  const warned = warningOf(market, side, null, qty);
  if (warned) {
    toTicket();
    return `${warned} The ticket has it now.`;
  }
  send({ symbol: market.symbol, side, type: "MARKET", params: { quantity: format(qty, market.qty.decimals) } });
  return null;
}

/** Cancels what is left of a capsule's orders; those that are over need nothing. */
export function cancelCapsule(capsule: Capsule): string | null {
  const refused = refusal();
  if (refused) return refused;
  if (!armed.peek()) return "Not armed: cancel by the buttons below or in the open orders.";
  const open = capsule.orders.map(({ key }) => orderByKey(key)).filter((order) => order !== undefined && isOpen(order));
  if (open.length === 0) return "The order under the pointer is over already: nothing was sent.";
  for (const order of open) if (order) void cancel(order);
  return null;
}

/** Amends the orders of a drag to the price of the row where it ended. */
export function drop(view: LadderView, market: Market, { capsule, row }: Drag): string | null {
  if (row === capsule.row) return null;
  const refused = refusal();
  if (refused) return refused;
  if (!armed.peek()) return "Not armed: the order stays where it is.";
  const price = view.model.priceOf(row);
  if (price < market.price.min) return "There are no prices so low.";
  for (const { key } of capsule.orders) {
    const order = orderByKey(key);
    if (order === undefined || !isOpen(order)) continue;
    if (order.state === "pending") return "An order that waits for its trigger is changed in the open orders.";
    const warned = warningOf(market, order.side, price, leftOf(order));
    if (warned) return `${warned} The order stays where it is.`;
    void view.moving(order, price, amend(order, { price }));
  }
  return null;
}

/** What a capsule is, in words. */
export function capsuleWords({ side, orders, left, filled, ahead, look, isSettled }: Capsule, market: Market): string {
  const qty = (units: bigint) => formatShort(units, market.qty.decimals);
  const [first] = orders;
  const price = first === undefined ? null : shownPrice(first);
  const parts = [
    `${side === "BUY" ? "Buy" : "Sell"} ${qty(left)}${price === null ? "" : ` at ${format(price, market.price.decimals)}`}`,
    ...(orders.length > 1 ? [`${orders.length} orders`] : []),
    ...(filled > 0n ? [`${qty(filled)} filled`] : []),
    ...(ahead === null ? [] : [ahead === 0n ? "next in the queue" : `${qty(ahead)} ahead in the queue`]),
    ...(isSettled ? [] : ["not confirmed yet"]),
    ...(look === "held" ? ["held under the pointer: it is elsewhere, or over"] : []),
  ];
  return parts.join(", ");
}

export function isOpen({ state }: Order): boolean {
  return !["filled", "canceled", "expired", "rejected"].includes(state);
}

function send(draft: Draft): void {
  // The order's own life and the notices show what becomes of it.
  void place(draft);
}

function readQty(market: Market): bigint | null {
  const parsed = parse(clickQty(market), market.qty.decimals);
  return "units" in parsed && parsed.units > 0n ? parsed.units : null;
}

/** The first of the ticket's warnings: what one would be asked about there is not sent by one click. */
function warningOf(market: Market, side: Side, price: bigint | null, qty: bigint): string | undefined {
  const order: ReadOrder = {
    side,
    type: price === null ? "MARKET" : "LIMIT",
    timeInForce: price === null ? null : "GTC",
    price,
    stopPrice: null,
    trailing: null,
    goodTillMs: null,
    qty,
    quoteQty: null,
    icebergQty: null,
    isHidden: false,
    minQty: null,
    isWithinBalance: false,
    peg: null,
  };
  const free = (asset: string) => balances.peek().get(asset)?.free ?? null;
  const means = { rates: null, isFeeInQuote: false, freeBase: free(market.base), freeQuote: free(market.quote) };
  const seen = preview(order, { bids: book.bids, asks: book.asks }, market, means);
  return warningsOf(order, seen, book.lastTradePrice, market, warnings.peek())[0];
}
