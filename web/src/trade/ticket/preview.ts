// What an order would do to the book as it stands, and to the balances. Not a promise: others trade, too.
import { units } from "../../numbers/decimal";
import type { Level, Market, Side } from "../../stores/types";
import { amountOf, floorTo, most } from "./numbers";
import { isGathering, qtyOfAmount, type ReadOrder, toQty } from "./rules";
import { isMarketType, mayRest, TAKES } from "./types";

export interface Books {
  /** Best first. */
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
}

/** What an order takes from the other side of the book. */
export interface Walk {
  readonly qty: bigint;
  /** In units of the quote asset. */
  readonly amount: bigint;
  /** Levels of which it takes something. */
  readonly levels: number;
  readonly worstPrice: bigint | null;
  /** The best price of that side afterwards; `null`: nothing is left of what is known. */
  readonly priceAfter: bigint | null;
}

export type Size = { readonly qty: bigint } | { readonly amount: bigint };

export interface Rates {
  readonly maker: string;
  readonly taker: string;
}

export interface Fee {
  readonly asset: string;
  readonly decimals: number;
  /** For what trades at once, and for what may trade later. */
  readonly taker: bigint;
  readonly maker: bigint;
}

export type Fate =
  /** Waits for its trigger price. */
  | "waits"
  /** Rests until the auction or the close. */
  | "gathers"
  /** Trades at once as far as `walk` says; what is left rests, or expires. */
  | "enters"
  /** Would trade at once, and must not. */
  | "refused"
  /** Fill-or-kill, or a minimum, of which the book has too little. */
  | "unfillable";

export interface Preview {
  readonly fate: Fate;
  readonly walk: Walk;
  readonly restQty: bigint;
  readonly restPrice: bigint | null;
  /** Expires after what trades at once. */
  readonly expiresQty: bigint;
  /** Of all that trades or may trade, in units of the quote asset. */
  readonly amount: bigint;
  readonly averagePrice: bigint | null;
  readonly fee: Fee | null;
  /** Free balances once it is on the book or done; `null`: not known. */
  readonly baseAfter: bigint | null;
  readonly quoteAfter: bigint | null;
}

export interface Means {
  readonly rates: Rates | null;
  /** Where buyers pay their fee in the quote asset as well. */
  readonly isFeeInQuote: boolean;
  readonly freeBase: bigint | null;
  readonly freeQuote: bigint | null;
}

const RATE_DECIMALS = 10;
const RATE_ONE = 10n ** BigInt(RATE_DECIMALS);
const NOTHING: Walk = { qty: 0n, amount: 0n, levels: 0, worstPrice: null, priceAfter: null };

/** `null` while size or price are not known. */
export function preview(order: ReadOrder, books: Books, market: Market, means: Means): Preview | null {
  const { side } = order;
  const takes = TAKES[order.type];
  const levels = side === "BUY" ? books.asks : books.bids;
  const size: Size | null =
    order.quoteQty !== null ? { amount: order.quoteQty } : order.qty !== null ? { qty: order.qty } : null;
  if (size === null) return null;
  const limit = limitOf(order, books, market);
  if (limit === null && (takes.price || order.type === "MARKET_TO_LIMIT")) return null;

  if (takes.trigger) {
    const price = order.price ?? order.stopPrice ?? levels[0]?.price ?? null;
    return price === null ? null : finish("waits", NOTHING, order, market, means, price, order.price !== null);
  }
  const isOff = order.timeInForce === "AT_CLOSE" || order.timeInForce === "AT_OPEN";
  if (isGathering(market.phase) || isOff) {
    return limit === null ? null : finish("gathers", NOTHING, order, market, means, limit, true);
  }
  const walked = walk(levels, side, limit, size, market);
  if (order.type === "LIMIT_MAKER" && walked.qty > 0n && order.peg === null && limit !== null) {
    return finish("refused", { ...NOTHING, priceAfter: levels[0]?.price ?? null }, order, market, means, limit, true);
  }
  const isShort = order.qty !== null && order.timeInForce === "FOK" && walked.qty < order.qty;
  const isBelowMin = order.minQty !== null && walked.qty < order.minQty;
  if (isShort || isBelowMin) return finish("unfillable", NOTHING, order, market, means, limit, false);
  const rests = limit !== null && (order.timeInForce === null || mayRest(order.timeInForce));
  const taken = order.type === "LIMIT_MAKER" ? NOTHING : walked;
  return finish("enters", taken, order, market, means, limit, rests);
}

/** Takes from the best level on, up to the limit; by amount in whole lots. */
export function walk(levels: readonly Level[], side: Side, limit: bigint | null, size: Size, market: Market): Walk {
  let qty = 0n;
  let amount = 0n;
  let taken = 0;
  let worstPrice: bigint | null = null;
  for (const level of levels) {
    const isBeyond = limit !== null && (side === "BUY" ? level.price > limit : level.price < limit);
    const left =
      "qty" in size ? size.qty - qty : isBeyond ? 0n : qtyOfAmount(size.amount - amount, level.price, market).floor;
    const next = left < level.qty ? left : level.qty;
    if (isBeyond || next <= 0n) return { qty, amount, levels: taken, worstPrice, priceAfter: level.price };
    qty += next;
    amount += amountOf(level.price, next, market);
    taken += 1;
    worstPrice = level.price;
    if (next < level.qty) return { qty, amount, levels: taken, worstPrice, priceAfter: level.price };
  }
  return { qty, amount, levels: taken, worstPrice, priceAfter: null };
}

/** The quantity that a part of the free balance buys or sells; `null`: not known. */
export function qtyOfPercent(
  percent: number,
  order: Pick<ReadOrder, "side" | "price" | "type" | "stopPrice">,
  books: Books,
  market: Market,
  means: Means,
): bigint | null {
  const { freeBase, freeQuote, rates, isFeeInQuote } = means;
  const part = (amount: bigint) => (amount * BigInt(percent)) / 100n;
  if (order.side === "SELL") return freeBase === null ? null : floorTo(toQty(part(freeBase), market), market.qty.step);
  if (freeQuote === null) return null;
  // A buyer's fee in the quote asset comes on top.
  const rate = isFeeInQuote && rates ? maxRate(rates) : 0n;
  const amount = (part(freeQuote) * RATE_ONE) / (RATE_ONE + rate);
  const price = order.price ?? order.stopPrice;
  if (price !== null && price > 0n) return qtyOfAmount(amount, price, market).floor;
  return floorTo(walk(books.asks, "BUY", null, { amount }, market).qty, market.qty.step);
}

/** The price beyond which it does not trade, and at which it rests; `null`: none, or not known. */
function limitOf(order: ReadOrder, { bids, asks }: Books, market: Market): bigint | null {
  const { side, peg } = order;
  const [own, other] = side === "BUY" ? [bids[0], asks[0]] : [asks[0], bids[0]];
  if (order.type === "MARKET_TO_LIMIT") return other?.price ?? null;
  if (peg === null) return order.price;
  const { step } = market.price;
  // The middle is rounded away from the other side.
  const middle = own && other ? own.price + other.price : null;
  const half = middle === null ? null : side === "BUY" ? floorTo(middle / 2n, step) : -floorTo(-middle / 2n, step);
  const reference = { PRIMARY_PEG: own?.price, OPPOSITE_PEG: other?.price, MARKET_PEG: other?.price, MID_PEG: half };
  const followed = reference[peg.reference] ?? null;
  if (followed === null) return null;
  const wanted = followed + peg.offset * step;
  if (order.price === null) return wanted;
  const isBeyond = side === "BUY" ? wanted > order.price : wanted < order.price;
  return isBeyond ? order.price : wanted;
}

function finish(
  fate: Fate,
  taken: Walk,
  order: ReadOrder,
  market: Market,
  means: Means,
  price: bigint | null,
  rests: boolean,
): Preview {
  const left = order.qty === null ? 0n : order.qty - taken.qty;
  const never = fate === "refused" || fate === "unfillable";
  const mayTradeLater = !never && (rests || fate === "waits");
  const laterQty = mayTradeLater && price !== null ? left : 0n;
  const laterAmount = price === null ? 0n : amountOf(price, laterQty, market);
  const amount = taken.amount + laterAmount;
  const tradedQty = taken.qty + laterQty;
  const holds = laterQty > 0n && !(fate === "waits" && isMarketType(order.type));
  const fee = feeOf(order.side, taken, laterQty, laterAmount, fate === "waits", market, means);
  const { freeBase, freeQuote } = means;
  const isBuy = order.side === "BUY";
  const baseUnits = (qty: bigint) => toBase(qty, market);
  const takerFee = fee?.taker ?? 0n;
  const feeInQuote = fee?.asset === market.quote;
  const heldQty = holds ? laterQty : 0n;
  const heldAmount = holds ? laterAmount : 0n;
  const heldFee = holds && isBuy && feeInQuote ? (fee?.maker ?? 0n) : 0n;
  const baseFee = feeInQuote ? 0n : takerFee;
  const quoteFee = feeInQuote ? takerFee : 0n;
  return {
    fate,
    walk: taken,
    restQty: fate === "waits" || never ? 0n : laterQty,
    restPrice: laterQty > 0n ? price : null,
    expiresQty: never ? left : left - laterQty,
    amount,
    averagePrice: averageOf(amount, tradedQty, market),
    fee,
    baseAfter:
      freeBase === null
        ? null
        : isBuy
          ? freeBase + baseUnits(taken.qty) - baseFee
          : freeBase - baseUnits(taken.qty + heldQty),
    quoteAfter:
      freeQuote === null
        ? null
        : isBuy
          ? freeQuote - taken.amount - heldAmount - quoteFee - heldFee
          : freeQuote + taken.amount - quoteFee,
  };
}

function feeOf(
  side: Side,
  taken: Walk,
  laterQty: bigint,
  laterAmount: bigint,
  isTaker: boolean,
  market: Market,
  { rates, isFeeInQuote }: Means,
): Fee | null {
  if (rates === null) return null;
  const isInBase = side === "BUY" && !isFeeInQuote;
  const of = (qty: bigint, amount: bigint, rate: string) =>
    ((isInBase ? toBase(qty, market) : amount) * units(rate, RATE_DECIMALS)) / RATE_ONE;
  const later = of(laterQty, laterAmount, isTaker ? rates.taker : rates.maker);
  const now = of(taken.qty, taken.amount, rates.taker);
  return {
    asset: isInBase ? market.base : market.quote,
    decimals: isInBase ? market.baseDecimals : market.quoteDecimals,
    taker: isTaker ? now + later : now,
    maker: isTaker ? 0n : later,
  };
}

/** In units of the price, rounded. */
function averageOf(amount: bigint, qty: bigint, market: Market): bigint | null {
  if (qty === 0n) return null;
  const shift = market.price.decimals + market.qty.decimals - market.quoteDecimals;
  const numerator = shift >= 0 ? amount * 10n ** BigInt(shift) : amount;
  const divisor = shift >= 0 ? qty : qty * 10n ** BigInt(-shift);
  return (numerator + divisor / 2n) / divisor;
}

function toBase(qty: bigint, { baseDecimals, qty: { decimals } }: Market): bigint {
  const surplus = baseDecimals - decimals;
  return surplus >= 0 ? qty * 10n ** BigInt(surplus) : qty / 10n ** BigInt(-surplus);
}

function maxRate({ maker, taker }: Rates): bigint {
  return most(0n, units(maker, RATE_DECIMALS), units(taker, RATE_DECIMALS));
}
