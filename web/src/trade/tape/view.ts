// Which lines a tape shows: filtered, held still, or scrolled back.
import { signal } from "@preact/signals";
import { market } from "../../stores/markets";
import { tape } from "../../stores/trades";
import { wake } from "../canvas/loop";
import { type Joined, JoinedTape } from "./joined";

const KEPT = 2_000;

export class TapeView {
  /** Rises with each change that is not a trade. */
  version = 0;
  readonly isPaused = signal(false);
  /** Lines that came since the list was held. */
  readonly waiting = signal(0);
  /** Lines that pass the filter, newest last. */
  shown: Joined[] = [];
  /** Rises with each line; those joined later change the last one only. */
  total = 0;
  #tape = new JoinedTape(KEPT);
  #tapeVersion = -1;
  #symbol = "";
  #from = 0n;
  #isUnderPointer = false;
  /** The last line when the list was held; `null` while it is not. */
  #heldAt: number | null = null;
  #scrolled = 0;

  /** Takes over new trades. Called right before each picture. */
  refresh(): void {
    const symbol = market.peek()?.symbol ?? "";
    if (symbol !== this.#symbol) this.#begin(symbol);
    if (tape.version === this.#tapeVersion) return;
    this.#tapeVersion = tape.version;
    const { lines } = this.#tape;
    const lastBefore = lines.at(-1);
    if (!this.#tape.take(tape.trades)) return;
    if (this.#from > 0n) this.shown = this.#tape.lines.filter(({ qty }) => qty >= this.#from);
    else this.shown = this.#tape.lines;
    this.total = this.#tape.total;
    if (lastBefore !== this.#tape.lines.at(-1)) this.#count();
  }

  filter(from: bigint): void {
    this.#from = from;
    this.shown = from > 0n ? this.#tape.lines.filter(({ qty }) => qty >= from) : this.#tape.lines;
    this.#count();
    this.#touch();
  }

  /** While the pointer is on it. */
  hold(isUnderPointer: boolean): void {
    this.#isUnderPointer = isUnderPointer;
    this.#holdOrGo();
  }

  pause(isPaused: boolean): void {
    this.isPaused.value = isPaused;
    this.#holdOrGo();
  }

  /** Into the past; only a list that is held can be read there. */
  scroll(lines: number): void {
    if (this.#heldAt === null) return;
    this.#scrolled = Math.max(0, Math.min(this.shown.length - 1, this.#scrolled + lines));
    this.#touch();
  }

  /** Index after the last line that is shown. */
  end(): number {
    if (this.#heldAt === null) return this.shown.length;
    let end = this.shown.length;
    while (end > 0 && (this.shown[end - 1] as Joined).id > this.#heldAt) end -= 1;
    return Math.max(0, end - this.#scrolled);
  }

  latest(count: number): Joined[] {
    return this.shown.slice(-count).reverse();
  }

  #begin(symbol: string): void {
    this.#symbol = symbol;
    this.#tape.clear();
    this.shown = [];
    this.#tapeVersion = -1;
    this.#heldAt = null;
    this.#holdOrGo();
  }

  #holdOrGo(): void {
    const isHeld = this.#isUnderPointer || this.isPaused.peek();
    if (isHeld && this.#heldAt === null) this.#heldAt = this.shown.at(-1)?.id ?? -1;
    if (!isHeld) {
      this.#heldAt = null;
      this.#scrolled = 0;
    }
    this.#count();
    this.#touch();
  }

  #count(): void {
    let count = 0;
    if (this.#heldAt !== null) {
      for (let at = this.shown.length - 1; at >= 0 && (this.shown[at] as Joined).id > this.#heldAt; at--) count += 1;
    }
    this.waiting.value = count;
  }

  #touch(): void {
    this.version += 1;
    wake();
  }
}
