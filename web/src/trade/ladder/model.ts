// The rows of a ladder: which prices they have, what stands there, and when they move.
import type { Level, Side } from "../../stores/types";
import { groupOf } from "../book/grouping";

export interface BookSides {
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
  readonly lastTradePrice?: bigint | null;
}

/** Of the rows, above and below the middle, the market may wander through so many before the rows follow. */
const QUIET_PART = 4;

/** Row 0 is the highest price. Rows without a price of the market, below zero, are there but empty. */
export class LadderModel {
  /** Units of price a row. */
  size = 1n;
  rows = 0;
  /** Group of the first row. */
  top = 0n;
  /** Whether the rows follow the market; not after a scroll by hand. */
  isFollowing = true;
  isCumulative = false;
  /** Quantities by row. */
  readonly bids: bigint[] = [];
  readonly asks: bigint[] = [];
  /** Rows of the best prices; they may be outside of 0 to `rows`. `null` without any. */
  bestBid: number | null = null;
  bestAsk: number | null = null;
  largest = 0n;

  priceOf(row: number): bigint {
    return (this.top - BigInt(row)) * this.size;
  }

  rowOf(price: bigint, side: Side): number {
    return Number(this.top - groupOf(price, this.size, side));
  }

  resize(rows: number): void {
    const change = rows - this.rows;
    // The middle stays where it is.
    this.top += BigInt(Math.trunc(change / 2));
    this.rows = rows;
    this.bids.length = 0;
    this.asks.length = 0;
    for (let row = 0; row < rows; row++) {
      this.bids.push(0n);
      this.asks.push(0n);
    }
  }

  /** Another size of the groups, about the same price in the middle. */
  regroup(size: bigint): void {
    const middle = this.priceOf(this.rows >> 1);
    this.size = size;
    this.top = middle / size + BigInt(this.rows >> 1);
  }

  scroll(rows: number): void {
    this.top -= BigInt(rows);
    this.isFollowing = false;
  }

  /** Moves the rows so that the market is in the middle. */
  centre(book: BookSides): void {
    const middle = this.#middle(book);
    if (middle !== null) this.top = middle + BigInt(this.rows >> 1);
  }

  /** Takes over the book. The rows follow the market unless they are held, as under a pointer. Returns whether they moved. */
  refresh(book: BookSides, isHeld: boolean): boolean {
    const before = this.top;
    if (this.isFollowing && !isHeld && this.#isOff(book)) this.centre(book);
    const { bids, asks } = book;
    this.largest = 0n;
    this.#fill(this.bids, bids, "BUY");
    this.#fill(this.asks, asks, "SELL");
    this.bestBid = bids[0] ? this.rowOf(bids[0].price, "BUY") : null;
    this.bestAsk = asks[0] ? this.rowOf(asks[0].price, "SELL") : null;
    return this.top !== before;
  }

  /** Where the market is, seen from the rows. */
  outside(): "above" | "below" | null {
    const { bestBid, bestAsk, rows } = this;
    const low = bestBid ?? bestAsk;
    const high = bestAsk ?? bestBid;
    if (low === null || high === null) return null;
    if (low < 0) return "above";
    return high >= rows ? "below" : null;
  }

  #middle({ bids, asks, lastTradePrice: last }: BookSides): bigint | null {
    const [bid, ask] = [bids[0]?.price, asks[0]?.price];
    // While orders gather for an auction the best ones may be anywhere.
    if (bid !== undefined && ask !== undefined && bid >= ask && last) return last / this.size;
    if (bid !== undefined && ask !== undefined) {
      return (groupOf(bid, this.size, "BUY") + groupOf(ask, this.size, "SELL")) / 2n;
    }
    const price = bid ?? ask;
    return price === undefined ? null : price / this.size;
  }

  #isOff(book: BookSides): boolean {
    const middle = this.#middle(book);
    if (middle === null) return false;
    const off = Number(this.top - middle) - (this.rows >> 1);
    return Math.abs(off) > Math.max(1, Math.floor(this.rows / QUIET_PART / 2));
  }

  #fill(into: bigint[], levels: readonly Level[], side: Side): void {
    const { rows, size, isCumulative } = this;
    for (let row = 0; row < rows; row++) into[row] = 0n;
    let sum = 0n;
    // The last row that has been written: cumulative sizes go on through rows without a level.
    let at: number | null = null;
    for (let level = 0; level < levels.length; level++) {
      const { price, qty } = levels[level] as Level;
      const row = Number(this.top - groupOf(price, size, side));
      if (isCumulative) {
        if (at !== null) this.#carry(into, at, row, sum);
        sum += qty;
        this.#put(into, row, sum);
      } else {
        this.#put(into, row, (into[row] ?? 0n) + qty);
      }
      at = row;
      if (side === "BUY" ? row >= rows : row < 0) break;
    }
  }

  /** Puts a sum into the rows between two, as far as they are there: the next level may be millions of rows away. */
  #carry(into: bigint[], from: number, to: number, sum: bigint): void {
    const [low, high] = from < to ? [from, to] : [to, from];
    for (let row = Math.max(0, low + 1); row < Math.min(this.rows, high); row++) this.#put(into, row, sum);
  }

  #put(into: bigint[], row: number, qty: bigint): void {
    if (row < 0 || row >= this.rows) return;
    into[row] = qty;
    if (qty > this.largest) this.largest = qty;
  }
}
