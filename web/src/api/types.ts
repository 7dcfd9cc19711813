// The generated types that the stores use, by short names. Where a document says "text" and the page knows the words, or
// leaves a field open, the narrower type stands here.
import type * as streams from "./streams.gen";
import type { components } from "./trading.gen";

type Schemas = components["schemas"];

export type Side = "BUY" | "SELL";

export type AccountInfo = Schemas["AccountInfo"];
export type ExchangeInfo = Schemas["ExchangeInfo"];
export type SymbolInfo = Schemas["SymbolInfo"];
export type Filter = Schemas["Filter"];
export type Kline = Schemas["Kline"];
export type ListInfo = Schemas["ListStatus"];
export type MyTrade = Schemas["MyTrade"];
export type PublicTrade = Schemas["Trade"];
export type ServerTime = Schemas["ServerTime"];
export type StatisticsTicker = Schemas["StatisticsTicker"];

/** Price and quantity. */
export type DepthRow = readonly [string, string];
export type Depth = Omit<Schemas["Depth"], "asks" | "bids"> & {
  readonly asks: readonly DepthRow[];
  readonly bids: readonly DepthRow[];
};

export type OrderInfo = Omit<Schemas["OrderInfo"], "aheadQty" | "side"> & {
  readonly side: Side;
  /** `null` for an order that is not on the book. Only if it was asked for. */
  readonly aheadQty?: string | null;
};

/** What the answer to a query and the answer to an order both have. */
type OrderFacts =
  | "clientOrderId"
  | "cummulativeQuoteQty"
  | "executedQty"
  | "orderId"
  | "orderListId"
  | "origQty"
  | "price"
  | "side"
  | "status"
  | "symbol"
  | "timeInForce"
  | "type";
export type OrderAnswer = Pick<OrderInfo, OrderFacts> & Partial<OrderInfo> & { readonly transactTime?: number };

/** What a cancel-replace says of its two halves, also where one of them or both failed. */
export type ReplaceAnswer = Schemas["ReplaceAnswer"];

export type AuctionEvent = streams.Auction;
export type SymbolStatusEvent = streams.SymbolStatus & { readonly s: string };
export type DepthUpdate = streams.DepthUpdate & {
  /** First and last update of the message. */
  readonly U: number;
  readonly u: number;
  readonly b: readonly DepthRow[];
  readonly a: readonly DepthRow[];
};
export type TradeEvent = streams.Trade & {
  readonly t: number;
  readonly p: string;
  readonly q: string;
  readonly T: number;
  readonly m: boolean;
};
export type MiniTickerEvent = streams.MiniTicker24hr &
  Readonly<Record<"s" | "c" | "o" | "h" | "l" | "v" | "q", string>>;
export type KlineEvent = streams.Kline & {
  readonly k: { readonly t: number } & Readonly<Record<"o" | "h" | "l" | "c" | "v", string>>;
};

/** With the fields that the page uses. */
export type ExecutionReport = streams.ExecutionReport &
  Readonly<Record<"s" | "c" | "C" | "o" | "f" | "q" | "p" | "P" | "F" | "Q" | "x" | "X" | "r", string>> &
  Readonly<Record<"l" | "L" | "Y" | "z" | "Z" | "n", string>> & {
    readonly S: Side;
    readonly g: number;
    readonly d?: number;
    readonly i: number;
    readonly N: string | null;
    readonly T: number;
    readonly t: number;
    readonly m: boolean;
    readonly O: number;
    readonly expiryReason?: string;
  };
export type ListStatusEvent = streams.ListStatus & {
  readonly s: string;
  readonly g: number;
  readonly c: string;
  readonly L: string;
  readonly C: string;
  readonly T: number;
  readonly O: readonly { readonly s: string; readonly i: number; readonly c: string }[];
};
export type PositionEvent = streams.OutboundAccountPosition & {
  readonly B: readonly Readonly<Record<"a" | "f" | "l", string>>[];
};

/** Events of an account, by their name in `e`. */
export type AccountEvent =
  | ExecutionReport
  | ListStatusEvent
  | PositionEvent
  | streams.AccountNotice
  | streams.BalanceUpdate
  | streams.EventStreamTerminated
  | streams.TradeBusted
  | streams.TradeCorrected;
