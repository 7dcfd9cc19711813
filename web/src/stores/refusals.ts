// Refusals as sentences: the rule, and its limit.
import { NotSent, Refused, Unanswered } from "../connection/api";
import { formatShort } from "../numbers/decimal";
import type { Market } from "./types";

/** By the filter's name in the text of a refusal. */
const OF_FILTER: Readonly<Record<string, (market: Market) => string>> = {
  PRICE_FILTER: ({ price }) =>
    `The price must be from ${formatShort(price.min, price.decimals)} to ${formatShort(price.max, price.decimals)}, in steps of ${formatShort(price.step, price.decimals)}.`,
  LOT_SIZE: ({ qty, base }) =>
    `The quantity must be from ${formatShort(qty.min, qty.decimals)} to ${formatShort(qty.max, qty.decimals)} ${base}, in steps of ${formatShort(qty.step, qty.decimals)}.`,
  MARKET_LOT_SIZE: ({ base }) => `The quantity is outside the bounds of market orders in ${base}.`,
  NOTIONAL: ({ minNotional, maxNotional, quote, quoteDecimals }) =>
    `Price times quantity must be at least ${formatShort(minNotional ?? 0n, quoteDecimals)}${maxNotional === null ? "" : ` and at most ${formatShort(maxNotional, quoteDecimals)}`} ${quote}.`,
  MIN_NOTIONAL: ({ minNotional, quote, quoteDecimals }) =>
    `Price times quantity must be at least ${formatShort(minNotional ?? 0n, quoteDecimals)} ${quote}.`,
  PERCENT_PRICE: () => "The price is too far from the average price of the market.",
  PERCENT_PRICE_BY_SIDE: () => "The price is too far from the average price of the market.",
  MAX_NUM_ORDERS: () => "You have the largest number of open orders that this market allows: cancel some first.",
  MAX_NUM_ALGO_ORDERS: () => "You have the largest number of stop and take-profit orders that this market allows.",
  MAX_NUM_ICEBERG_ORDERS: () => "You have the largest number of iceberg orders that this market allows.",
  MAX_POSITION: ({ base }) => `You would hold more ${base} than this market allows.`,
  ICEBERG_PARTS: () => "The order has too many parts: show a larger part of it.",
  TRAILING_DELTA: () => "The trailing distance is outside the bounds of this market.",
};

const OF_REASON: Readonly<Record<string, string>> = {
  InsufficientBalance: "Your free balance does not pay for this order.",
  WouldTakeLiquidity: "A post-only order must not trade at once, and at this price it would.",
  NoLiquidity: "There is nothing on the other side of the book to trade with.",
};

const OF_CODE: Readonly<Record<number, string>> = {
  [-1003]: "Too many requests: the venue answers again in a moment.",
  [-1007]: "The venue did not learn in time what became of it.",
  [-1008]: "The venue is overloaded and takes no new orders at this moment; cancels work.",
  [-1015]: "Too many orders in a short time: the account's limit is reached.",
  [-1021]: "The clocks of this machine and the venue differ too much.",
  [-2013]: "The venue has no such order.",
  [-2015]: "The key of this browser may not do that, or is no longer valid: sign in again.",
};

export function sentenceOf(error: unknown, market: Market | undefined): string {
  if (error instanceof NotSent) return "There is no connection to the venue: nothing was sent.";
  if (error instanceof Unanswered) return "No answer yet: what became of it is being found out.";
  if (!(error instanceof Refused)) return error instanceof Error ? error.message : String(error);
  const filter = /Filter failure: (\w+)/.exec(error.message)?.[1];
  const ofFilter = filter === undefined ? undefined : OF_FILTER[filter];
  if (ofFilter && market) return ofFilter(market);
  return OF_REASON[error.reason ?? ""] ?? OF_CODE[error.code] ?? error.message;
}
