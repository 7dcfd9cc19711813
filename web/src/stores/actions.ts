// What a person does with orders. Each action refuses in a sentence where what the page shows may not be true.
import type { ListInfo, OrderAnswer, OrderInfo, ReplaceAnswer } from "../api/types";
import { Refused, Unanswered } from "../connection/api";
import { asAccount } from "../connection/asAccount";
import { venueNow } from "../connection/clock";
import { format, units } from "../numbers/decimal";
import { accountFreshness } from "./account";
import { bookFreshness } from "./book";
import { answered as roundTripOf } from "./link";
import { listRead } from "./lists";
import { chosen, markets } from "./markets";
import { notice } from "./notices";
import { addSent, answered, change, orderByKey, ordersOf, orderWords, sentAs } from "./orders";
import { sentenceOf } from "./refusals";
import { replacementOf } from "./replacement";
import { session } from "./session";
import type { Draft, ListDraft, Market, Order, Side } from "./types";

export type Outcome =
  | { readonly ok: true }
  | {
      readonly ok: false;
      readonly sentence: string;
      readonly reason?: string | undefined;
      readonly code?: number;
      /** No answer came: what became of it once that is known. */
      readonly fate?: Promise<Outcome>;
    };

interface Sending {
  /** The client order id of its first time. */
  readonly again?: string;
  /** Where a press may follow another one soon, and both are meant. */
  readonly twiceMs?: number;
}

const OUTCOME_UNKNOWN = -1007;
const NO_SUCH_ORDER = -2013;
const HALF_REPLACED = -2021;
const NOT_REPLACED = -2022;
const ASK_AGAIN_MS = 500;
/**
 * A request may be on its way for so long: the venue refuses one that is older than 5 s when it arrives. An order that
 * it does not know then never arrived.
 */
const NEVER_ARRIVED_MS = 15_000;
/** The same order again within so long is a second press of one intent, as by a double click on a button. */
const TWICE_MS = 500;
const CANCELS_AT_ONCE = 50;
const NEVER_REACHED = { ok: false, sentence: "It never reached the venue." } as const;
const SIGNED_OUT = { ok: false, sentence: "Signed out before it was known." } as const;

/**
 * Sends an order; its life shows in the orders. One that is sent again has the client order id of its first time, by
 * which the venue takes it once.
 */
export async function place(draft: Draft, { again, twiceMs = TWICE_MS }: Sending = {}): Promise<Outcome> {
  const market = markets.peek().get(draft.symbol);
  const refusal = refusalBefore(market) ?? (again === undefined && isTwice(draft, twiceMs) ? SENT_ONCE : null);
  if (refusal !== null || !market) return refusedHere(refusal ?? UNKNOWN_MARKET);
  return enter(draft, market, again);
}

async function enter(draft: Draft, market: Market, again?: string): Promise<Outcome> {
  const order = orderOf(draft, market, again ?? newId());
  const { symbol, side, type, params } = draft;
  const sent = { symbol, side, type, ...params, newClientOrderId: order.clientOrderId, newOrderRespType: "RESULT" };
  const begun = performance.now();
  // It leaves before it is shown: to render it takes longer than the way to the venue.
  const answering = asAccount<OrderAnswer>("order.place", sent);
  addSent(order);
  try {
    const answer = await answering;
    roundTripOf(performance.now() - begun);
    took(order, answer);
    return { ok: true };
  } catch (error) {
    const hasArrivedBefore = again !== undefined && error instanceof Refused && error.reason === "DuplicateClOrdId";
    if (isUnknown(error) || hasArrivedBefore) {
      change(order.key, { state: "unknown" });
      return { ok: false, sentence: sentenceOf(new Unanswered(), market), fate: fateOf(order, draft) };
    }
    const sentence = sentenceOf(error, market);
    change(order.key, { state: "rejected", reason: sentence, updatedMs: venueNow() });
    notice("bad", `${orderWords(order, market)} was refused. ${sentence}`);
    return failed(error, sentence);
  }
}

/** Sends a list of orders; `again` is its name from the first time. */
export async function placeList(list: ListDraft, again?: string): Promise<Outcome> {
  const { symbol, kind, params } = list;
  const market = markets.peek().get(symbol);
  const refusal = refusalBefore(market) ?? (again === undefined && isTwice(list, TWICE_MS) ? SENT_ONCE : null);
  if (refusal !== null) return refusedHere(refusal);
  const name = kind.toUpperCase();
  const listClientOrderId = again ?? newId();
  const begun = performance.now();
  try {
    await asAccount(`orderList.place.${kind}`, { symbol, ...params, listClientOrderId, newOrderRespType: "RESULT" });
    roundTripOf(performance.now() - begun);
    return { ok: true };
  } catch (error) {
    const hasArrivedBefore = again !== undefined && error instanceof Refused && error.reason === "DuplicateListClOrdId";
    if (isUnknown(error) || hasArrivedBefore) {
      const fate = listFateOf(list, listClientOrderId);
      return { ok: false, sentence: sentenceOf(new Unanswered(), market), fate };
    }
    const sentence = sentenceOf(error, market);
    notice("bad", `${name} of ${symbol} was refused. ${sentence}`);
    return failed(error, sentence);
  }
}

/** Asks the venue whether it would accept an order. Changes nothing, and shows nothing. */
export async function test({ symbol, side, type, params }: Draft): Promise<Outcome> {
  const market = markets.peek().get(symbol);
  try {
    await asAccount("order.test", { symbol, side, type, ...params });
    return { ok: true };
  } catch (error) {
    return failed(error, sentenceOf(error, market));
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
    return notDone(order, "canceled", error, market);
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
  if (refusal || !market) return refusedHere(refusal ?? UNKNOWN_MARKET);
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
      change(order.key, { change: null });
      return { ok: true };
    }
    return await replace(order, market, price, qty);
  } catch (error) {
    return notDone(order, "changed", error, market);
  }
}

/** Whatever trades meanwhile, old and new order together never have more than `qty`. */
async function replace(order: Order, market: Market, price: bigint | null, qty: bigint): Promise<Outcome> {
  const { symbol, orderId } = order;
  const now = await asAccount<OrderInfo>("order.status", { symbol, orderId: orderId ?? 0 });
  const filled = units(now.executedQty, market.qty.decimals);
  const isOpen = ["NEW", "PARTIALLY_FILLED", "PENDING_NEW"].includes(now.status);
  if (!isOpen || qty <= filled) {
    answered(now);
    const sentence = isOpen ? "As much has traded already: nothing is left to enter anew." : "It is over already.";
    return notDone(order, "changed", new Error(sentence), market);
  }
  const draft = replacementOf(now, market, price, qty - filled);
  if (filled > 0n) return cancelThenEnter(order, draft, market, qty);
  const clientOrderId = newId();
  const cancelled = { cancelOrderId: orderId ?? 0, cancelRestrictions: "ONLY_NEW" };
  try {
    const answer = await asAccount<ReplaceAnswer>("order.cancelReplace", {
      symbol,
      side: draft.side,
      type: draft.type,
      ...draft.params,
      ...cancelled,
      cancelReplaceMode: "STOP_ON_FAILURE",
      newClientOrderId: clientOrderId,
      newOrderRespType: "RESULT",
    });
    change(order.key, { change: null });
    answered(answer.newOrderResponse as OrderAnswer);
    return { ok: true };
  } catch (error) {
    if (error instanceof Refused && error.code === HALF_REPLACED) return halfReplaced(order, error, market);
    if (isUnknown(error)) {
      const entered = { ...orderOf(draft, market, clientOrderId), state: "unknown" as const };
      addSent(entered);
      void fateOf(entered, null);
    }
    return notDone(order, "changed", error, market);
  }
}

/**
 * The venue has no cancel-replace that would notice a further fill of an order that has traded: it is canceled, and what
 * was left of it by then is entered.
 */
async function cancelThenEnter(order: Order, draft: Draft, market: Market, qty: bigint): Promise<Outcome> {
  const { symbol, orderId } = order;
  const canceled = await asAccount<OrderAnswer>("order.cancel", { symbol, orderId: orderId ?? 0 });
  const rest = qty - units(canceled.executedQty, market.qty.decimals);
  if (rest <= 0n) {
    const sentence = `${orderWords(order, market)} is canceled: as much has traded meanwhile.`;
    notice("warning", sentence);
    return { ok: false, sentence };
  }
  const params = { ...draft.params, quantity: format(rest, market.qty.decimals) };
  const outcome = await enter({ ...draft, params }, market);
  if (!outcome.ok && !outcome.fate) {
    notice("warning", `${orderWords(order, market)} is canceled, and what was left of it is not entered anew.`);
  }
  return outcome;
}

/** The old order is canceled and there is no new one. */
function halfReplaced(order: Order, error: Refused, market: Market): Outcome {
  const { newOrderResponse } = error.data as ReplaceAnswer;
  const { code, msg } = newOrderResponse as { code: number; msg: string };
  const why = sentenceOf(new Refused(error.status, code, msg), market);
  const sentence = `${orderWords(order, market)} is canceled, and the order in its place was refused. ${why}`;
  change(order.key, { state: "canceled", change: null, updatedMs: venueNow() });
  notice("bad", sentence);
  return failed(error, sentence);
}

/** An order stays as it was, or that is not known. */
function notDone(order: Order, what: "canceled" | "changed", error: unknown, market: Market | undefined): Outcome {
  const words = orderWords(order, market);
  if (isUnknown(error)) {
    change(order.key, { change: null, state: "unknown" });
    const sentence = sentenceOf(new Unanswered(), market);
    notice("warning", `Whether ${words} was ${what} is not known yet. ${sentence}`);
    return { ok: false, sentence, fate: fateOf(order, null) };
  }
  change(order.key, { change: null });
  const sentence = sentenceOf(reasonOf(error), market);
  notice("bad", `${words} was not ${what}. ${sentence}`);
  return failed(error, sentence);
}

/** Of a cancel-replace that did nothing: what its cancel was refused for. */
function reasonOf(error: unknown): unknown {
  if (!(error instanceof Refused) || error.code !== NOT_REPLACED) return error;
  const { cancelResponse } = error.data as ReplaceAnswer;
  const { code, msg } = cancelResponse as { code: number; msg: string };
  return new Refused(error.status, code, /restrictions/.test(msg) ? TRADED_MEANWHILE : msg);
}

async function cancelAllOf(symbol: string): Promise<Outcome> {
  const market = markets.peek().get(symbol);
  const orders = ordersOf({ symbol });
  for (const { key } of orders) change(key, { change: "canceling" });
  try {
    await asAccount("openOrders.cancelAll", { symbol });
    return { ok: true };
  } catch (error) {
    const isOpen = isUnknown(error) ? { change: null, state: "unknown" as const } : { change: null };
    for (const { key } of ordersOf({ symbol })) change(key, isOpen);
    const sentence = sentenceOf(error, market);
    if (!isUnknown(error)) {
      notice("bad", `Orders of ${symbol} were not canceled. ${sentence}`);
      return failed(error, sentence);
    }
    notice("warning", `Whether the orders of ${symbol} were canceled is not known yet. ${sentence}`);
    return { ok: false, sentence, fate: fatesOf(orders) };
  }
}

/** One after the other: there may be thousands, and events tell of most. */
async function fatesOf(orders: readonly Order[]): Promise<Outcome> {
  for (const order of orders) await fateOf(order, null);
  return { ok: true };
}

/**
 * Asks for an order until the venue has said what became of it, or an event has. `draft` is what was sent: one that never
 * arrived may be sent again.
 */
async function fateOf(order: Order, draft: Draft | null): Promise<Outcome> {
  const { symbol, orderId, clientOrderId, key } = order;
  const named = orderId === null ? { origClientOrderId: clientOrderId } : { orderId };
  const sentMs = performance.now();
  for (;;) {
    await wait(ASK_AGAIN_MS);
    const known = orderByKey(key);
    if (known === undefined) return SIGNED_OUT;
    if (known.state !== "unknown") return endOf(known);
    if (accountFreshness.peek() !== "live") continue;
    try {
      took(order, await asAccount<OrderInfo>("order.status", { symbol, ...named }));
      const found = orderByKey(key);
      if (found) notice("good", `${orderWords(found)} was found: ${found.state}.`);
      return { ok: true };
    } catch (error) {
      const isMissing = error instanceof Refused && error.code === NO_SUCH_ORDER;
      if (isMissing && performance.now() - sentMs > NEVER_ARRIVED_MS) break;
    }
  }
  change(key, { state: "rejected", reason: NEVER_REACHED.sentence, updatedMs: venueNow() });
  const fix = draft && { label: "Send it again", run: () => void place(draft, { again: clientOrderId }) };
  notice("warning", `${orderWords(order)} never reached the venue.`, fix ?? undefined);
  return NEVER_REACHED;
}

async function listFateOf(list: ListDraft, listClientOrderId: string): Promise<Outcome> {
  const name = `${list.kind.toUpperCase()} of ${list.symbol}`;
  const account = session.peek()?.account;
  const sentMs = performance.now();
  for (;;) {
    await wait(ASK_AGAIN_MS);
    if (session.peek()?.account !== account) return SIGNED_OUT;
    if (accountFreshness.peek() !== "live") continue;
    try {
      listRead(await asAccount<ListInfo>("orderList.status", { origClientOrderId: listClientOrderId }));
      notice("good", `${name} was found.`);
      return { ok: true };
    } catch (error) {
      const isMissing = error instanceof Refused && error.code === NO_SUCH_ORDER;
      if (isMissing && performance.now() - sentMs > NEVER_ARRIVED_MS) break;
    }
  }
  notice("warning", `${name} never reached the venue.`, {
    label: "Send it again",
    run: () => void placeList(list, listClientOrderId),
  });
  return NEVER_REACHED;
}

/** The venue has answered for an order that this page sent. */
function took(order: Order, answer: OrderAnswer): void {
  const known = answered(answer);
  if (known && known.key !== order.key) sentAs(order.key, known.key);
}

const endOf = ({ state, reason }: Order): Outcome =>
  state === "rejected" ? { ok: false, sentence: reason ?? "It was refused." } : { ok: true };

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const TRADED_MEANWHILE = "It has traded meanwhile: look at what is left of it, and change that.";
const SENT_ONCE = "The same order was sent a moment ago: it is sent once.";
const UNKNOWN_MARKET = "This market is not known.";
let sentLast = { text: "", atMs: Number.NEGATIVE_INFINITY };

/** Whether the last order is sent a second time at once, as by a double click. */
function isTwice(draft: Draft | ListDraft, twiceMs: number): boolean {
  // Each order of a list has been given another name.
  const text = JSON.stringify(draft, (name, value) => (name.endsWith("ClientOrderId") ? undefined : value));
  const nowMs = performance.now();
  const isSame = text === sentLast.text && nowMs - sentLast.atMs < twiceMs;
  sentLast = { text, atMs: nowMs };
  return isSame;
}

/** Why nothing may be sent now. */
function refusalBefore(market: Market | undefined): string | null {
  if (session.peek() === null) return "Sign in to trade.";
  if (session.peek()?.role !== "trader") return "This sign-in may read only.";
  if (market === undefined) return UNKNOWN_MARKET;
  const freshness = accountFreshness.peek();
  if (freshness === "stale") return "There is no sign of life from the venue: nothing is sent until it is back.";
  if (freshness === "catching-up") return "Your orders are being read: try again in a moment.";
  if (market.symbol === chosen.peek() && bookFreshness.peek() !== "live") {
    return `The book of ${market.symbol} is not live: nothing is sent until it is.`;
  }
  return null;
}

function refusedHere(sentence: string): Outcome {
  notice("warning", sentence);
  return { ok: false, sentence };
}

function failed(error: unknown, sentence: string): Outcome {
  if (!(error instanceof Refused)) return { ok: false, sentence };
  return { ok: false, sentence, reason: error.reason, code: error.code };
}

const isUnknown = (error: unknown): boolean =>
  error instanceof Unanswered || (error instanceof Refused && error.code === OUTCOME_UNKNOWN);

/** An order as this page knows it before the venue does. */
function orderOf({ symbol, side, type, params }: Draft, market: Market, clientOrderId: string): Order {
  const number = (name: string, decimals: number) => {
    const text = params[name];
    return text === undefined || text === "" ? null : units(text, decimals);
  };
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
