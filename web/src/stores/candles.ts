// The candles of the chosen market. Trades extend the last one at once; the venue's own candle corrects it every 2 s.
import { computed, effect, signal } from "@preact/signals";
import type { Kline, KlineEvent } from "../api/types";
import { request } from "../connection/api";
import { Latest } from "../connection/latest";
import { follow } from "../connection/streams";
import { untilAnswered } from "../connection/untilAnswered";
import { rescale, units } from "../numbers/decimal";
import { market } from "./markets";
import { oneOf, stored } from "./stored";
import { tradeListeners } from "./trades";
import type { Candle, Market, Trade } from "./types";

export const INTERVALS = ["1s", "1m", "5m", "15m", "1h", "4h", "1d"] as const;
export type Interval = (typeof INTERVALS)[number];

const LENGTH_MS: Readonly<Record<Interval, number>> = {
  "1s": 1_000,
  "1m": 60_000,
  "5m": 300_000,
  "15m": 900_000,
  "1h": 3_600_000,
  "4h": 14_400_000,
  "1d": 86_400_000,
};
const FIRST = 500;
const OLDER = 1_000;

/** With fewer candles of a minute a market is young: its seconds show more, until a person chooses. */
const YOUNG = 10;

const chosenInterval = stored<Interval | "">("interval", "", oneOf("", ...INTERVALS));
const isYoung = signal(false);
export const interval = computed<Interval>(() => chosenInterval.value || (isYoung.value ? "1s" : "1m"));

export function chooseInterval(length: Interval): void {
  chosenInterval.value = length;
}

export interface Candles {
  /** Oldest first. */
  readonly list: readonly Candle[];
  /** Rises with each change. */
  readonly version: number;
  /** Rises when all are other ones. */
  readonly generation: number;
}

const kept = { list: [] as Candle[], version: 0, generation: 0 };
export const candles: Candles = kept;
let hasOlder = true;
const reads = new Latest();

export function followCandles(): void {
  const symbol = computed(() => market.value?.symbol ?? "");
  effect(() => {
    const [of, length] = [market.peek(), interval.value];
    if (symbol.value === "" || of === null) return;
    replace([]);
    const name = `${of.symbol.toLowerCase()}@kline_${length}`;
    const receive = (event: KlineEvent) => put(streamedCandle(of, event));
    const stop = follow(name, receive, () => void readLatest(of, length));
    const traded = (trade: Trade) => extend(of, length, trade);
    tradeListeners.add(traded);
    return () => {
      stop();
      reads.end();
      tradeListeners.delete(traded);
    };
  });
}

/** Candles before the first known one. */
export async function loadOlder(): Promise<void> {
  const [of, first, generation, length] = [market.peek(), kept.list[0], kept.generation, interval.peek()];
  if (of === null || first === undefined || !hasOlder) return;
  hasOlder = false;
  const ask = { symbol: of.symbol, interval: length, endTime: first.openMs - 1, limit: OLDER };
  const rows = await request<Kline[]>("klines", ask).catch(() => null);
  if (generation !== kept.generation) return;
  hasOlder = rows === null || rows.length === OLDER;
  if (rows === null || rows.length === 0) return;
  kept.list = [...rows.map((row) => candleOf(of, row)), ...kept.list];
  kept.version += 1;
}

async function readLatest(of: Market, length: Interval): Promise<void> {
  const ask = () => request<Kline[]>("klines", { symbol: of.symbol, interval: length, limit: FIRST });
  const rows = await untilAnswered(ask, reads.begin());
  if (rows === null) return;
  if (length === "1m" && rows.length < YOUNG) isYoung.value = true;
  // Then those of the new length are being read.
  if (interval.peek() !== length) return;
  const read = rows.map((row) => candleOf(of, row));
  const firstMs = read[0]?.openMs ?? Number.POSITIVE_INFINITY;
  const older = kept.list.filter(({ openMs }) => openMs < firstMs);
  replace([...older, ...read]);
}

function replace(list: Candle[]): void {
  kept.list = list;
  kept.version += 1;
  kept.generation += 1;
  hasOlder = true;
}

function put(candle: Candle): void {
  const last = kept.list.at(-1);
  if (last === undefined || candle.openMs > last.openMs) kept.list.push(candle);
  else if (candle.openMs === last.openMs) kept.list[kept.list.length - 1] = candle;
  else return;
  kept.version += 1;
}

function extend(of: Market, length: Interval, { price, qty, timeMs }: Trade): void {
  const openMs = timeMs - (timeMs % LENGTH_MS[length]);
  const last = kept.list.at(-1);
  // Trades of before the first reading would make candles that are not whole.
  if (last === undefined) return;
  const volume = rescale(qty, of.qty.decimals, of.baseDecimals);
  if (openMs > last.openMs) {
    put({ openMs, open: price, high: price, low: price, close: price, volume });
  } else if (openMs === last.openMs) {
    const high = price > last.high ? price : last.high;
    const low = price < last.low ? price : last.low;
    put({ ...last, high, low, close: price, volume: last.volume + volume });
  }
}

function streamedCandle(of: Market, { k }: KlineEvent): Candle {
  return candleOf(of, [k.t, k.o, k.h, k.l, k.c, k.v]);
}

/** The first columns of a row of `klines`. */
type Row = readonly [Kline[0], Kline[1], Kline[2], Kline[3], Kline[4], Kline[5], ...unknown[]];

function candleOf(of: Market, [openMs, open, high, low, close, volume]: Row): Candle {
  const price = (text: string) => units(text, of.price.decimals);
  return {
    openMs,
    open: price(open),
    high: price(high),
    low: price(low),
    close: price(close),
    volume: units(volume, of.baseDecimals),
  };
}
