// The order book of the chosen market: a snapshot and the changes that follow it, without a gap.
import { computed, effect, signal } from "@preact/signals";
import type { Depth } from "../api/types";
import { request } from "../connection/api";
import { venueNow } from "../connection/clock";
import { Latest } from "../connection/latest";
import { followText, streamLink } from "../connection/streams";
import { untilAnswered } from "../connection/untilAnswered";
import { type BookChange, levelsOf, readChange } from "./bookChange";
import { BookSide } from "./bookLevels";
import { market } from "./markets";
import { notice } from "./notices";
import type { Freshness, Level, Market } from "./types";

export interface BookView {
  /** Best first. */
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
  /** Rises with each change: drawings compare it, a signal would cost each message a walk of its readers. */
  readonly version: number;
  readonly lastTradePrice: bigint | null;
  readonly market: Market | null;
}

const LEVELS = 1_000;
/** With fewer known levels on a side of a book that has more, the snapshot is read again. */
const LEVELS_MIN = 200;
const BUFFERED_MAX = 5_000;
/** A page that is so far behind does not catch up with what waits in its connection: a snapshot is quicker. */
const BEHIND_MAX_MS = 2_000;

class FollowedBook implements BookView {
  version = 0;
  lastTradePrice: bigint | null = null;
  market: Market | null = null;
  #bids = new BookSide(true);
  #asks = new BookSide(false);
  /** The last update that is in the book; `null` while there is no snapshot. */
  #last: number | null = null;
  #waiting: BookChange[] = [];
  /** Whether the snapshot had fewer levels than the book. */
  #isCut = false;
  readonly #reads = new Latest();
  #isReading = false;

  get bids(): readonly Level[] {
    return this.#bids.levels;
  }

  get asks(): readonly Level[] {
    return this.#asks.levels;
  }

  begin(of: Market | null): void {
    this.market = of;
    this.lastTradePrice = null;
    this.#reads.end();
    this.#isReading = false;
    this.#clear();
  }

  /** What was known has a gap from here on: what stands stays visible, and grey, until a snapshot replaces it. */
  resync(): void {
    this.#last = null;
    this.#waiting = [];
    isComplete.value = false;
    void this.#read();
  }

  read(text: string): void {
    if (this.market !== null) this.#receive(readChange(text, this.market));
  }

  #receive(update: BookChange): void {
    if (isTooLate(update)) {
      streamLink.restart();
    } else if (this.#last === null) {
      if (this.#waiting.length < BUFFERED_MAX) this.#waiting.push(update);
    } else if (update.U > this.#last + 1) {
      notice(
        "warning",
        `Book of ${this.market?.symbol}: ${update.U - this.#last - 1} changes were missed; it is read again.`,
      );
      this.resync();
    } else if (update.u > this.#last) {
      this.#apply(update);
      const fewest = Math.min(this.bids.length, this.asks.length);
      if (this.#isCut && fewest < LEVELS_MIN && !this.#isReading) void this.#read();
    }
  }

  /** Its phase or its rules changed. */
  replaceMarket(of: Market): void {
    if (of === this.market || this.market === null) return;
    this.market = of;
    this.#changed();
  }

  traded(price: bigint): void {
    this.lastTradePrice = price;
    this.#changed();
  }

  #changed(): void {
    this.version += 1;
    for (const listener of bookListeners) listener();
  }

  #clear(): void {
    this.#bids.levels = [];
    this.#asks.levels = [];
    this.#last = null;
    this.#waiting = [];
    this.#changed();
    isComplete.value = false;
  }

  async #read(): Promise<void> {
    const of = this.market;
    if (of === null) return;
    this.#isReading = true;
    const ask = () => request<Depth>("depth", { symbol: of.symbol, limit: LEVELS });
    const snapshot = await untilAnswered(ask, this.#reads.begin());
    if (snapshot === null) return;
    this.#isReading = false;
    this.#begin(of, snapshot);
  }

  #begin(of: Market, { lastUpdateId, bids, asks }: Depth): void {
    // The stream is ahead of a snapshot that was read to extend the known levels.
    if (this.#last !== null && lastUpdateId < this.#last) return;
    this.#bids.levels = levelsOf(bids, of);
    this.#asks.levels = levelsOf(asks, of);
    this.#isCut = Math.max(bids.length, asks.length) >= LEVELS;
    this.#last = lastUpdateId;
    this.#changed();
    isComplete.value = true;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const update of waiting) this.#receive(update);
  }

  #apply({ u, bids, asks }: BookChange): void {
    for (const level of bids) this.#bids.set(level);
    for (const level of asks) this.#asks.set(level);
    this.#last = u;
    this.#changed();
  }
}

/** Called with each change: drawings wake up by it. */
export const bookListeners = new Set<() => void>();

const isComplete = signal(false);
const followed = new FollowedBook();
export const book: BookView = followed;

export const bookFreshness = computed<Freshness>(() => {
  if (streamLink.state.value !== "live") return "stale";
  return isComplete.value ? "live" : "catching-up";
});

export function followBook(): void {
  const symbol = computed(() => market.value?.symbol ?? "");
  effect(() => {
    if (symbol.value === "") return;
    followed.begin(market.peek());
    return followText(
      `${symbol.value.toLowerCase()}@depth@20ms`,
      (text) => followed.read(text),
      () => followed.resync(),
    );
  });
  effect(() => {
    if (market.value !== null && market.value.symbol === followed.market?.symbol) followed.replaceMarket(market.value);
  });
}

/** Whether a change was in time since the last drop: a line that is slow by itself is not dropped again. */
let wasInTime = false;

function isTooLate({ E }: BookChange): boolean {
  const behindMs = venueNow() - E;
  if (!(behindMs > BEHIND_MAX_MS)) {
    wasInTime = true;
    return false;
  }
  if (!wasInTime) return false;
  wasInTime = false;
  notice("warning", `The page was ${Math.round(behindMs / 1_000)} s behind: what waited is dropped.`);
  return true;
}

/** The tape knows the last price first. */
export const bookTraded = (price: bigint): void => followed.traded(price);
