// Draws cumulative sizes over prices: bids to the left, asks to the right, and a cursor.
import { formatGrouped, formatShort } from "../../numbers/decimal";
import { book } from "../../stores/book";
import { ordersOfChosen } from "../../stores/orders";
import type { Level, Market, Side } from "../../stores/types";
import { type Colours, colours } from "../../ui/colours";
import { type Painter, wake } from "../canvas/loop";
import { niceAbove } from "../canvas/scale";
import type { Font, Surface } from "../canvas/surface";
import { most } from "../ticket/numbers";
import { type Range, rangeOf } from "./view";

/** A curve is looked at, not read: it is drawn no more often. */
const EVERY_MS = 100;
/** Prices that are named below. */
const PRICES = 3;
const ZOOM_MIN = 2n;
const ZOOM_MAX = 800n;

export class DepthView {
  version = 0;
  /** Percent of the usual width. */
  zoom = 100n;
  range: Range | null = null;
  /** Part of the width; `null` without a cursor. */
  cursor: number | null = null;

  point(part: number | null): void {
    if (part === this.cursor) return;
    this.cursor = part === null ? null : Math.max(0, Math.min(1, part));
    this.touch();
  }

  zoomBy(steps: number): void {
    const next = steps > 0 ? (this.zoom * 5n) / 4n + 1n : (this.zoom * 4n) / 5n;
    this.zoom = next < ZOOM_MIN ? ZOOM_MIN : next > ZOOM_MAX ? ZOOM_MAX : next;
    this.touch();
  }

  touch(): void {
    this.version += 1;
    wake();
  }
}

export class DepthPainter implements Painter {
  readonly #surface: Surface;
  readonly #view: DepthView;
  #book = -1;
  #viewed = -1;
  #surfaced = -1;
  #paintedMs = Number.NEGATIVE_INFINITY;
  #font: Font = { css: "", advance: 0 };
  #colours: Colours = colours.peek();

  constructor(surface: Surface, view: DepthView) {
    this.#surface = surface;
    this.#view = view;
  }

  isChanged(): boolean {
    if (this.#surface.width === 0) return false;
    if (this.#viewed !== this.#view.version || this.#surfaced !== this.#surface.version) return true;
    return this.#book !== book.version && performance.now() - this.#paintedMs >= EVERY_MS;
  }

  paint(): void {
    const surface = this.#surface;
    const view = this.#view;
    if (this.#surfaced !== surface.version) {
      surface.fit();
      this.#surfaced = surface.version;
      this.#colours = colours.peek();
      this.#font = surface.font(10.5);
      surface.context.textBaseline = "middle";
    }
    this.#book = book.version;
    this.#viewed = view.version;
    this.#paintedMs = performance.now();
    const { context, width, height } = surface;
    context.fillStyle = this.#colours.panel;
    context.fillRect(0, 0, width, height);
    const { market } = book;
    view.range = market === null ? null : rangeOf(book, market, view.zoom);
    if (market === null || view.range === null) return;
    this.#draw(market, view.range);
  }

  #draw(market: Market, range: Range): void {
    const { width, height } = this.#surface;
    const foot = this.#surface.px(18);
    const plot = height - foot;
    const bids = within(book.bids, range);
    const asks = within(book.asks, range);
    const largest = most(bids.sum, asks.sum);
    if (largest === 0n) return;
    const scale = niceAbove(largest);
    this.#drawAxes(market, range, plot);
    this.#drawCurve(book.bids, bids.count, range, scale, plot, this.#colours.up, "BUY");
    this.#drawCurve(book.asks, asks.count, range, scale, plot, this.#colours.down, "SELL");
    this.#drawSizes(market, scale, plot);
    this.#drawOwn(range, plot);
    const { cursor } = this.#view;
    if (cursor === null) return;
    const { context } = this.#surface;
    const middle = width / 2;
    const x = Math.round(cursor * width);
    // What would be traded: from the middle to the cursor.
    context.fillStyle = x > middle ? this.#colours.down : this.#colours.up;
    context.globalAlpha = 0.12;
    context.fillRect(Math.min(x, middle), 0, Math.abs(x - middle), plot);
    context.globalAlpha = 1;
    context.fillStyle = this.#colours.text;
    context.fillRect(x, 0, this.#surface.px(1), plot);
  }

  #drawCurve(
    levels: readonly Level[],
    count: number,
    range: Range,
    scale: bigint,
    plot: number,
    colour: string,
    side: Side,
  ): void {
    const best = levels[0];
    if (best === undefined || count === 0) return;
    const { context, width } = this.#surface;
    const edge = side === "BUY" ? 0 : width;
    const start = this.#x(best.price, range);
    context.beginPath();
    context.moveTo(start, plot);
    let sum = 0n;
    let y = plot;
    let lastX = Number.NaN;
    for (let at = 0; at < count; at++) {
      const { price, qty } = levels[at] as Level;
      sum += qty;
      const x = Math.round(this.#x(price, range));
      // Levels in one column of pixels are one step.
      if (x !== lastX) context.lineTo(x, y);
      y = plot - Number((sum * BigInt(Math.round(plot * 100))) / scale) / 100;
      context.lineTo(x, y);
      lastX = x;
    }
    context.lineTo(edge, y);
    context.lineWidth = this.#surface.px(1.5);
    context.strokeStyle = colour;
    context.stroke();
    context.lineTo(edge, plot);
    context.closePath();
    context.globalAlpha = 0.2;
    context.fillStyle = colour;
    context.fill();
    context.globalAlpha = 1;
  }

  #drawAxes(market: Market, range: Range, plot: number): void {
    const { context, width, height } = this.#surface;
    const at = this.#colours;
    context.font = this.#font.css;
    context.fillStyle = at.dim;
    const foot = (height + plot) / 2;
    context.textAlign = "center";
    for (let index = 0; index < PRICES; index++) {
      const part = BigInt(index * 2 + 1);
      const price = range.low + ((range.high - range.low) * part) / BigInt(PRICES * 2);
      const rounded = (price / market.price.step) * market.price.step;
      const text = formatGrouped(rounded, market.price.decimals);
      context.fillText(text, (width * Number(part)) / (PRICES * 2), foot);
    }
    context.fillStyle = at.line;
    context.globalAlpha = 0.7;
    for (const y of [plot / 2, 0]) context.fillRect(0, Math.round(y), width, 1);
    context.globalAlpha = 1;
    context.fillRect(0, plot, width, 1);
  }

  /** Over the curves, which would strike them through. */
  #drawSizes(market: Market, scale: bigint, plot: number): void {
    const { context } = this.#surface;
    context.textAlign = "left";
    context.fillStyle = this.#colours.text;
    for (const part of [1n, 2n]) {
      const text = formatShort((scale * part) / 2n, market.qty.decimals);
      const y = plot - (plot * Number(part)) / 2 + this.#surface.px(9);
      context.fillText(`${text} ${market.base}`, this.#surface.px(6), y);
    }
  }

  /** Own orders as marks on the axis. */
  #drawOwn(range: Range, plot: number): void {
    const { context } = this.#surface;
    const size = this.#surface.px(4);
    context.fillStyle = this.#colours.accent;
    for (const { price, state } of ordersOfChosen.peek()) {
      if (price === null || state === "pending" || price < range.low || price > range.high) continue;
      const x = this.#x(price, range);
      context.beginPath();
      context.moveTo(x, plot - size * 2);
      context.lineTo(x + size, plot);
      context.lineTo(x - size, plot);
      context.fill();
    }
  }

  #x(price: bigint, { low, high }: Range): number {
    return (Number(price - low) / Number(high - low)) * this.#surface.width;
  }
}

function within(levels: readonly Level[], { low, high }: Range): { count: number; sum: bigint } {
  let [count, sum] = [0, 0n];
  for (const { price, qty } of levels) {
    if (price < low || price > high) break;
    count += 1;
    sum += qty;
  }
  return { count, sum };
}
