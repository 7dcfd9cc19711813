// How the ticket says things.
import { formatGrouped, formatShort } from "../../numbers/decimal";
import type { Market, Order, Phase, Side } from "../../stores/types";
import type { Preview } from "./preview";
import { isGathering, type ReadOrder, type ReadTicket, takesOrders } from "./rules";
import { type Kind, type OrderType, type Peg, TAKES, type TimeInForce, waitsForRise } from "./types";

export const KIND_NAMES: Readonly<Record<Kind, string>> = {
  LIMIT: "Limit",
  LIMIT_MAKER: "Limit, post only",
  MARKET: "Market",
  MARKET_TO_LIMIT: "Market to limit",
  STOP_LOSS: "Stop loss",
  STOP_LOSS_LIMIT: "Stop loss limit",
  TAKE_PROFIT: "Take profit",
  TAKE_PROFIT_LIMIT: "Take profit limit",
  PEGGED: "Pegged",
  OCO: "OCO: one cancels the other",
  OTO: "OTO: one triggers the other",
  OTOCO: "OTOCO: one triggers an OCO",
  OPO: "OPO: one pays the other",
  OPOCO: "OPOCO: one pays an OCO",
};

export const KIND_GROUPS: readonly { readonly name: string; readonly kinds: readonly Kind[] }[] = [
  { name: "At a price", kinds: ["LIMIT", "LIMIT_MAKER", "PEGGED"] },
  { name: "At once", kinds: ["MARKET", "MARKET_TO_LIMIT"] },
  { name: "Stop, fixed or trailing", kinds: ["STOP_LOSS", "STOP_LOSS_LIMIT", "TAKE_PROFIT", "TAKE_PROFIT_LIMIT"] },
  { name: "Lists", kinds: ["OCO", "OTO", "OTOCO", "OPO", "OPOCO"] },
];

export const KIND_HINTS: Readonly<Record<Kind, string>> = {
  LIMIT: "Trades at its price or better; the rest waits on the book.",
  LIMIT_MAKER: "Only waits on the book: refused if it would trade at once.",
  MARKET: "Trades at once at the prices of the book.",
  MARKET_TO_LIMIT: "Trades at the best price on arrival; the rest waits at that price.",
  STOP_LOSS: "A market order once the price moves against you.",
  STOP_LOSS_LIMIT: "A limit order once the price moves against you.",
  TAKE_PROFIT: "A market order once the price moves in your favor.",
  TAKE_PROFIT_LIMIT: "A limit order once the price moves in your favor.",
  PEGGED: "Follows a price of the book.",
  OCO: "A take-profit order and a stop: when one trades or triggers, the other expires.",
  OTO: "The second order enters when the first has filled.",
  OTOCO: "When the first order has filled, a take-profit order and a stop enter.",
  OPO: "The second order sells what the first has bought.",
  OPOCO: "A take-profit order and a stop sell what the first has bought.",
};

export const TIME_NAMES: Readonly<Record<TimeInForce, string>> = {
  GTC: "Until canceled (GTC)",
  IOC: "At once, the rest expires (IOC)",
  FOK: "All at once or nothing (FOK)",
  DAY: "Until the close (DAY)",
  GTD: "Until a date (GTD)",
  AT_OPEN: "Opening auction only",
  AT_CLOSE: "Closing auction only",
};

export const PEG_NAMES: Readonly<Record<Peg, string>> = {
  PRIMARY_PEG: "Best price of my side",
  OPPOSITE_PEG: "Best price of the other side",
  MID_PEG: "Middle of both",
  MARKET_PEG: "Other side on arrival, then fixed",
};

export const SELF_TRADE_NAMES = {
  NONE: "Trade with myself",
  EXPIRE_TAKER: "Expire the new order",
  EXPIRE_MAKER: "Expire the resting order",
  EXPIRE_BOTH: "Expire both",
  DECREMENT: "Reduce both",
} as const;

export const PHASE_NAMES: Readonly<Record<Phase, string>> = {
  PreOpen: "Pre-open",
  OpeningAuction: "Opening auction",
  Continuous: "Trading",
  VolatilityAuction: "Volatility auction",
  ClosingAuction: "Closing auction",
  Halt: "Halted",
  Closed: "Closed",
  Delisted: "Delisted",
};

/** What becomes of a new order in this phase; `null` where nothing is special. */
export function phaseWords(phase: Phase): string | null {
  if (phase === "Continuous") return null;
  if (phase === "PreOpen") return "Orders rest without trading until the opening auction.";
  if (isGathering(phase)) return "Orders gather, and trade at one price when the auction ends.";
  if (phase === "Halt") return "New orders are refused. Cancels work.";
  if (phase === "Closed") return "New orders are refused until the market opens. Cancels work.";
  return "This market has ended.";
}

/** Why a kind cannot be chosen now; `null`: it can. */
export function kindUnavailable(kind: Kind, market: Market): string | null {
  const { phase } = market;
  const type = kind === "PEGGED" || !(kind in TAKES) ? null : (kind as OrderType);
  if (type !== null && !market.orderTypes.includes(type)) return "not in this market";
  if (!takesOrders(phase) || !isGathering(phase)) return null;
  const isImmediate = kind === "MARKET" || kind === "MARKET_TO_LIMIT" || kind === "PEGGED";
  return isImmediate ? "not while orders gather for an auction" : null;
}

/** `Buy 0.5 BTC at 60 120.00` */
export function buttonWords(read: ReadTicket, market: Market): string {
  const { own, kind } = read;
  const verb = verbOf(own.side);
  const size = sizeWords(own, market);
  if (size === null) return `${verb} ${market.base}`;
  if (kind === "OCO") return `${verb} ${size}, OCO`;
  const price = priceWords(read, market);
  return `${verb} ${size}${price}${read.pending || read.profit ? `, then ${kind.endsWith("OCO") ? "OCO" : "second order"}` : ""}`;
}

/** One line for each order, for the dialog before sending. */
export function orderLines(read: ReadTicket, market: Market): readonly string[] {
  const { own, pending, profit, stop, kind } = read;
  const line = (order: ReadOrder, isLater: boolean) => {
    const size = sizeWords(order, market) ?? "what was bought";
    const words = `${verbOf(order.side)} ${size}${termsWords(order, market)} (${KIND_NAMES[order.type].toLowerCase()})`;
    return isLater ? `Then: ${words}` : words;
  };
  const later = [pending, profit, kind === "OCO" ? null : stop].filter((order) => order !== null);
  return [
    line(own, false),
    ...(kind === "OCO" && stop ? [`Or: ${line(stop, false)}`] : []),
    ...later.map((order) => line(order, true)),
  ];
}

export function verbOf(side: Side): string {
  return side === "BUY" ? "Buy" : "Sell";
}

/** What the preview says that the order would do. */
export function effectWords(
  { fate, walk, restQty, restPrice, expiresQty }: Preview,
  order: ReadOrder,
  market: Market,
): string {
  const qty = (units: bigint) => `${formatShort(units, market.qty.decimals)} ${market.base}`;
  // A price is not broken into two lines.
  const price = (units: bigint) => formatGrouped(units, market.price.decimals).replaceAll(" ", "\u00a0");
  switch (fate) {
    case "waits":
      return `Waits${triggerWords(order, market)}, then ${order.price === null ? "trades at the prices of the book" : `enters at ${price(order.price)}`}.`;
    case "gathers":
      return order.timeInForce === "AT_CLOSE"
        ? "Waits off the book for the closing auction."
        : "Rests without trading until the auction's price is found.";
    case "refused":
      return "Would be refused: it would trade at once.";
    case "unfillable":
      return "Would expire without a trade: the book has too little at this price.";
    case "enters": {
      const levels = `${walk.levels} ${walk.levels === 1 ? "level" : "levels"}`;
      const reach = `${order.side === "BUY" ? "up" : "down"} to ${price(walk.worstPrice ?? 0n)}`;
      const taken = walk.qty === 0n ? "" : `Takes ${qty(walk.qty)} from ${levels}, ${reach}.`;
      const rests =
        restQty > 0n && restPrice !== null
          ? `${qty(restQty)} ${walk.qty === 0n ? "waits" : "then waits"} at ${price(restPrice)}.`
          : "";
      const expires = expiresQty > 0n ? `${qty(expiresQty)} expires.` : "";
      return [taken, rests, expires].filter((part) => part !== "").join(" ") || "There is nothing to trade with.";
    }
  }
}

/** Where an order is in its life. */
export function lifeWords({ state, type, timeInForce }: Pick<Order, "state" | "type" | "timeInForce">): string {
  if (state === "accepted" && TAKES[type as OrderType]?.trigger) return "Accepted, waits for its trigger";
  if (state === "accepted" && timeInForce === "AT_CLOSE") return "Accepted, waits for the closing auction";
  return STATE_WORDS[state];
}

export const STATE_WORDS: Readonly<Record<Order["state"], string>> = {
  sent: "Sent, not answered yet",
  unknown: "Unknown: asking the venue what became of it",
  accepted: "Accepted, on the book",
  pending: "Accepted, waits for the first order",
  "part-filled": "Part filled",
  filled: "Filled",
  canceled: "Canceled",
  expired: "Expired",
  rejected: "Refused",
};

function sizeWords({ qty, quoteQty }: ReadOrder, market: Market): string | null {
  if (quoteQty !== null) return `${market.base} for ${formatShort(quoteQty, market.quoteDecimals)} ${market.quote}`;
  return qty === null ? null : `${formatShort(qty, market.qty.decimals)} ${market.base}`;
}

function priceWords({ own, kind }: ReadTicket, market: Market): string {
  if (kind === "PEGGED") return ", pegged";
  return termsWords(own, market);
}

function termsWords(order: ReadOrder, market: Market): string {
  const takes = TAKES[order.type];
  const at =
    order.price !== null
      ? ` at ${formatGrouped(order.price, market.price.decimals)}`
      : order.type === "MARKET_TO_LIMIT"
        ? " at the best price"
        : takes.price
          ? ""
          : " at market";
  return takes.trigger ? `${at}${triggerWords(order, market)}` : at;
}

function triggerWords({ type, side, stopPrice, trailing }: ReadOrder, market: Market): string {
  const isRise = waitsForRise(type, side);
  const stop = stopPrice === null ? "" : ` ${isRise ? "≥" : "≤"} ${formatGrouped(stopPrice, market.price.decimals)}`;
  const trail = trailing === null ? "" : ` trailing ${formatShort(trailing, 2)} %`;
  if (stop === "" && trail === "") return "";
  return stop === "" ? `,${trail}` : ` when last${stop}${trail === "" ? "" : `,${trail}`}`;
}
