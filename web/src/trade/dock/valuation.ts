import { rescale } from "../../numbers/decimal";
import type { Balance, Market, Ticker } from "../../stores/types";

/** The asset that most markets are quoted in, which all balances are valued in. */
export function commonQuote(markets: Iterable<Market>): Market | null {
  const counts = new Map<string, { market: Market; count: number }>();
  for (const market of markets) {
    const known = counts.get(market.quote);
    counts.set(market.quote, { market: known?.market ?? market, count: (known?.count ?? 0) + 1 });
  }
  let most: { market: Market; count: number } | null = null;
  for (const entry of counts.values()) if (most === null || entry.count > most.count) most = entry;
  return most?.market ?? null;
}

/**
 * What a balance is worth at the last price, in units of `quote` with `quoteDecimals`; `null` without a market between
 * the two assets, or without a price there. What does not fit is cut off.
 */
export function worthOf(
  { asset, decimals, free, locked }: Balance,
  quote: string,
  quoteDecimals: number,
  markets: Iterable<Market>,
  tickers: ReadonlyMap<string, Ticker>,
): bigint | null {
  const total = free + locked;
  if (asset === quote) return rescale(total, decimals, quoteDecimals);
  for (const market of markets) {
    const last = tickers.get(market.symbol)?.last ?? 0n;
    if (last === 0n) continue;
    if (market.base === asset && market.quote === quote) {
      return rescale(total * last, decimals + market.price.decimals, quoteDecimals);
    }
    if (market.base === quote && market.quote === asset) {
      const scaled = total * 10n ** BigInt(market.price.decimals + quoteDecimals);
      return scaled / last / 10n ** BigInt(decimals);
    }
  }
  return null;
}
