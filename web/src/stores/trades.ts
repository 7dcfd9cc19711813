// The public trades of the chosen market. Their ids have no gap, so a missed one is seen, and asked for.
import { computed, effect } from "@preact/signals";
import type { PublicTrade, TradeEvent } from "../api/types";
import { request } from "../connection/api";
import { Latest } from "../connection/latest";
import { follow } from "../connection/streams";
import { untilAnswered } from "../connection/untilAnswered";
import { units } from "../numbers/decimal";
import { bookTraded } from "./book";
import { market } from "./markets";
import type { Market, Trade } from "./types";

const KEPT = 2_000;
const FIRST = 500;
const ASKED_MAX = 1_000;

export interface Tape {
  /** Oldest first. */
  readonly trades: readonly Trade[];
  /** Rises with each change. */
  readonly version: number;
}

const kept = { trades: [] as Trade[], version: 0 };
/** Trades that came while earlier ones are read; `null` while none are. */
let early: Trade[] | null = null;
const reads = new Latest();
export const tape: Tape = kept;

/** Called for each trade in the order of the market. */
export const tradeListeners = new Set<(trade: Trade) => void>();

export function followTrades(): void {
  const symbol = computed(() => market.value?.symbol ?? "");
  effect(() => {
    const of = market.peek();
    if (symbol.value === "" || of === null) return;
    kept.trades = [];
    kept.version += 1;
    early = [];
    const name = `${of.symbol.toLowerCase()}@trade`;
    const receive = (event: TradeEvent) => received(of, event);
    const stop = follow(name, receive, () => void catchUp(of));
    return () => {
      stop();
      reads.end();
    };
  });
}

function received(of: Market, { t, p, q, T, m }: TradeEvent): void {
  const trade = tradeOf(of, { id: t, price: p, qty: q, time: T, isBuyerMaker: m });
  const last = kept.trades.at(-1);
  if (early !== null) {
    early.push(trade);
    if (early.length > 2 * KEPT) early = early.slice(-KEPT);
  } else if (last === undefined || trade.id <= last.id + 1) {
    add([trade]);
  } else {
    early = [trade];
    void catchUp(of);
  }
}

/** Asks for what is missing after the last known trade, or for the latest ones. */
async function catchUp(of: Market): Promise<void> {
  early ??= [];
  const signal = reads.begin();
  let isMore = true;
  while (isMore) {
    const last = kept.trades.at(-1);
    const ask = () =>
      last === undefined
        ? request<PublicTrade[]>("trades.recent", { symbol: of.symbol, limit: FIRST })
        : request<PublicTrade[]>("trades.historical", { symbol: of.symbol, fromId: last.id + 1, limit: ASKED_MAX });
    const asked = await untilAnswered(ask, signal);
    if (asked === null) return;
    add(asked.map((trade) => tradeOf(of, trade)));
    isMore = last !== undefined && asked.length === ASKED_MAX;
  }
  add(early);
  early = null;
}

function add(trades: readonly Trade[]): void {
  const lastId = kept.trades.at(-1)?.id ?? -1;
  const fresh = trades.filter(({ id }) => id > lastId);
  if (fresh.length === 0) return;
  kept.trades.push(...fresh);
  // Cut seldom: each cut copies all.
  if (kept.trades.length > 1.5 * KEPT) kept.trades = kept.trades.slice(-KEPT);
  kept.version += 1;
  bookTraded(fresh[fresh.length - 1]?.price ?? 0n);
  for (const listener of tradeListeners) for (const trade of fresh) listener(trade);
}

function tradeOf(
  of: Market,
  { id, price, qty, time, isBuyerMaker }: Pick<PublicTrade, "id" | "price" | "qty" | "time" | "isBuyerMaker">,
): Trade {
  return {
    id,
    price: units(price, of.price.decimals),
    qty: units(qty, of.qty.decimals),
    timeMs: time,
    aggressor: isBuyerMaker ? "SELL" : "BUY",
  };
}
