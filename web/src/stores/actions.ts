// What a person does with orders. Each action refuses in a sentence where what the page shows may not be true.
import type { OrderAnswer } from "../api/types";
import { type NotSent, Refused, Unanswered } from "../connection/api";
import { asAccount } from "../connection/asAccount";
import { venueNow } from "../connection/clock";
import { format, units } from "../numbers/decimal";
import { accountFreshness, findOut } from "./account";
import { answered as roundTripOf } from "./link";
import { markets } from "./markets";
import { notice } from "./notices";
import { addSent, answered, change, lastSent, ordersOf, orderWords } from "./orders";
import { sentenceOf } from "./refusals";
import { session } from "./session";
import type { Draft, ListDraft, Market, Order, Side } from "./types";

export type Outcome =
  | { readonly ok: true }
  | { readonly ok: false; readonly sentence: string; readonly reason?: string | undefined; readonly code?: number };

const OUTCOME_UNKNOWN = -1007;
const ASK_AGAIN_MS = 500;
/** An order that the venue does not know after so many answers never arrived. */
const NOT_THERE_ENOUGH = 4;
const CANCELS_AT_ONCE = 50;

/** Sends an order; its life shows in the orders. */
export async function place(draft: Draft): Promise<Outcome> {
  const market = markets.peek().get(draft.symbol);
  const refusal = refusalBefore(market);
  if (refusal || !market) return refusedHere(refusal ?? "This market is not known.");
  const order = orderOf(draft, market);
  addSent(order);
  const { symbol, side, type, params } = draft;
  const sent = { symbol, side, type, ...params, newClientOrderId: order.clientOrderId, newOrderRespType: "RESULT" };
  const begun = performance.now();
  try {
    const answer = await asAccount<OrderAnswer>("order.place", sent);
    roundTripOf(performance.now() - begun);
    const known = answered(answer);
    if (known && known.key !== order.key && lastSent.peek() === order.key) lastSent.value = known.key;
    return { ok: true };
  } catch (error) {
    if (isUnknown(error)) {
      change(order.key, { state: "unknown" });
      void untilKnown(order, draft);
      return { ok: false, sentence: sentenceOf(new Unanswered(), market) };
    }
    const sentence = sentenceOf(error, market);
    change(order.key, { state: "rejected", reason: sentence, updatedMs: venueNow() });
    notice("bad", `${orderWords(order, market)} was refused. ${sentence}`);
    return failed(error as Refused | NotSent, sentence);
  }
}

/** Sends a list of orders. */
export async function placeList({ symbol, kind, params }: ListDraft): Promise<Outcome> {
  const market = markets.peek().get(symbol);
  return act(market, kind.toUpperCase(), async () => {
    const listClientOrderId = newId();
    await asAccount(`orderList.place.${kind}`, { symbol, ...params, listClientOrderId, newOrderRespType: "RESULT" });
  });
}

/** Asks the venue whether it would accept an order. Changes nothing, and shows nothing. */
export async function test({ symbol, side, type, params }: Draft): Promise<Outcome> {
  const market = markets.peek().get(symbol);
  try {
    await asAccount("order.test", { symbol, side, type, ...params });
    return { ok: true };
  } catch (error) {
    return failed(error as Refused | NotSent, sentenceOf(error, market));
  }
}

export async function cancel(order: Order): Promise<Outcome> {
  const market = markets.peek().get(order.symbol);
  // A cancel is safe where the rest is not: it needs a connection only.
  const named = order.orderId === null ? { origClientOrderId: order.clientOrderId } : { orderId: order.orderId };
  change(order.key, { change: "canceling" });
  try {
    await asAccount("order.cancel", { symbol: order.symbol, ...named });
    return { ok: true };
  } catch (error) {
    change(order.key, { change: null });
    if (isUnknown(error)) void untilKnown(order, null);
    const sentence = sentenceOf(error, market);
    notice("bad", `${orderWords(order, market)} was not canceled. ${sentence}`);
    return failed(error as Refused | NotSent, sentence);
  }
}

/** Cancels the open orders of a market, of a side, or all. */
export async function cancelMany(filter: { symbol?: string; side?: Side }): Promise<Outcome> {
  const orders = ordersOf(filter);
  if (orders.length === 0) return { ok: true };
  if (filter.side === undefined) {
    const symbols = [...new Set(orders.map(({ symbol }) => symbol))];
    const all = await Promise.all(symbols.map(cancelAllOf));
    return all.find(({ ok }) => !ok) ?? { ok: true };
  }
  let failure: Outcome | undefined;
  for (let at = 0; at < orders.length; at += CANCELS_AT_ONCE) {
    const outcomes = await Promise.all(orders.slice(at, at + CANCELS_AT_ONCE).map(cancel));
    failure ??= outcomes.find(({ ok }) => !ok);
  }
  return failure ?? { ok: true };
}

/** Changes price or quantity. An order of which only the quantity falls keeps its place in the queue. */
export async function amend(order: Order, to: { price?: bigint; qty?: bigint }): Promise<Outcome> {
  const market = markets.peek().get(order.symbol);
  const refusal = refusalBefore(market);
  if (refusal || !market) return refusedHere(refusal ?? "This market is not known.");
  if (order.orderId === null) return refusedHere("The venue has not answered for this order yet.");
  if (order.qty === null) return refusedHere("A market order by amount has nothing to change.");
  const price = to.price ?? order.price;
  const qty = to.qty ?? order.qty;
  if (price === order.price && qty === order.qty) return { ok: true };
  if (order.orderListId !== -1 && (price !== order.price || qty > order.qty)) {
    return refusedHere("An order in a list can only become smaller: cancel the list and enter it anew.");
  }
  change(order.key, { change: "amending" });
  const { symbol, orderId } = order;
  try {
    if (price === order.price && qty < order.qty) {
      const newQty = format(qty, market.qty.decimals);
      await asAccount("order.amend.keepPriority", { symbol, orderId, newQty });
    } else {
      await replace(order, market, price, qty);
    }
    change(order.key, { change: null });
    return { ok: true };
  } catch (error) {
    change(order.key, { change: null });
    if (isUnknown(error)) void untilKnown(order, null);
    const sentence = sentenceOf(error, market);
    notice("bad", `${orderWords(order, market)} was not changed. ${sentence}`);
    return failed(error as Refused | NotSent, sentence);
  }
}

/** The new order has what is left of the old one, and a place at the end of its queue. */
async function replace(order: Order, market: Market, price: bigint | null, qty: bigint): Promise<void> {
  const { decimals } = market.price;
  const isTimed = order.type !== "LIMIT_MAKER" && order.type !== "STOP_LOSS" && order.type !== "TAKE_PROFIT";
  await asAccount("order.cancelReplace", {
    symbol: order.symbol,
    side: order.side,
    type: order.type,
    cancelReplaceMode: "STOP_ON_FAILURE",
    cancelOrderId: order.orderId ?? 0,
    quantity: format(qty - order.filled, market.qty.decimals),
    newClientOrderId: newId(),
    ...(price !== null && { price: format(price, decimals) }),
    ...(isTimed && { timeInForce: order.timeInForce }),
    ...(order.stopPrice !== null && { stopPrice: format(order.stopPrice, decimals) }),
    ...(order.trailingDelta !== null && { trailingDelta: order.trailingDelta }),
    ...(order.icebergQty !== null && { icebergQty: format(order.icebergQty, market.qty.decimals) }),
    ...(order.isHidden && { hidden: true }),
  });
}

async function cancelAllOf(symbol: string): Promise<Outcome> {
  const market = markets.peek().get(symbol);
  for (const { key } of ordersOf({ symbol })) change(key, { change: "canceling" });
  try {
    await asAccount("openOrders.cancelAll", { symbol });
    return { ok: true };
  } catch (error) {
    for (const { key } of ordersOf({ symbol })) change(key, { change: null });
    const sentence = sentenceOf(error, market);
    notice("bad", `Orders of ${symbol} were not canceled. ${sentence}`);
    return failed(error as Refused | NotSent, sentence);
  }
}

/** Asks for an order until the venue has said what became of it. */
async function untilKnown(order: Order, draft: Draft | null): Promise<void> {
  let notThere = 0;
  while (notThere < NOT_THERE_ENOUGH) {
    await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
    // Signed out meanwhile, or an event has said it.
    if (session.peek() === null || (draft !== null && !isStillUnknown(order))) return;
    if (accountFreshness.peek() !== "live") continue;
    const answer = await findOut(order.key, order.symbol, order.clientOrderId);
    if (answer === "found") return;
    if (answer === "not there") notThere += 1;
  }
  const reason = "It never reached the venue.";
  change(order.key, { state: "rejected", reason, updatedMs: venueNow() });
  if (draft === null) return;
  notice("warning", `${orderWords(order)} never reached the venue.`, {
    label: "Send it again",
    run: () => void place(draft),
  });
}

function isStillUnknown({ symbol, key }: Order): boolean {
  return ordersOf({ symbol }).some((open) => open.key === key && open.state === "unknown");
}

async function act(market: Market | undefined, name: string, send: () => Promise<void>): Promise<Outcome> {
  const refusal = refusalBefore(market);
  if (refusal) return refusedHere(refusal);
  const begun = performance.now();
  try {
    await send();
    roundTripOf(performance.now() - begun);
    return { ok: true };
  } catch (error) {
    const sentence = sentenceOf(error, market);
    notice("bad", `${name} was refused. ${sentence}`);
    return failed(error as Refused | NotSent, sentence);
  }
}

/** Why nothing may be sent now. */
function refusalBefore(market: Market | undefined): string | null {
  if (session.peek() === null) return "Sign in to trade.";
  if (session.peek()?.role !== "trader") return "This sign-in may read only.";
  if (market === undefined) return "This market is not known.";
  const freshness = accountFreshness.peek();
  if (freshness === "stale") return "There is no sign of life from the venue: nothing is sent until it is back.";
  if (freshness === "catching-up") return "Your orders are being read: try again in a moment.";
  if (freshness === "past") return "This is the past: go back to now to trade.";
  return null;
}

function refusedHere(sentence: string): Outcome {
  notice("warning", sentence);
  return { ok: false, sentence };
}

function failed(error: Refused | NotSent | Error, sentence: string): Outcome {
  if (!(error instanceof Refused)) return { ok: false, sentence };
  return { ok: false, sentence, reason: error.reason, code: error.code };
}

const isUnknown = (error: unknown): boolean =>
  error instanceof Unanswered || (error instanceof Refused && error.code === OUTCOME_UNKNOWN);

/** An order as this page knows it before the venue does. */
function orderOf({ symbol, side, type, params }: Draft, market: Market): Order {
  const number = (name: string, decimals: number) => {
    const text = params[name];
    return text === undefined || text === "" ? null : units(text, decimals);
  };
  const clientOrderId = newId();
  return {
    key: `${symbol}/${clientOrderId}`,
    symbol,
    clientOrderId,
    orderId: null,
    orderListId: -1,
    side,
    type,
    timeInForce: params.timeInForce ?? "GTC",
    price: number("price", market.price.decimals),
    stopPrice: number("stopPrice", market.price.decimals),
    trailingDelta: params.trailingDelta === undefined ? null : Number(params.trailingDelta),
    qty: number("quantity", market.qty.decimals),
    quoteQty: number("quoteOrderQty", market.quoteDecimals),
    icebergQty: number("icebergQty", market.qty.decimals),
    isHidden: params.hidden === "true",
    filled: 0n,
    filledQuote: 0n,
    ahead: null,
    state: "sent",
    change: null,
    reason: null,
    createdMs: venueNow(),
    updatedMs: venueNow(),
  };
}

/** A client order id that no other page makes. */
function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `web-${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
