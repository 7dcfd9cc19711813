// The page's own words for what the venue sends. Prices, quantities and amounts are units: whole numbers of the
// smallest decimal of their market or asset.

import type { Filter, Side } from "../api/types";

export type { Side };

/** How far what a panel shows can be trusted. */
export type Freshness = "live" | "catching-up" | "stale";

export type Phase =
  | "PreOpen"
  | "OpeningAuction"
  | "Continuous"
  | "VolatilityAuction"
  | "ClosingAuction"
  | "Halt"
  | "Closed"
  | "Delisted";

/** Numbers with `decimals` decimals that are multiples of `step` units, between `min` and `max` units. */
export interface Scale {
  readonly decimals: number;
  readonly step: bigint;
  readonly min: bigint;
  readonly max: bigint;
}

export interface Market {
  readonly symbol: string;
  readonly base: string;
  readonly quote: string;
  /** `status` of exchangeInfo. */
  readonly status: string;
  readonly phase: Phase;
  /** When the phase ends by itself, in milliseconds since 1970. */
  readonly phaseEndsMs: number | null;
  readonly price: Scale;
  readonly qty: Scale;
  /** Decimals of amounts of the two assets. */
  readonly baseDecimals: number;
  readonly quoteDecimals: number;
  /** Smallest and largest price times quantity, in units of the quote asset. */
  readonly minNotional: bigint | null;
  readonly maxNotional: bigint | null;
  readonly orderTypes: readonly string[];
  readonly timesInForce: readonly string[];
  /** Filters as exchangeInfo has them, for what the above does not say. */
  readonly filters: readonly Filter[];
}

export interface Ticker {
  readonly last: bigint;
  readonly open: bigint;
  readonly high: bigint;
  readonly low: bigint;
  /** In the base and in the quote asset. */
  readonly volume: bigint;
  readonly quoteVolume: bigint;
}

export interface Level {
  readonly price: bigint;
  readonly qty: bigint;
}

export interface Trade {
  readonly id: number;
  readonly price: bigint;
  readonly qty: bigint;
  readonly timeMs: number;
  /** The side of the order that came last and took. */
  readonly aggressor: Side;
}

export interface Candle {
  readonly openMs: number;
  readonly open: bigint;
  readonly high: bigint;
  readonly low: bigint;
  readonly close: bigint;
  readonly volume: bigint;
}

export interface Auction {
  /** `null` while nothing would trade. */
  readonly price: bigint | null;
  readonly qty: bigint;
  readonly surplus: bigint;
  readonly surplusSide: Side | null;
  /** Whether it is over and this was its result. */
  readonly isResult: boolean;
  readonly timeMs: number;
}

/**
 * The life of an order as this page knows it. `sent`: not answered yet. `unknown`: no answer in time, the page is asking
 * for it. `amending` and `canceling`: working, with a change sent and not answered. `part-filled`, `filled`,
 * `canceled`, `expired` and `rejected` as the venue says.
 */
export type OrderState =
  | "sent"
  | "unknown"
  | "accepted"
  | "pending"
  | "part-filled"
  | "filled"
  | "canceled"
  | "expired"
  | "rejected";

export interface Order {
  /** `SYMBOL/client order id`, which an order has before the venue has answered. */
  readonly key: string;
  readonly symbol: string;
  readonly clientOrderId: string;
  /** `null` until the venue has answered. */
  readonly orderId: number | null;
  /** -1 without a list. */
  readonly orderListId: number;
  readonly side: Side;
  readonly type: string;
  readonly timeInForce: string;
  readonly price: bigint | null;
  readonly stopPrice: bigint | null;
  readonly trailingDelta: number | null;
  /** `null` for a market order by quote amount. */
  readonly qty: bigint | null;
  readonly quoteQty: bigint | null;
  readonly icebergQty: bigint | null;
  readonly isHidden: boolean;
  readonly filled: bigint;
  /** In units of the quote asset. */
  readonly filledQuote: bigint;
  /** What trades ahead of it at its price; `null`: not known, or not on the book. */
  readonly ahead: bigint | null;
  readonly state: OrderState;
  /** A change or a cancel that is on its way. */
  readonly change: "amending" | "canceling" | null;
  /** Why it ended, in a sentence. */
  readonly reason: string | null;
  readonly createdMs: number;
  readonly updatedMs: number;
}

export interface Fill {
  /** `SYMBOL/trade id/side`. */
  readonly key: string;
  readonly symbol: string;
  readonly tradeId: number;
  readonly orderId: number;
  readonly side: Side;
  readonly price: bigint;
  readonly qty: bigint;
  readonly quoteQty: bigint;
  readonly fee: bigint;
  readonly feeAsset: string;
  readonly isMaker: boolean;
  readonly timeMs: number;
  readonly isBusted: boolean;
}

export interface Balance {
  readonly asset: string;
  readonly decimals: number;
  readonly free: bigint;
  readonly locked: bigint;
}

/** An order as the ticket sends it: parameters of the API, texts as the API takes them. */
export interface Draft {
  readonly symbol: string;
  readonly side: Side;
  readonly type: string;
  /** Further parameters: `price`, `quantity`, `timeInForce`, `stopPrice`, `hidden` … */
  readonly params: Readonly<Record<string, string>>;
}

/** A list of orders: `oco`, `oto`, `otoco`, `opo` or `opoco`, with the parameters of the API. */
export interface ListDraft {
  readonly symbol: string;
  readonly kind: "oco" | "oto" | "otoco" | "opo" | "opoco";
  readonly params: Readonly<Record<string, string>>;
}

/** A line for the person: what was missed, refused, found out. */
export interface Notice {
  readonly id: number;
  readonly kind: "info" | "good" | "warning" | "bad";
  readonly text: string;
  readonly timeMs: number;
  /** A remedy that the person may take, such as the nearest allowed price. */
  readonly fix?: { readonly label: string; readonly run: () => void };
}

export interface Session {
  readonly user: string;
  readonly account: string;
  readonly role: string;
}
