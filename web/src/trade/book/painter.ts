// Draws the two sides of a book: the rows that changed since the last picture.
import { formatGrouped } from "../../numbers/decimal";
import { book } from "../../stores/book";
import { ordersOfChosen } from "../../stores/orders";
import type { Level, Market, Side } from "../../stores/types";
import { type Colours, colours } from "../../ui/colours";
import { type Painter, wake } from "../canvas/loop";
import { barLength, barScale, decimalsThatFit } from "../canvas/scale";
import { SizeTexts } from "../canvas/sizes";
import type { Font, Surface } from "../canvas/surface";
import { most } from "../ticket/numbers";
import { groupOf } from "./grouping";

const isCoarse = matchMedia("(pointer: coarse)");

/** Shares of a half's width; the price has the rest. The heads over the canvas have the same. */
const SHARES = { wide: { sum: 0.3, size: 0.3 }, narrow: { sum: 0, size: 0.42 } };
/** Below it there is no room for the sums. The style of the heads has the same. */
const WIDE_PX = 340;

/** Sums change in all rows at once: they are drawn each second frame, beside a ladder that is drawn in each. */
const EVERY_MS = 25;

interface Row {
  price: bigint;
  qty: bigint;
  sum: bigint;
}

/** Rows of both sides, grouped, best first, and what the pointer is on. */
export class BookView {
  version = 0;
  rowHeightPx = 18;
  rows = 0;
  readonly bids: Row[] = [];
  readonly asks: Row[] = [];
  /** Prices, after grouping, at which there are own orders. */
  own: { BUY: ReadonlySet<bigint>; SELL: ReadonlySet<bigint> } = { BUY: new Set(), SELL: new Set() };
  pointed: { side: Side; row: number } | null = null;
  #multiple = 1n;

  group(multiple: bigint): void {
    this.#multiple = multiple;
    this.ordersChanged();
  }

  ordersChanged(): void {
    const size = this.#multiple * (book.market?.price.step ?? 1n);
    const own = { BUY: new Set<bigint>(), SELL: new Set<bigint>() };
    for (const { side, price, state } of ordersOfChosen.peek()) {
      if (price !== null && state !== "pending") own[side].add(groupOf(price, size, side) * size);
    }
    this.own = own;
    this.#touch();
  }

  /** `partX`: of the width; `null`: the pointer has left. */
  point(partX: number | null, y: number): void {
    const row = Math.floor(y / this.rowHeightPx);
    const side = partX !== null && partX < 0.5 ? "BUY" : "SELL";
    const pointed = partX === null || row < 0 || row >= this.rows ? null : ({ side, row } as const);
    if (pointed?.row === this.pointed?.row && pointed?.side === this.pointed?.side) return;
    this.pointed = pointed;
    this.#touch();
  }

  pointedPrice(): bigint | null {
    if (this.pointed === null) return null;
    const row = (this.pointed.side === "BUY" ? this.bids : this.asks)[this.pointed.row];
    return row === undefined || row.qty === 0n ? null : row.price;
  }

  refresh(rows: number): void {
    this.rows = rows;
    const size = this.#multiple * (book.market?.price.step ?? 1n);
    fill(this.bids, book.bids, "BUY", size, rows);
    fill(this.asks, book.asks, "SELL", size, rows);
  }

  #touch(): void {
    this.version += 1;
    wake();
  }
}

function fill(rows: Row[], levels: readonly Level[], side: Side, size: bigint, count: number): void {
  while (rows.length < count) rows.push({ price: 0n, qty: 0n, sum: 0n });
  rows.length = count;
  let at = -1;
  let sum = 0n;
  let row: Row | undefined;
  for (let level = 0; level < levels.length; level++) {
    const { price, qty } = levels[level] as Level;
    const group = groupOf(price, size, side) * size;
    if (row === undefined || row.price !== group || at < 0) {
      at += 1;
      if (at >= count) return;
      row = rows[at] as Row;
      row.price = group;
      row.qty = 0n;
    }
    sum += qty;
    row.qty += qty;
    row.sum = sum;
  }
  for (at += 1; at < count; at++) {
    const empty = rows[at] as Row;
    empty.price = 0n;
    empty.qty = 0n;
    empty.sum = 0n;
  }
}

export class BookPainter implements Painter {
  readonly #surface: Surface;
  readonly #view: BookView;
  readonly #sizes = new SizeTexts();
  readonly #sums = new SizeTexts();
  readonly #prices = new Map<bigint, string>();
  #book = -1;
  #viewed = -1;
  #surfaced = -1;
  #paintedMs = 0;
  #scale = 0n;
  #sizeScale = 0n;
  #rowHeight = 1;
  #market: Market | null = null;
  #shares = SHARES.wide;
  #drawn: { bid: Row; ask: Row; marks: number }[] = [];
  #font: Font = { css: "", advance: 0 };
  #bold: Font = this.#font;
  #colours: Colours = colours.peek();

  constructor(surface: Surface, view: BookView) {
    this.#surface = surface;
    this.#view = view;
  }

  isChanged(): boolean {
    if (this.#surface.width === 0) return false;
    if (this.#viewed !== this.#view.version || this.#surfaced !== this.#surface.version) return true;
    return this.#book !== book.version && performance.now() - this.#paintedMs >= EVERY_MS;
  }

  paint(): void {
    const isSurfaceNew = this.#surfaced !== this.#surface.version;
    if (isSurfaceNew) this.#prepare();
    const view = this.#view;
    view.refresh(Math.floor(this.#surface.height / this.#rowHeight));
    this.#book = book.version;
    this.#paintedMs = performance.now();
    this.#viewed = view.version;
    const isAll = this.#isAllNew() || isSurfaceNew;
    for (let row = 0; row < view.rows; row++) {
      const [bid, ask] = [view.bids[row] as Row, view.asks[row] as Row];
      const marks = this.#marksOf(row, bid, ask);
      const drawn = this.#drawn[row];
      if (!isAll && drawn && drawn.marks === marks && isSame(drawn.bid, bid) && isSame(drawn.ask, ask)) continue;
      if (drawn) {
        Object.assign(drawn.bid, bid);
        Object.assign(drawn.ask, ask);
        drawn.marks = marks;
      } else {
        this.#drawn[row] = { bid: { ...bid }, ask: { ...ask }, marks };
      }
      this.#drawRow(row, bid, ask, marks);
    }
  }

  #prepare(): void {
    const surface = this.#surface;
    surface.fit();
    this.#surfaced = surface.version;
    this.#colours = colours.peek();
    this.#view.rowHeightPx = isCoarse.matches ? 36 : 18;
    this.#rowHeight = surface.px(this.#view.rowHeightPx);
    this.#shares = surface.width < surface.px(WIDE_PX) ? SHARES.narrow : SHARES.wide;
    this.#font = surface.font(11);
    this.#bold = surface.font(11, 700);
    surface.context.textBaseline = "middle";
    surface.context.fillStyle = this.#colours.panel;
    surface.context.fillRect(0, 0, surface.width, surface.height);
    this.#drawn = [];
  }

  #isAllNew(): boolean {
    const { bids, asks, rows } = this.#view;
    const market = book.market;
    const [bidSum, askSum] = [lastSum(bids, rows), lastSum(asks, rows)];
    const scale = barScale(this.#scale, most(bidSum, askSum));
    let largest = 0n;
    for (let row = 0; row < rows; row++) {
      const [bid, ask] = [bids[row]?.qty ?? 0n, asks[row]?.qty ?? 0n];
      if (bid > largest) largest = bid;
      if (ask > largest) largest = ask;
    }
    const sizeScale = barScale(this.#sizeScale, largest);
    const isNew = scale !== this.#scale || market !== this.#market;
    if (market !== this.#market) this.#prices.clear();
    this.#scale = scale;
    this.#sizeScale = sizeScale;
    this.#market = market;
    if (market === null) return true;
    const { decimals } = market.qty;
    const chars = Math.floor(
      ((this.#surface.width / 2) * this.#shares.size - this.#surface.px(6)) / this.#font.advance,
    );
    const areSizes = this.#sizes.use(decimals, decimalsThatFit(sizeScale, decimals, chars));
    const areSums = this.#sums.use(decimals, decimalsThatFit(scale, decimals, chars));
    return isNew || areSizes || areSums;
  }

  #marksOf(row: number, bid: Row, ask: Row): number {
    const { pointed, own } = this.#view;
    let marks = 0;
    if (pointed?.row === row) marks |= pointed.side === "BUY" ? 1 : 2;
    if (own.BUY.has(bid.price)) marks |= 4;
    if (own.SELL.has(ask.price)) marks |= 8;
    return marks;
  }

  #drawRow(row: number, bid: Row, ask: Row, marks: number): void {
    const surface = this.#surface;
    const { context, width } = surface;
    const at = this.#colours;
    const y = row * this.#rowHeight;
    const half = Math.round(width / 2);
    context.fillStyle = at.panel;
    context.fillRect(0, y, width, this.#rowHeight);
    if ((marks & 3) !== 0) {
      context.fillStyle = at.raised;
      context.fillRect((marks & 1) !== 0 ? 0 : half, y, half, this.#rowHeight);
    }
    // From the middle outwards: the nearer the edge, the more stands at that price or better.
    this.#bar(bid, half, half, y, at.up, -1);
    this.#bar(ask, half, half, y, at.down, 1);
    const pad = surface.px(6);
    const { sum, size } = this.#shares;
    const part = (share: number) => Math.round(half * share);
    const font = row === 0 ? this.#bold : this.#font;
    if (bid.qty > 0n) {
      if (sum > 0) this.#text(this.#sums.of(bid.sum), part(sum), y, this.#font, at.dim);
      this.#text(this.#sizes.of(bid.qty), part(sum + size), y, font, at.text);
      this.#text(this.#price(bid.price), half - pad, y, font, at.up);
    }
    if (ask.qty > 0n) {
      this.#text(this.#price(ask.price), half + pad, y, font, at.down, "left");
      this.#text(this.#sizes.of(ask.qty), width - pad - part(sum), y, font, at.text);
      if (sum > 0) this.#text(this.#sums.of(ask.sum), width - pad, y, this.#font, at.dim);
    }
    if ((marks & 4) !== 0) this.#ownMark(half - surface.px(3), y);
    if ((marks & 8) !== 0) this.#ownMark(half, y);
    context.fillStyle = at.line;
    context.fillRect(half, y, 1, this.#rowHeight);
  }

  #bar({ qty, sum }: Row, x: number, room: number, y: number, colour: string, direction: 1 | -1): void {
    if (qty === 0n) return;
    const { context } = this.#surface;
    context.fillStyle = colour;
    for (const [size, alpha] of [
      [sum, 0.13],
      [qty, 0.22],
    ] as const) {
      const length = barLength(size, this.#scale, room);
      context.globalAlpha = alpha;
      context.fillRect(direction < 0 ? x - length : x, y, length, this.#rowHeight - 1);
    }
    context.globalAlpha = 1;
  }

  #ownMark(x: number, y: number): void {
    const { context } = this.#surface;
    context.fillStyle = this.#colours.accent;
    context.fillRect(x, y, this.#surface.px(3), this.#rowHeight - 1);
  }

  #price(price: bigint): string {
    const known = this.#prices.get(price);
    if (known !== undefined) return known;
    if (this.#prices.size > 2_000) this.#prices.clear();
    const text = formatGrouped(price, this.#market?.price.decimals ?? 0);
    this.#prices.set(price, text);
    return text;
  }

  #text(text: string, x: number, y: number, font: Font, colour: string, align: "left" | "right" = "right"): void {
    const { context } = this.#surface;
    context.font = font.css;
    context.fillStyle = colour;
    context.textAlign = align;
    context.fillText(text, x, y + this.#rowHeight / 2);
  }
}

const isSame = (left: Row, right: Row): boolean =>
  left.price === right.price && left.qty === right.qty && left.sum === right.sum;

function lastSum(rows: readonly Row[], count: number): bigint {
  for (let row = count - 1; row >= 0; row--) {
    const sum = rows[row]?.sum ?? 0n;
    if (sum > 0n) return sum;
  }
  return 0n;
}
