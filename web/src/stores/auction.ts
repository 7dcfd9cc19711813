// What an auction of the chosen market would do now, and what the last one did.
import { computed, effect, signal } from "@preact/signals";
import type { AuctionEvent } from "../api/types";
import { follow } from "../connection/streams";
import { units } from "../numbers/decimal";
import { market } from "./markets";
import type { Auction, Market } from "./types";

export const auction = signal<Auction | null>(null);

export function followAuction(): void {
  const symbol = computed(() => market.value?.symbol ?? "");
  effect(() => {
    const of = market.peek();
    if (symbol.value === "" || of === null) return;
    auction.value = null;
    return follow(`${of.symbol.toLowerCase()}@auction`, (payload) => {
      auction.value = auctionOf(of, payload as unknown as AuctionEvent);
    });
  });
}

function auctionOf(of: Market, { E, p, q, Q, S, x }: AuctionEvent): Auction {
  return {
    price: p === null ? null : units(p, of.price.decimals),
    qty: units(q, of.qty.decimals),
    surplus: units(Q, of.qty.decimals),
    surplusSide: S,
    isResult: x,
    timeMs: E,
  };
}
