// What part of the book a depth chart shows, and what it costs to trade up to its cursor.
import { format, formatGrouped, formatShort, rescale } from "../../numbers/decimal";
import type { Level, Market, Side } from "../../stores/types";
import { averageOf, costTo } from "../book/cost";
import { niceAbove } from "../canvas/scale";
import { most } from "../ticket/numbers";

export interface Sides {
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
}

/** Lowest and highest price of the picture. */
export interface Range {
  readonly low: bigint;
  readonly high: bigint;
}

/** So many levels of each side are in the picture without zoom. */
const LEVELS = 150;
const INNER_PART = 0.8;
const PERCENT = 100n;

/**
 * The market in the middle, `zoom` percent of the width that shows the nearest levels. Widths are round numbers, so that
 * a picture stays while the book moves a little.
 */
export function rangeOf({ bids, asks }: Sides, market: Market, zoom: bigint): Range | null {
  const [bid, ask] = [bids[0]?.price, asks[0]?.price];
  const middle = bid !== undefined && ask !== undefined ? (bid + ask) / 2n : (bid ?? ask);
  if (middle === undefined) return null;
  const spans = [bids, asks].map((levels) => {
    // One order far away would make the rest a spike in the middle.
    const last = levels[Math.min(LEVELS, Math.ceil(levels.length * INNER_PART)) - 1];
    if (last === undefined) return 0n;
    return last.price > middle ? last.price - middle : middle - last.price;
  });
  const span = most(market.price.step * 10n, ...spans);
  const half = (niceAbove(span) * zoom) / PERCENT;
  const low = middle - (half > 0n ? half : 1n);
  return { low: low > 0n ? low : 0n, high: middle + (half > 0n ? half : 1n) };
}

/** The price at a part of the width, on a tick. */
export function priceAt({ low, high }: Range, part: number, { price: { step } }: Market): bigint {
  const raw = low + (BigInt(Math.round(part * 1_000_000)) * (high - low)) / 1_000_000n;
  return ((raw + step / 2n) / step) * step;
}

/** Cost of trading up to a price, in a sentence. */
export function costWords(book: Sides, price: bigint, market: Market): string {
  const [bid, ask] = [book.bids[0]?.price, book.asks[0]?.price];
  const at = formatGrouped(price, market.price.decimals);
  const side: Side | null =
    ask !== undefined && price >= ask ? "BUY" : bid !== undefined && price <= bid ? "SELL" : null;
  if (side === null) return `${at}: within the spread, nothing trades there.`;
  const cost = costTo(side === "BUY" ? book.asks : book.bids, price, side);
  const average = averageOf(cost, side);
  const best = side === "BUY" ? ask : bid;
  if (average === null || best === undefined) return `${at}: nothing stands there.`;
  const decimals = market.price.decimals + market.qty.decimals;
  const amount = formatGrouped(rescale(cost.amount, decimals, 2), 2);
  const qty = formatShort(cost.qty, market.qty.decimals);
  const off = average > best ? average - best : best - average;
  const worse = format((off * 10_000n) / best, 2);
  return [
    `${side === "BUY" ? "Buy" : "Sell"} all to ${at}: ${qty} ${market.base} for ${amount} ${market.quote}`,
    `average ${formatGrouped(average, market.price.decimals)}, ${formatShort(off, market.price.decimals)} (${worse} %) off the best price`,
  ].join("; ");
}
