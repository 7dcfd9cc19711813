// What it costs to trade through a side of the book.
import type { Level, Side } from "../../stores/types";

export interface Cost {
  readonly levels: number;
  readonly qty: bigint;
  /** Sum of price times quantity, in units of both multiplied. */
  readonly amount: bigint;
  /** Worst price that is traded. */
  readonly last: bigint;
}

/** Takes all that stands at `limit` or better: bids by selling, asks by buying. */
export function costTo(levels: readonly Level[], limit: bigint, taker: Side): Cost {
  let [count, qty, amount, last] = [0, 0n, 0n, 0n];
  for (const level of levels) {
    if (taker === "BUY" ? level.price > limit : level.price < limit) break;
    count += 1;
    qty += level.qty;
    amount += level.price * level.qty;
    last = level.price;
  }
  return { levels: count, qty, amount, last };
}

/** Average price in units of price: rounded up for who buys, down for who sells, so that it promises nothing. */
export function averageOf({ qty, amount }: Cost, taker: Side): bigint | null {
  if (qty === 0n) return null;
  return taker === "BUY" ? (amount + qty - 1n) / qty : amount / qty;
}
