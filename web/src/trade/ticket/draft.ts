// Exact orders as the parameters of the API.
import { format } from "../../numbers/decimal";
import type { Draft, ListDraft, Market } from "../../stores/types";
import type { ReadOrder, ReadTicket } from "./rules";
import { isList, paysLater, TAKES } from "./types";

type Params = Record<string, string>;

export type TicketDraft = { readonly order: Draft } | { readonly list: ListDraft };

/** What the ticket sends; only for a ticket without a problem that is certain. */
export function draftOf(read: ReadTicket, market: Market): TicketDraft {
  const { kind } = read;
  if (!isList(kind)) return { order: orderDraft(read.own, read, market) };
  return { list: { symbol: market.symbol, kind: LIST_NAMES[kind], params: listParams(read, market) } };
}

/** The list with a client order id for each of its orders, by which the page knows them from their first report on. */
export function withOrderIds(list: ListDraft, newId: () => string): { list: ListDraft; ids: readonly string[] } {
  const prefixes = Object.keys(list.params).flatMap((name) => (name.endsWith("Type") ? [name.slice(0, -4)] : []));
  const named = prefixes.map((prefix) => [`${prefix}ClientOrderId`, newId()] as const);
  const params = { ...list.params, ...Object.fromEntries(named) };
  return { list: { ...list, params }, ids: named.map(([, id]) => id) };
}

/** One order by itself. */
export function orderDraft(order: ReadOrder, { selfTrade }: ReadTicket, market: Market): Draft {
  const params = termsOf(order, market, "");
  if (order.qty !== null) params.quantity = format(order.qty, market.qty.decimals);
  if (order.quoteQty !== null) params.quoteOrderQty = format(order.quoteQty, market.quoteDecimals);
  if (order.isWithinBalance) params.withinBalance = "true";
  if (order.peg) Object.assign(params, pegParams(order.peg));
  if (selfTrade !== "NONE") params.selfTradePreventionMode = selfTrade;
  return { symbol: market.symbol, side: order.side, type: order.type, params };
}

/** The orders of the ticket that enter at once: the others wait for the first. */
export function entering({ kind, own, stop }: ReadTicket): readonly ReadOrder[] {
  return kind === "OCO" && stop ? [own, stop] : [own];
}

const LIST_NAMES = { OCO: "oco", OTO: "oto", OTOCO: "otoco", OPO: "opo", OPOCO: "opoco" } as const;

function listParams(read: ReadTicket, market: Market): Params {
  const { kind, own, pending, profit, stop, selfTrade } = read;
  const params: Params = {};
  const qty = (units: bigint | null) => format(units ?? 0n, market.qty.decimals);
  const add = (order: ReadOrder, prefix: string) => {
    params[named(prefix, "type")] = order.type;
    Object.assign(params, termsOf(order, market, prefix));
  };
  const addPair = (above: string, below: string, gain: ReadOrder, loss: ReadOrder) => {
    const [gainPrefix, lossPrefix] = gain.side === "SELL" ? [above, below] : [below, above];
    add(gain, gainPrefix);
    add(loss, lossPrefix);
  };
  if (kind === "OCO" && stop) {
    params.side = own.side;
    params.quantity = qty(own.qty);
    addPair("above", "below", own, stop);
  } else {
    params.workingSide = own.side;
    params.workingQuantity = qty(own.qty);
    add(own, "working");
    const first = pending ?? profit;
    if (!first) throw new Error(`${kind} without a second order`);
    params.pendingSide = first.side;
    if (!paysLater(kind)) params.pendingQuantity = qty(first.qty);
    if (pending) add(pending, "pending");
    if (profit && stop) addPair("pendingAbove", "pendingBelow", profit, stop);
  }
  if (selfTrade !== "NONE") params.selfTradePreventionMode = selfTrade;
  return params;
}

/** All but type, side and size. */
function termsOf(order: ReadOrder, market: Market, prefix: string): Params {
  const params: Params = {};
  const set = (name: string, text: string) => {
    params[named(prefix, name)] = text;
  };
  const { price, qty } = market;
  const { timeInForce } = order;
  if (order.price !== null) set("price", format(order.price, price.decimals));
  if (order.stopPrice !== null) set("stopPrice", format(order.stopPrice, price.decimals));
  if (order.trailing !== null) set("trailingDelta", order.trailing.toString());
  // Types that need none are refused a GTC that they would have anyway.
  const isTimeSent = timeInForce !== null && (TAKES[order.type].needsTime || timeInForce !== "GTC");
  if (isTimeSent) set("timeInForce", timeInForce);
  if (order.goodTillMs !== null) set("goodTillDate", order.goodTillMs.toString());
  if (order.icebergQty !== null) set("icebergQty", format(order.icebergQty, qty.decimals));
  if (order.isHidden) set("hidden", "true");
  if (order.minQty !== null) set("minQty", format(order.minQty, qty.decimals));
  return params;
}

function pegParams({ reference, offset }: NonNullable<ReadOrder["peg"]>): Params {
  if (offset === 0n) return { pegPriceType: reference };
  return { pegPriceType: reference, pegOffsetType: "TICK", pegOffsetValue: offset.toString() };
}

function named(prefix: string, name: string): string {
  return prefix === "" ? name : prefix + name.charAt(0).toUpperCase() + name.slice(1);
}
