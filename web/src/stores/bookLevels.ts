// One side of a book: sorted levels, best first.
import type { Level } from "./types";

export class BookSide {
  levels: Level[] = [];
  readonly #isBid: boolean;

  constructor(isBid: boolean) {
    this.#isBid = isBid;
  }

  /** A level of quantity zero removes the one at its price. */
  set(level: Level): void {
    const at = this.#find(level.price);
    const isThere = this.levels[at]?.price === level.price;
    if (level.qty === 0n) {
      if (isThere) this.levels.splice(at, 1);
    } else if (isThere) {
      this.levels[at] = level;
    } else {
      this.levels.splice(at, 0, level);
    }
  }

  /** Where a price is, or would be. Most changes are near the best price, so the search begins there. */
  #find(price: bigint): number {
    const { levels } = this;
    let [low, high] = [0, 1];
    while (high < levels.length && this.#isBefore(levels[high - 1]?.price ?? price, price)) {
      low = high;
      high *= 2;
    }
    high = Math.min(high, levels.length);
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#isBefore(levels[middle]?.price ?? price, price)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #isBefore(left: bigint, right: bigint): boolean {
    return this.#isBid ? left > right : left < right;
  }
}
