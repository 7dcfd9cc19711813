// The instruments: their rules, phases and 24 hour figures.
import { computed, effect, signal } from "@preact/signals";
import type { ExchangeInfo, MiniTickerEvent, StatisticsTicker, SymbolInfo, SymbolStatusEvent } from "../api/types";
import { request, whenOpen } from "../connection/api";
import { Latest } from "../connection/latest";
import { follow, streamLink } from "../connection/streams";
import { untilAnswered } from "../connection/untilAnswered";
import { decimalsOf, units } from "../numbers/decimal";
import { filterIn } from "./filters";
import { isText, stored } from "./stored";
import type { Market, Phase, Scale, Ticker } from "./types";

const PHASE_OF: Readonly<Record<string, Phase>> = {
  PRE_TRADING: "PreOpen",
  TRADING: "Continuous",
  AUCTION_MATCH: "OpeningAuction",
  HALT: "Halt",
  END_OF_DAY: "Closed",
  BREAK: "Delisted",
};

export const markets = signal<ReadonlyMap<string, Market>>(new Map());
export const tickers = signal<ReadonlyMap<string, Ticker>>(new Map());
export const chosen = stored("market", "", isText);
export const market = computed(() => markets.value.get(chosen.value) ?? null);

/** What the stream has said of each market on its present connection: later than any answer of exchangeInfo. */
const said = new Map<string, SymbolStatusEvent>();
const reads = new Latest();

export function followMarkets(): void {
  effect(() => {
    if (streamLink.state.value === "connecting") said.clear();
  });
  whenOpen(() => void readAll());
  // First the state of all markets comes, then each change.
  follow("!status@arr", changed);
  follow("!miniTicker@arr", ticked);
}

async function readAll(): Promise<void> {
  const signal = reads.begin();
  const info = await untilAnswered(() => request<ExchangeInfo>("exchangeInfo"), signal);
  if (info === null) return;
  const read = info.symbols.map(marketOf);
  if (read.some(isOtherMarket)) {
    location.reload();
    return;
  }
  markets.value = new Map(read.map((one) => [one.symbol, withPhase(one)]));
  if (!markets.value.has(chosen.peek())) {
    const first = info.symbols.find(({ status }) => status === "TRADING") ?? info.symbols[0];
    if (first) chosen.value = first.symbol;
  }
  const all = await untilAnswered(() => request<StatisticsTicker[]>("ticker.24hr", { type: "MINI" }), signal);
  ticked(
    (all ?? []).map(({ symbol, lastPrice = "", openPrice, highPrice, lowPrice, volume, quoteVolume }) => ({
      s: symbol,
      c: lastPrice,
      o: openPrice,
      h: highPrice,
      l: lowPrice,
      v: volume,
      q: quoteVolume,
    })),
  );
}

/**
 * A market keeps its steps for ever: with others it is a market of another venue at the same address. All that the page
 * knows is in units of the old ones, so it begins anew.
 */
function isOtherMarket({ symbol, price, qty, baseDecimals, quoteDecimals }: Market): boolean {
  const known = markets.peek().get(symbol);
  const decimals = (of: Pick<Market, "price" | "qty" | "baseDecimals" | "quoteDecimals">) =>
    [of.price.decimals, of.qty.decimals, of.baseDecimals, of.quoteDecimals].join();
  return known !== undefined && decimals(known) !== decimals({ price, qty, baseDecimals, quoteDecimals });
}

/** exchangeInfo names the status only, as it was when it was asked; the stream knows the phase. */
function withPhase(read: Market): Market {
  const streamed = said.get(read.symbol);
  if (streamed) return withStatus(read, streamed);
  const before = markets.peek().get(read.symbol);
  return before?.status === read.status ? { ...read, phase: before.phase, phaseEndsMs: before.phaseEndsMs } : read;
}

function withStatus(of: Market, { S: status, p, T }: SymbolStatusEvent): Market {
  const phase: Phase = status === "BREAK" ? "Delisted" : status === "HALT" ? "Halt" : p;
  return { ...of, status, phase, phaseEndsMs: T };
}

function marketOf(info: SymbolInfo): Market {
  const prices = filterIn(info.filters, "PRICE_FILTER");
  const lots = filterIn(info.filters, "LOT_SIZE");
  const notionals = filterIn(info.filters, "NOTIONAL");
  const amount = (text: string | undefined) => (text === undefined ? null : units(text, info.quoteAssetPrecision));
  return {
    symbol: info.symbol,
    base: info.baseAsset,
    quote: info.quoteAsset,
    status: info.status,
    phase: PHASE_OF[info.status] ?? "Continuous",
    phaseEndsMs: null,
    price: scaleOf(prices?.tickSize, prices?.minPrice, prices?.maxPrice),
    qty: scaleOf(lots?.stepSize, lots?.minQty, lots?.maxQty),
    baseDecimals: info.baseAssetPrecision,
    quoteDecimals: info.quoteAssetPrecision,
    minNotional: amount(notionals?.minNotional),
    maxNotional: amount(notionals?.maxNotional),
    orderTypes: [...info.orderTypes, ...info.extendedOrderTypes],
    timesInForce: info.timesInForce,
    filters: info.filters,
  };
}

function scaleOf(step = "0", min = "0", max = "0"): Scale {
  const decimals = decimalsOf(step);
  return { decimals, step: units(step, decimals), min: units(min, decimals), max: units(max, decimals) };
}

function changed(changes: SymbolStatusEvent | readonly SymbolStatusEvent[]): void {
  const list = [changes].flat();
  const next = new Map(markets.peek());
  for (const change of list) {
    said.set(change.s, change);
    const known = next.get(change.s);
    if (known) next.set(change.s, withStatus(known, change));
  }
  // Before the markets have been read there is nothing to change, and the reading takes it over.
  if (next.size === 0) return;
  markets.value = next;
  if (list.some(({ s, c }) => c === "LISTED" || c === "RULES" || !next.has(s))) void readAll();
}

type MiniTicker = Pick<MiniTickerEvent, "s" | "c" | "o" | "h" | "l" | "v" | "q">;

function ticked(list: readonly MiniTicker[]): void {
  const next = new Map(tickers.peek());
  for (const { s, c, o, h, l, v, q } of list) {
    const of = markets.peek().get(s);
    if (!of) continue;
    const price = (text: string) => units(text, of.price.decimals);
    // Of a market that has never traded the venue sends prices of zero.
    if (price(c) === 0n) continue;
    next.set(s, {
      last: price(c),
      open: price(o),
      high: price(h),
      low: price(l),
      volume: units(v, of.baseDecimals),
      quoteVolume: units(q, of.quoteDecimals),
    });
  }
  tickers.value = next;
}

const AUCTIONS: readonly Phase[] = ["PreOpen", "OpeningAuction", "VolatilityAuction", "ClosingAuction"];

/** Whether orders gather for an auction now. */
export const isInAuction = (of: Market | null): boolean => of !== null && AUCTIONS.includes(of.phase);
