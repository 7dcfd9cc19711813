// The account's own trades over all markets, each once.
import { signal } from "@preact/signals";
import type { ExecutionReport, MyTrade } from "../api/types";
import { rescale, units } from "../numbers/decimal";
import { batched } from "./batched";
import { markets } from "./markets";
import type { Fill, Market, Side } from "./types";

/** Decimals of fees where no market says more. */
const FEE_DECIMALS = 8;
const MANY = 500;

const byKey = new Map<string, Fill>();
/** Newest first. */
export const fills = signal<readonly Fill[]>([]);
/** Which fills of the account are known: those of this page only, the newest ones, or all that the venue has. */
export const known = signal<"own" | "newest" | "all">("own");

const publish = batched(
  () => {
    // A hundred thousand are sorted only where one came that is not the newest.
    if (!isSorted) sorted = [...byKey.values()].sort((left, right) => order(right, left));
    isSorted = true;
    fills.value = sorted.slice();
  },
  () => (byKey.size > MANY ? 250 : 0),
);
let sorted: Fill[] = [];
let isSorted = true;

/** The newest fills of the past, `limit` at most. */
export function fillsRead(answers: readonly MyTrade[], limit: number): void {
  if (answers.length < limit) known.value = "all";
  else if (known.peek() === "own") known.value = "newest";
  for (const answer of answers) {
    const market = markets.peek().get(answer.symbol);
    const side: Side = answer.isBuyer ? "BUY" : "SELL";
    if (!market) continue;
    put(market, {
      tradeId: answer.id,
      orderId: answer.orderId,
      side,
      price: answer.price,
      qty: answer.qty,
      quoteQty: answer.quoteQty,
      fee: answer.commission,
      feeAsset: answer.commissionAsset,
      isMaker: answer.isMaker,
      timeMs: answer.time,
      isBusted: answer.isBusted,
    });
  }
  publish();
}

export function fillReported(report: ExecutionReport): void {
  const market = markets.peek().get(report.s);
  if (!market || report.x !== "TRADE") return;
  put(market, {
    tradeId: report.t,
    orderId: report.i,
    side: report.S,
    price: report.L,
    qty: report.l,
    quoteQty: report.Y,
    fee: report.n,
    feeAsset: report.N ?? "",
    isMaker: report.m,
    timeMs: report.T,
    isBusted: false,
  });
  publish();
}

/** An operator has undone a trade, or corrected its price. */
export function fillChanged(symbol: string, tradeId: number, side: Side, correctedPrice: string | null): void {
  const key = keyOf(symbol, tradeId, side);
  const fill = byKey.get(key);
  const market = markets.peek().get(symbol);
  if (!fill || !market) return;
  isSorted = false;
  if (correctedPrice === null) {
    byKey.set(key, { ...fill, isBusted: true });
  } else {
    const price = units(correctedPrice, market.price.decimals);
    byKey.set(key, { ...fill, price, quoteQty: quoteOf(market, price, fill.qty) });
  }
  publish();
}

export function clearFills(): void {
  byKey.clear();
  sorted = [];
  known.value = "own";
  publish();
}

/**
 * The average price of what the account has bought and not sold, or sold and not bought, in a market; `null` without
 * any, and while not all fills are known.
 */
export function averagePrice(symbol: string): bigint | null {
  // A position that began before the known fills has another average.
  if (known.value !== "all") return null;
  const all = fills.value;
  let [position, cost] = [0n, 0n];
  for (let at = all.length - 1; at >= 0; at -= 1) {
    const fill = all[at];
    if (!fill || fill.symbol !== symbol || fill.isBusted) continue;
    const change = fill.side === "BUY" ? fill.qty : -fill.qty;
    const isSame = position === 0n || position > 0n === change > 0n;
    const next = position + change;
    if (isSame) cost += change * fill.price;
    else if (next === 0n || next > 0n === position > 0n) cost = (cost * next) / position;
    else cost = next * fill.price;
    position = next;
  }
  return position === 0n ? null : cost / position;
}

interface Texts {
  tradeId: number;
  orderId: number;
  side: Side;
  price: string;
  qty: string;
  quoteQty: string;
  fee: string;
  feeAsset: string;
  isMaker: boolean;
  timeMs: number;
  isBusted: boolean;
}

function put(market: Market, texts: Texts): void {
  const key = keyOf(market.symbol, texts.tradeId, texts.side);
  const feeDecimals = decimalsOfAsset(market, texts.feeAsset);
  const isKnown = byKey.has(key);
  const fill: Fill = {
    key,
    symbol: market.symbol,
    tradeId: texts.tradeId,
    orderId: texts.orderId,
    side: texts.side,
    price: units(texts.price, market.price.decimals),
    qty: units(texts.qty, market.qty.decimals),
    quoteQty: units(texts.quoteQty, market.quoteDecimals),
    fee: units(texts.fee, feeDecimals),
    feeAsset: texts.feeAsset,
    isMaker: texts.isMaker,
    timeMs: texts.timeMs,
    isBusted: texts.isBusted,
  };
  byKey.set(key, fill);
  const [newest] = sorted;
  if (isKnown || !isSorted || (newest !== undefined && order(fill, newest) < 0)) isSorted = false;
  else sorted.unshift(fill);
}

const order = (left: Fill, right: Fill): number => left.timeMs - right.timeMs || left.tradeId - right.tradeId;

export function decimalsOfAsset(market: Market, asset: string): number {
  if (asset === market.base) return market.baseDecimals;
  return asset === market.quote ? market.quoteDecimals : FEE_DECIMALS;
}

function quoteOf({ price: { decimals }, qty, quoteDecimals }: Market, price: bigint, quantity: bigint): bigint {
  return rescale(price * quantity, decimals + qty.decimals, quoteDecimals);
}

const keyOf = (symbol: string, tradeId: number, side: Side): string => `${symbol}/${tradeId}/${side}`;
