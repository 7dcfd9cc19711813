// The order types and lists of the venue, and what each takes.
import type { Side } from "../../stores/types";

export const ORDER_TYPES = [
  "LIMIT",
  "LIMIT_MAKER",
  "MARKET",
  "MARKET_TO_LIMIT",
  "STOP_LOSS",
  "STOP_LOSS_LIMIT",
  "TAKE_PROFIT",
  "TAKE_PROFIT_LIMIT",
] as const;
export type OrderType = (typeof ORDER_TYPES)[number];

const LIST_KINDS = ["OCO", "OTO", "OTOCO", "OPO", "OPOCO"] as const;
export type ListKind = (typeof LIST_KINDS)[number];

/** What the ticket offers: an order type, an order that follows a price, or a list. */
export type Kind = OrderType | "PEGGED" | ListKind;

export type TimeInForce = "GTC" | "IOC" | "FOK" | "DAY" | "GTD" | "AT_OPEN" | "AT_CLOSE";

interface Takes {
  readonly price: boolean;
  /** A stop price, a trailing delta or both. */
  readonly trigger: boolean;
  /** The first is the default. */
  readonly timesInForce: readonly TimeInForce[];
  /** Whether the API wants a time in force, whichever it is. */
  readonly needsTime: boolean;
  /** Iceberg or hidden. */
  readonly display: boolean;
  readonly minQty: boolean;
}

const RESTING: readonly TimeInForce[] = ["GTC", "DAY", "GTD"];
const ENTERING: readonly TimeInForce[] = ["GTC", "IOC", "FOK", "DAY", "GTD"];
const ALL: readonly TimeInForce[] = [...ENTERING, "AT_OPEN", "AT_CLOSE"];

export const TAKES: Readonly<Record<OrderType, Takes>> = {
  LIMIT: { price: true, trigger: false, timesInForce: ALL, needsTime: true, display: true, minQty: true },
  LIMIT_MAKER: { price: true, trigger: false, timesInForce: RESTING, needsTime: false, display: true, minQty: false },
  MARKET: { price: false, trigger: false, timesInForce: [], needsTime: false, display: false, minQty: true },
  MARKET_TO_LIMIT: {
    price: false,
    trigger: false,
    timesInForce: ENTERING,
    needsTime: false,
    display: true,
    minQty: true,
  },
  STOP_LOSS: { price: false, trigger: true, timesInForce: RESTING, needsTime: false, display: false, minQty: true },
  STOP_LOSS_LIMIT: {
    price: true,
    trigger: true,
    timesInForce: ENTERING,
    needsTime: true,
    display: true,
    minQty: true,
  },
  TAKE_PROFIT: { price: false, trigger: true, timesInForce: RESTING, needsTime: false, display: false, minQty: true },
  TAKE_PROFIT_LIMIT: {
    price: true,
    trigger: true,
    timesInForce: ENTERING,
    needsTime: true,
    display: true,
    minQty: true,
  },
};

export const PROFIT_TYPES: readonly OrderType[] = ["LIMIT_MAKER", "TAKE_PROFIT", "TAKE_PROFIT_LIMIT"];
export const STOP_TYPES: readonly OrderType[] = ["STOP_LOSS", "STOP_LOSS_LIMIT"];
export const PENDING_TYPES: readonly OrderType[] = ORDER_TYPES.filter((type) => type !== "MARKET_TO_LIMIT");

export const PEGS = ["PRIMARY_PEG", "OPPOSITE_PEG", "MID_PEG", "MARKET_PEG"] as const;
export type Peg = (typeof PEGS)[number];

export const SELF_TRADE_MODES = ["NONE", "EXPIRE_TAKER", "EXPIRE_MAKER", "EXPIRE_BOTH", "DECREMENT"] as const;

/** Types of the ticket's own order, first the default. */
export function ownTypes(kind: Kind, peg: string): readonly OrderType[] {
  if (kind === "PEGGED") return peg === "MARKET_PEG" ? ["LIMIT"] : ["LIMIT", "LIMIT_MAKER"];
  if (kind === "OCO") return PROFIT_TYPES;
  if (isList(kind)) return ["LIMIT", "LIMIT_MAKER"];
  return [kind];
}

export function ownTimes(kind: Kind, type: OrderType, peg: string): readonly TimeInForce[] {
  const times = TAKES[type].timesInForce;
  if (kind === "PEGGED") return peg === "MARKET_PEG" ? ENTERING : RESTING;
  return isList(kind) ? timesInList(type) : times;
}

/** Orders of lists take part in no single auction. */
export function timesInList(type: OrderType): readonly TimeInForce[] {
  return TAKES[type].timesInForce.filter((time) => time !== "AT_OPEN" && time !== "AT_CLOSE");
}

export function isList(kind: Kind): kind is ListKind {
  return LIST_KINDS.some((list) => list === kind);
}

export function isKind(text: string): text is Kind {
  return text === "PEGGED" || [...ORDER_TYPES, ...LIST_KINDS].some((kind) => kind === text);
}

/** The one of `known` that was chosen, or the first. */
export function chosenOf<T extends string>(known: readonly T[], chosen: string): T {
  return known.find((one) => one === chosen) ?? (known[0] as T);
}

/** Without a limit price of its own: it trades at any. */
export function isMarketType(type: OrderType): boolean {
  return type === "MARKET" || type === "STOP_LOSS" || type === "TAKE_PROFIT";
}

export function mayRest(time: TimeInForce): boolean {
  return time !== "IOC" && time !== "FOK";
}

/** Whether the trigger waits for a rise of the last price, rather than a fall. */
export function waitsForRise(type: OrderType, side: Side): boolean {
  return STOP_TYPES.includes(type) === (side === "BUY");
}

export function opposite(side: Side): Side {
  return side === "BUY" ? "SELL" : "BUY";
}

/** Lists whose later orders sell what the first has bought. */
export function paysLater(kind: Kind): boolean {
  return kind === "OPO" || kind === "OPOCO";
}
