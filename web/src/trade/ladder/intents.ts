// What clicks and keys in a ladder do. Each says in a sentence what was sent, what came of it, or why it was not sent.
import { format, formatShort, parse } from "../../numbers/decimal";
import { amend, cancel, type Outcome, place } from "../../stores/act";
import { bookFreshness } from "../../stores/book";
import { isOver, leftOf } from "../../stores/orderState";
import { orderByKey } from "../../stores/orders";
import { armed, clickQtys } from "../../stores/settings";
import { prefill, ticket } from "../../stores/ticketDraft";
import type { Draft, Market, Order, Side } from "../../stores/types";
import { plainOrder, warningsOfOrder } from "../ticket/send";
import { type Capsule, shownPrice } from "./orders";
import type { Drag, LadderView } from "./view";

export type Say = (sentence: string) => void;

/** Traders add to an order by clicking again; only a worn button clicks again so soon by itself. */
const BOUNCE_MS = 120;

const sideWord = (side: Side): string => (side === "BUY" ? "buy" : "sell");

/** Why nothing can be sent from the ladder now. */
function refusal(): string | null {
  if (bookFreshness.peek() !== "live") return "The book is not live: nothing is sent from here.";
  return null;
}

export function clickQty(market: Market): string {
  return clickQtys.value[market.symbol] ?? "";
}

/** A limit order at a price, if armed; otherwise the ticket has it. */
export function placeAt(market: Market, side: Side, price: bigint, say: Say): void {
  const text = format(price, market.price.decimals);
  if (price < market.price.min || (market.price.max > 0n && price > market.price.max)) {
    say(`${text} is not a price of this market.`);
    return;
  }
  const qty = qtyToSend(market, side, price, say);
  if (qty === null) return;
  const params = { price: text, quantity: format(qty, market.qty.decimals), timeInForce: "GTC" };
  send({ symbol: market.symbol, side, type: "LIMIT", params }, say);
}

export function placeMarket(market: Market, side: Side, say: Say): void {
  const qty = qtyToSend(market, side, null, say);
  if (qty === null) return;
  const params = { quantity: format(qty, market.qty.decimals) };
  send({ symbol: market.symbol, side, type: "MARKET", params }, say);
}

/** Cancels what is left of a capsule's orders; those that are over need nothing. */
export function cancelCapsule(capsule: Capsule, say: Say): void {
  const refused = refusal();
  const open = openOf(capsule);
  if (refused) say(refused);
  else if (!armed.peek()) say("Not armed: cancel by the buttons below, or in the open orders.");
  else if (open.length === 0) say("The order under the pointer is over already: nothing was sent.");
  else void answer("Cancel", open.map(cancel), say);
}

/** Amends the orders of a drag to the price of the row where it ended. */
export function drop(view: LadderView, market: Market, { capsule, row }: Drag, say: Say): void {
  if (row === capsule.row) return;
  const price = view.model.priceOf(row);
  const open = openOf(capsule);
  const warned = open.map((order) => warningOf(market, order.side, price, leftOf(order))).find(Boolean);
  const refused = refusal();
  if (refused) say(refused);
  else if (!armed.peek()) say("Not armed: the order stays where it is.");
  else if (price < market.price.min) say("There are no prices so low.");
  else if (open.length === 0) say("The order is over already: nothing was sent.");
  else if (open.some(({ state }) => state === "pending")) {
    say("An order that waits for its trigger is changed in the open orders.");
  } else if (warned) say(`${warned} The order stays where it is.`);
  else {
    const amended = open.map((order) => {
      const outcome = amend(order, { price });
      void view.moving(order, price, outcome);
      return outcome;
    });
    void answer(`Move to ${format(price, market.price.decimals)}`, amended, say);
  }
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
    ...(ahead === null ? [] : [ahead === 0n ? "next in the queue" : `${qty(ahead)} ahead of it`]),
    ...(isSettled ? [] : ["not confirmed yet"]),
    ...(look === "held" ? ["held here: it moved, or is over"] : []),
  ];
  return parts.join(", ");
}

/** The quantity of one click; `null` if nothing may be sent by one: then the ticket has the order, and it is said why. */
function qtyToSend(market: Market, side: Side, price: bigint | null, say: Say): bigint | null {
  const refused = refusal();
  if (refused) {
    say(refused);
    return null;
  }
  const qty = readQty(market);
  const reason = whyNotAtOnce(market, side, price, qty);
  if (reason === null) return qty;
  if (price === null) ticket.type.value = "MARKET";
  else if (ticket.type.peek() === "MARKET") ticket.type.value = "LIMIT";
  prefill({
    side,
    ...(price !== null && { price: formatShort(price, market.price.decimals) }),
    ...(qty !== null && { qty: clickQty(market) }),
  });
  const where = price === null ? "at market" : `at ${format(price, market.price.decimals)}`;
  say(`${reason} The ticket has ${sideWord(side)} ${where} now.`);
  return null;
}

function whyNotAtOnce(market: Market, side: Side, price: bigint | null, qty: bigint | null): string | null {
  if (!armed.peek()) return "Not armed.";
  if (qty === null) return "Set the quantity of one click first.";
  return warningOf(market, side, price, qty) ?? null;
}

function openOf({ orders }: Capsule): Order[] {
  return orders.map(({ key }) => orderByKey(key)).filter((order) => order !== undefined && !isOver(order)) as Order[];
}

function send(draft: Draft, say: Say): void {
  const { side, params } = draft;
  const at = params.price === undefined ? "at market" : `at ${params.price}`;
  void answer(
    `${side === "BUY" ? "Buy" : "Sell"} ${params.quantity} ${at}`,
    [place(draft, { twiceMs: BOUNCE_MS })],
    say,
  );
}

/** Says that it was sent, and then what came of it. */
async function answer(what: string, outcomes: readonly Promise<Outcome>[], say: Say): Promise<void> {
  say(`${what}: sent.`);
  const failed = (await Promise.all(outcomes)).find((outcome) => !outcome.ok);
  say(failed === undefined || failed.ok ? `${what}: accepted.` : `${what}: ${failed.sentence}`);
}

function readQty(market: Market): bigint | null {
  const parsed = parse(clickQty(market), market.qty.decimals);
  return "units" in parsed && parsed.units > 0n ? parsed.units : null;
}

/** The first of the ticket's warnings: what one would be asked about there is not sent by one click. */
function warningOf(market: Market, side: Side, price: bigint | null, qty: bigint): string | undefined {
  return warningsOfOrder(plainOrder(side, price, qty), market)[0];
}
