// Prices in groups of ticks. A group shows no better price than there is: bids round down, asks round up.
import type { Level, Market, Side } from "../../stores/types";

/** Number of the group of `size` units that a price of a side is in; its price is that number times `size`. */
export function groupOf(price: bigint, size: bigint, side: Side): bigint {
  return side === "BUY" ? price / size : (price + size - 1n) / size;
}

/** 1, 2, 5, 10, 20 … ticks, up to a twentieth of the price. */
export function multiplesFor(market: Market, price: bigint): bigint[] {
  const multiples: bigint[] = [];
  for (let power = 1n; ; power *= 10n) {
    for (const factor of [1n, 2n, 5n]) {
      const multiple = power * factor;
      if (multiple > 1n && multiple * market.price.step * 20n > price) return multiples;
      multiples.push(multiple);
    }
  }
}

const INNER_PART = 0.7;

/** The smallest multiple with which about half of the rows of each side hold a level. */
export function suitingMultiple(
  { bids, asks }: { bids: readonly Level[]; asks: readonly Level[] },
  market: Market,
  rows: number,
): bigint {
  const count = Math.max(2, Math.floor(rows / 3));
  const spans = [bids, asks].map((levels) => {
    // The far end of a thin book does not count: one order far away would make all else one row.
    const inner = Math.min(count, Math.ceil(levels.length * INNER_PART));
    const [first, last] = [levels[0], levels[inner - 1]];
    if (!first || !last) return 0n;
    return first.price > last.price ? first.price - last.price : last.price - first.price;
  });
  const span = (spans[0] ?? 0n) > (spans[1] ?? 0n) ? (spans[0] ?? 0n) : (spans[1] ?? 0n);
  const price = bids[0]?.price ?? asks[0]?.price ?? 0n;
  const multiples = multiplesFor(market, price);
  const half = BigInt(Math.max(1, Math.floor(rows / 2)));
  return multiples.find((multiple) => multiple * market.price.step * half >= span) ?? multiples.at(-1) ?? 1n;
}
