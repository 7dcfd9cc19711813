// Made from api/asyncapi.yaml by scripts/types.mjs (make web-api).

/** One trade */
export type Trade = {
  readonly e: "trade";
  /** When it was sent, in milliseconds or microseconds since 1970 */
  readonly E: number;
  readonly s: unknown;
  readonly t: unknown;
  readonly p: unknown;
  readonly q: unknown;
  readonly T: unknown;
  readonly m: unknown;
};

/** Trades of one aggressor at one price */
export type AggTrade = {
  readonly e: "aggTrade";
  /** When it was sent, in milliseconds or microseconds since 1970 */
  readonly E: number;
  readonly s: unknown;
  readonly a: unknown;
  readonly p: unknown;
  readonly q: unknown;
  readonly f: unknown;
  readonly l: unknown;
  readonly T: unknown;
  readonly m: unknown;
};

/** Levels that changed, from update `U` to update `u`; a quantity of zero is a level that is gone */
export type DepthUpdate = {
  readonly e: "depthUpdate";
  /** When it was sent, in milliseconds or microseconds since 1970 */
  readonly E: number;
  readonly s: unknown;
  readonly U: unknown;
  readonly u: unknown;
  readonly b: unknown;
  readonly a: unknown;
};

/** A candle; `k.x` says whether it is closed */
export type Kline = {
  readonly e: "kline";
  /** When it was sent, in milliseconds or microseconds since 1970 */
  readonly E: number;
  readonly s: unknown;
  readonly k: unknown;
};

/** Statistics over 24 hours, with the best quotes */
export type Ticker24hr = {
  readonly e: "24hrTicker";
  /** When it was sent, in milliseconds or microseconds since 1970 */
  readonly E: number;
  readonly s: unknown;
  readonly p: unknown;
  readonly P: unknown;
  readonly w: unknown;
  readonly x: unknown;
  readonly c: unknown;
  readonly Q: unknown;
  readonly b: unknown;
  readonly B: unknown;
  readonly a: unknown;
  readonly A: unknown;
};

/** Statistics over 24 hours, in brief */
export type MiniTicker24hr = {
  readonly e: "24hrMiniTicker";
  /** When it was sent, in milliseconds or microseconds since 1970 */
  readonly E: number;
  readonly s: unknown;
  readonly c: unknown;
  readonly o: unknown;
  readonly h: unknown;
  readonly l: unknown;
  readonly v: unknown;
  readonly q: unknown;
};

/** The average price over `i` */
export type AvgPrice = {
  readonly e: "avgPrice";
  /** When it was sent, in milliseconds or microseconds since 1970 */
  readonly E: number;
  readonly s: unknown;
  readonly i: unknown;
  readonly w: unknown;
  readonly T: unknown;
};

/** The result of an auction, or what it would be now */
export type Auction = {
  readonly e: "auction";
  /** When it happened, in milliseconds or microseconds since 1970 */
  readonly E: number;
  readonly s: unknown;
  /** The price; null while nothing would trade */
  readonly p: string | null;
  /** The quantity that trades at the price */
  readonly q: string;
  /** The quantity that is left over at the price */
  readonly Q: string;
  /** The side of what is left over */
  readonly S: "BUY" | "SELL" | null;
  /** Whether the auction is over, and this was its result */
  readonly x: boolean;
};

/** Status, phase or rules of a market have changed */
export type SymbolStatus = {
  readonly e: "symbolStatus";
  /** When it happened, in milliseconds or microseconds since 1970 */
  readonly E: number;
  readonly s: unknown;
  /** As `status` in exchangeInfo */
  readonly S: "PRE_TRADING" | "TRADING" | "END_OF_DAY" | "HALT" | "AUCTION_MATCH" | "BREAK";
  /** The phase */
  readonly p: "PreOpen" | "OpeningAuction" | "Continuous" | "VolatilityAuction" | "ClosingAuction" | "Halt" | "Closed";
  /** What has changed; PRESENT: nothing, the client has just subscribed */
  readonly c: "PRESENT" | "LISTED" | "RULES" | "PHASE" | "HALT" | "DELISTED";
  /** When the phase ends by itself */
  readonly T: number | null;
};

/** Events of the commands after this one follow */
export type Subscribed = {
  readonly event: "Subscribed";
  readonly sequence: number;
};

/** An operator's command, as a row of `GET /admin/v1/audit` */
export type Command = {
  readonly event: "Command";
  readonly sequence: number;
  readonly time: string;
  /** Number of the operator's key; 0 through the admin socket */
  readonly key: number;
  readonly origin: "AdminApi" | "Admin";
  readonly address: string | null;
  readonly account: string;
  readonly command: string;
  readonly fields: Readonly<Record<string, unknown>> | null;
  /** Why the venue refused it */
  readonly reason: string | null;
  /** The number of events of each kind, without those of later steps */
  readonly effect: Readonly<Record<string, unknown>>;
};

/** A change of a phase, the venue, an account or a withdrawal, by an operator or by the venue's rules */
export type OperatorFact = {
  readonly event: "PhaseChanged" | "InstrumentDelisted" | "VenueHalted" | "VenueResumed" | "KillSwitchSet" | "WithdrawalRequested" | "WithdrawalApproved" | "WithdrawalCompleted" | "WithdrawalCanceled";
  /** The command that caused it */
  readonly sequence: number;
  readonly time: string;
  readonly fields: Readonly<Record<string, unknown>> | null;
};

/** A part of the venue has a problem, or has none again */
export type Alarm = {
  readonly event: "Alarm";
  /** When this stream noticed it, within a second */
  readonly time: string;
  readonly alarm: "replica" | "read_model" | "disk" | "intake" | "publisher";
  readonly raised: boolean;
  readonly text: string;
};

/** The venue is about to stop: connect again with `fromSeq` */
export type Shutdown = {
  readonly event: "Shutdown";
};

/** The venue is about to stop: connect again */
export type ServerShutdown = {
  readonly e: "serverShutdown";
  /** When it was sent, in milliseconds or microseconds since 1970 */
  readonly E: number;
};

/** What became of an order */
export type ExecutionReport = {
  readonly e: "executionReport";
  /** When it was sent, in milliseconds or microseconds since 1970 */
  readonly E: number;
  readonly s: unknown;
  readonly c: unknown;
  readonly S: unknown;
  readonly o: unknown;
  readonly f: unknown;
  readonly q: unknown;
  readonly p: unknown;
  readonly x: unknown;
  readonly X: unknown;
  readonly i: unknown;
  /** Of a hidden order (beyond Binance) */
  readonly hidden?: boolean;
  /** Quantity that has to trade on arrival (beyond Binance) */
  readonly minQty?: string;
  /** When an order till a date expires (beyond Binance) */
  readonly goodTillDate?: number;
  /** Of a market order that the balance bounds (beyond Binance) */
  readonly withinBalance?: boolean;
};

/** Balances that changed */
export type OutboundAccountPosition = {
  readonly e: "outboundAccountPosition";
  /** When it was sent, in milliseconds or microseconds since 1970 */
  readonly E: number;
  readonly u: unknown;
  readonly B: unknown;
};

/** An amount moved by a deposit, a withdrawal, or a change of a trade */
export type BalanceUpdate = {
  readonly e: "balanceUpdate";
  /** When it was sent, in milliseconds or microseconds since 1970 */
  readonly E: number;
  /** The asset */
  readonly a: string;
  /** The change of the balance, never zero */
  readonly d: string;
  /** When it moved */
  readonly T: number;
  /** Number among the events of the account; no two messages share one */
  readonly seq: number;
};

/** An operator has undone a trade; a balanceUpdate for each amount that moved follows */
export type TradeBusted = {
  readonly e: "tradeBusted";
  /** When it was sent, in milliseconds or microseconds since 1970 */
  readonly E: number;
  /** The symbol */
  readonly s: string;
  /** The id of the trade, as in executionReport and myTrades */
  readonly t: number;
  /** The account's side of the trade */
  readonly S: "BUY" | "SELL";
  /** When it was changed */
  readonly T: number;
  /** Number among the events of the account */
  readonly seq: number;
};

/** An operator has changed the price of a trade; a balanceUpdate follows if money moved */
export type TradeCorrected = {
  readonly e: "tradeCorrected";
  /** When it was sent, in milliseconds or microseconds since 1970 */
  readonly E: number;
  /** The symbol */
  readonly s: string;
  /** The id of the trade, as in executionReport and myTrades */
  readonly t: number;
  /** The account's side of the trade */
  readonly S: "BUY" | "SELL";
  /** The price from now on */
  readonly L: string;
  /** The quote amount at that price */
  readonly Y: string;
  /** The price before the change */
  readonly op: string;
  /** When it was changed */
  readonly T: number;
  /** Number among the events of the account */
  readonly seq: number;
};

/** What became of an order list */
export type ListStatus = {
  readonly e: "listStatus";
  /** When it was sent, in milliseconds or microseconds since 1970 */
  readonly E: number;
  readonly s: unknown;
  readonly g: unknown;
  readonly c: unknown;
  readonly l: unknown;
  readonly L: unknown;
  readonly r: unknown;
  readonly C: unknown;
  readonly T: unknown;
  readonly O: unknown;
};

/** Something else about the account that its owner should know, by the name in `k` */
export type AccountNotice = {
  readonly e: "accountNotice";
  /** When it was sent, in milliseconds or microseconds since 1970 */
  readonly E: number;
  readonly k: unknown;
};

/** The subscription has ended */
export type EventStreamTerminated = {
  readonly e: "eventStreamTerminated";
  /** When it was sent, in milliseconds or microseconds since 1970 */
  readonly E: number;
};

/** The listen key has ended */
export type ListenKeyExpired = {
  readonly e: "listenKeyExpired";
  /** When it was sent, in milliseconds or microseconds since 1970 */
  readonly E: number;
  readonly listenKey: unknown;
};

/** Statistics over a rolling window; `e` is 1hTicker, 4hTicker or 1dTicker */
export type RollingTicker = {
  readonly e: "1hTicker" | "4hTicker" | "1dTicker";
  readonly E: unknown;
  readonly s: unknown;
  readonly p: unknown;
  readonly P: unknown;
  readonly w: unknown;
  readonly c: unknown;
  readonly Q: unknown;
};

/** The best levels, best first; it names neither event nor symbol */
export type PartialDepth = {
  readonly lastUpdateId: unknown;
  readonly bids: unknown;
  readonly asks: unknown;
};

/** Best bid and offer; zeros where a side is empty; it names no event */
export type BookTicker = {
  readonly u: unknown;
  readonly s: unknown;
  readonly b: unknown;
  readonly B: unknown;
  readonly a: unknown;
  readonly A: unknown;
};

/** A list of these */
export type Tickers24hr = readonly (Ticker24hr)[];

/** A list of these */
export type MiniTickers24hr = readonly (MiniTicker24hr)[];

/** A list of these */
export type RollingTickers = readonly (RollingTicker)[];

/** A list of these */
export type SymbolStatuses = readonly (SymbolStatus)[];
