// What an auction of the chosen market would do now, and what the last one did.
import { computed, effect, signal } from "@preact/signals";
import { follow } from "../connection/streams";
import { units } from "../numbers/decimal";
import { market } from "./markets";
import type { Auction, Market, Side } from "./types";

interface Streamed {
  E: number;
  p: string | null;
  q: string;
  Q: string;
  S: Side | null;
  x: boolean;
}

export const auction = signal<Auction | null>(null);

export function followAuction(): void {
  const symbol = computed(() => market.value?.symbol ?? "");
  effect(() => {
    const of = market.peek();
    if (symbol.value === "" || of === null) return;
    auction.value = null;
    return follow(`${of.symbol.toLowerCase()}@auction`, (payload) => {
      auction.value = auctionOf(of, payload as unknown as Streamed);
    });
  });
}

function auctionOf(of: Market, { E, p, q, Q, S, x }: Streamed): Auction {
  return {
    price: p === null ? null : units(p, of.price.decimals),
    qty: units(q, of.qty.decimals),
    surplus: units(Q, of.qty.decimals),
    surplusSide: S,
    isResult: x,
    timeMs: E,
  };
}
