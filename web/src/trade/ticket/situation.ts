// What the ticket compares with, as the stores have it now.
import { signal } from "@preact/signals";
import { balances } from "../../stores/balances";
import { book } from "../../stores/book";
import { fees } from "../../stores/fees";
import { fills } from "../../stores/fills";
import { venueNow } from "../../stores/link";
import { tickers } from "../../stores/markets";
import type { Market } from "../../stores/types";
import type { Means } from "./preview";
import type { Situation } from "./rules";

const LOOK_EVERY_MS = 200;

/** Rises when the book has changed, at most five times a second: enough for the eye, and cheap. */
const bookLook = signal(0);

/** Follows the book while a ticket is on the page; returns how to stop. */
export function watchBook(): () => void {
  const timer = setInterval(() => {
    if (!document.hidden) bookLook.value = book.version;
  }, LOOK_EVERY_MS);
  return () => clearInterval(timer);
}

export function situationOf(market: Market): Situation {
  void bookLook.value;
  const isOfMarket = book.market?.symbol === market.symbol;
  return {
    last: (isOfMarket ? book.lastTradePrice : null) ?? tickers.value.get(market.symbol)?.last ?? null,
    bestBid: isOfMarket ? (book.bids[0]?.price ?? null) : null,
    bestAsk: isOfMarket ? (book.asks[0]?.price ?? null) : null,
    freeBase: balances.value.get(market.base)?.free ?? null,
    freeQuote: balances.value.get(market.quote)?.free ?? null,
    nowMs: venueNow(),
  };
}

export function meansOf(market: Market): Means {
  const { freeBase, freeQuote } = situationOf(market);
  // The API does not say in which asset a buyer pays; the last own buy does.
  const bought = fills.value.find(({ symbol, side, fee }) => symbol === market.symbol && side === "BUY" && fee !== 0n);
  return { rates: fees.value, isFeeInQuote: bought?.feeAsset === market.quote, freeBase, freeQuote };
}
