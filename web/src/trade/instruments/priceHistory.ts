// Last prices as they were while this page was open, for the sparklines.

/** Points of a sparkline. */
const KEPT = 60;
const EVERY_MS = 10_000;

export class PriceHistory {
  readonly #points = new Map<string, number[]>();
  #sampleMs = Number.NEGATIVE_INFINITY;

  /** Takes one point every ten seconds; between them the newest point follows the price. */
  take(nowMs: number, prices: Iterable<readonly [string, number]>): void {
    const isNew = nowMs - this.#sampleMs >= EVERY_MS;
    if (isNew) this.#sampleMs = nowMs;
    for (const [symbol, price] of prices) {
      const points = this.#points.get(symbol);
      if (!points) {
        this.#points.set(symbol, [price]);
      } else if (isNew) {
        points.push(price);
        if (points.length > KEPT) points.shift();
      } else {
        points[points.length - 1] = price;
      }
    }
  }

  of(symbol: string): readonly number[] {
    return this.#points.get(symbol) ?? [];
  }
}
