// Trades of one aggressor as one line: an order that takes many makes many trades in the same millisecond.
import type { Side, Trade } from "../../stores/types";

export interface Joined {
  /** Id of its first trade. */
  readonly id: number;
  readonly timeMs: number;
  readonly aggressor: Side;
  qty: bigint;
  count: number;
  /** Price of its first and of its last trade. */
  readonly from: bigint;
  to: bigint;
}

/** Newest last; holds at most `kept`. */
export class JoinedTape {
  lines: Joined[] = [];
  /** How many lines there ever were. */
  total = 0;
  readonly #kept: number;
  #lastId = -1;

  constructor(kept: number) {
    this.#kept = kept;
  }

  clear(): void {
    this.lines = [];
    this.total = 0;
    this.#lastId = -1;
  }

  /** Takes what is new of trades in the order of the market. Returns whether there was any. */
  take(trades: readonly Trade[]): boolean {
    let at = trades.length;
    while (at > 0 && (trades[at - 1] as Trade).id > this.#lastId) at -= 1;
    if (at === trades.length) return false;
    for (; at < trades.length; at++) this.#add(trades[at] as Trade);
    if (this.lines.length > this.#kept * 1.5) this.lines = this.lines.slice(-this.#kept);
    return true;
  }

  #add({ id, price, qty, timeMs, aggressor }: Trade): void {
    this.#lastId = id;
    const last = this.lines.at(-1);
    if (last && last.timeMs === timeMs && last.aggressor === aggressor) {
      last.qty += qty;
      last.count += 1;
      last.to = price;
      return;
    }
    this.lines.push({ id, timeMs, aggressor, qty, count: 1, from: price, to: price });
    this.total += 1;
  }
}
