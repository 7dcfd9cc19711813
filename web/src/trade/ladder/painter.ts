// Draws a ladder: the rows that changed since the last picture.
import { format, formatGrouped } from "../../numbers/decimal";
import { accountFreshness } from "../../stores/account";
import { book } from "../../stores/book";
import { tape } from "../../stores/trades";
import type { Market, Side } from "../../stores/types";
import { type Colours, colours } from "../../ui/colours";
import type { Painter } from "../canvas/loop";
import { barLength, barScale, decimalsThatFit } from "../canvas/scale";
import { compact, SizeTexts } from "../canvas/sizes";
import type { Font, Surface } from "../canvas/surface";
import { columnOf } from "./layout";
import type { Capsule } from "./orders";
import type { Drag, LadderView } from "./view";

const isCoarse = matchMedia("(pointer: coarse)");
/** A finger needs more than a pointer. */
const rowHeightPx = (): number => (isCoarse.matches ? 44 : 18);
const AHEAD_CHARS = 4;

/** Which marks a row has; one number, so that a row is compared at once. */
const MARK = { bestBid: 1, bestAsk: 2, last: 4, up: 8, down: 16, cursor: 32, drop: 64, capsule: 128, hover: 256 };

export class LadderPainter implements Painter {
  readonly #surface: Surface;
  readonly #view: LadderView;
  readonly #texts = new SizeTexts();
  #book = -1;
  #tape = -1;
  #viewed = -1;
  #surfaced = -1;
  #scale = 0n;
  // What the rows on the canvas show.
  #bids: bigint[] = [];
  #asks: bigint[] = [];
  #marks: number[] = [];
  #capsules: readonly Capsule[] = [];
  #drag: Drag | null = null;
  #top = 0n;
  #size = 0n;
  #market: Market | null = null;
  #lastQty = 0n;
  /** Whether no size is wider than its column. */
  #areNarrow = false;
  #prices: string[] = [];
  #font: Font = { css: "", advance: 0 };
  #bold: Font = this.#font;
  #small: Font = this.#font;
  #colours: Colours = colours.peek();

  constructor(surface: Surface, view: LadderView) {
    this.#surface = surface;
    this.#view = view;
  }

  isChanged(): boolean {
    if (this.#surface.width === 0) return false;
    return (
      this.#viewed !== this.#view.version ||
      this.#book !== book.version ||
      this.#tape !== tape.version ||
      this.#surfaced !== this.#surface.version
    );
  }

  paint(): void {
    const view = this.#view;
    const isSurfaceNew = this.#surfaced !== this.#surface.version;
    if (isSurfaceNew) this.#prepare();
    view.refresh();
    this.#book = book.version;
    this.#tape = tape.version;
    this.#viewed = view.version;
    const areNew = this.#isAllNew();
    const isAll = isSurfaceNew || areNew;
    const areCapsulesNew = view.capsules !== this.#capsules || view.drag !== this.#drag;
    this.#drag = view.drag;
    for (let row = 0; row < view.model.rows; row++) {
      const marks = this.#marksOf(row);
      const [bid, ask] = [view.model.bids[row] ?? 0n, view.model.asks[row] ?? 0n];
      const isLastNew = (marks & MARK.last) !== 0 && view.last?.qty !== this.#lastQty;
      const isSame = !isLastNew && marks === this.#marks[row] && bid === this.#bids[row] && ask === this.#asks[row];
      if (isSame && !isAll && !(areCapsulesNew && (marks & MARK.capsule) !== 0)) continue;
      // Most changes are of one size in a row without any mark: its price, which is half the work, stays.
      const isPlain = !isAll && this.#areNarrow && marks === 0 && this.#marks[row] === 0;
      if (isPlain && ask === this.#asks[row]) this.#drawSizeAnew(row, bid, "BUY");
      else if (isPlain && bid === this.#bids[row]) this.#drawSizeAnew(row, ask, "SELL");
      else this.#drawRow(row, bid, ask, marks);
      this.#bids[row] = bid;
      this.#asks[row] = ask;
      this.#marks[row] = marks;
    }
    this.#capsules = view.capsules;
    this.#lastQty = view.last?.qty ?? 0n;
  }

  #prepare(): void {
    const surface = this.#surface;
    surface.fit();
    this.#surfaced = surface.version;
    this.#colours = colours.peek();
    const size = isCoarse.matches ? 12 : 11;
    this.#font = surface.font(size);
    this.#bold = surface.font(size, 700);
    this.#small = surface.font(size - 1);
    this.#view.resize(surface.width, surface.height, surface.px(rowHeightPx()));
    this.#context.fillStyle = this.#colours.panel;
    this.#context.fillRect(0, 0, surface.width, surface.height);
    this.#context.textBaseline = "middle";
    this.#context.lineJoin = "round";
    this.#scale = 0n;
  }

  /** Whether what all rows have in common has changed. */
  #isAllNew(): boolean {
    const { model, market, layout } = this.#view;
    const scale = barScale(this.#scale, model.largest);
    const isMoved = model.top !== this.#top || model.size !== this.#size || market?.symbol !== this.#market?.symbol;
    const isNew = isMoved || scale !== this.#scale;
    this.#scale = scale;
    this.#top = model.top;
    this.#size = model.size;
    this.#market = market;
    if (market === null) return true;
    const width = (layout.edges[2] ?? 0) - (layout.edges[1] ?? 0) - this.#surface.px(8);
    const chars = Math.floor(width / this.#font.advance);
    const shown = decimalsThatFit(scale, market.qty.decimals, chars);
    this.#areNarrow = format(scale, market.qty.decimals).length - market.qty.decimals - 1 <= chars;
    const areTexts = this.#texts.use(market.qty.decimals, shown);
    if (isMoved || this.#prices.length !== model.rows) this.#setPrices(market);
    return isNew || areTexts;
  }

  #setPrices(market: Market): void {
    const { model } = this.#view;
    this.#prices = [];
    for (let row = 0; row < model.rows; row++) {
      const price = model.priceOf(row);
      this.#prices.push(price <= 0n ? "" : formatGrouped(price, market.price.decimals));
    }
  }

  #marksOf(row: number): number {
    const { model, last, hover, drag, capsules } = this.#view;
    let marks = 0;
    if (row === model.bestBid) marks |= MARK.bestBid;
    if (row === model.bestAsk) marks |= MARK.bestAsk;
    if (last !== null && row === this.#lastRow()) {
      marks |= MARK.last;
      if (last.direction !== null) marks |= last.direction === "up" ? MARK.up : MARK.down;
    }
    if (row === this.#view.cursorRow()) marks |= MARK.cursor;
    if (row === hover?.row) marks |= MARK.hover * (columnOf(hover.column) + 1);
    if (row === drag?.row) marks |= MARK.drop;
    for (const capsule of capsules) if (capsule.row === row) marks |= MARK.capsule;
    // A row that has lost its capsule is drawn without it.
    for (const capsule of this.#capsules) if (capsule.row === row) marks |= MARK.capsule;
    return marks;
  }

  /** In a group with the side that it took from. */
  #lastRow(): number {
    const { model, last } = this.#view;
    return last === null ? -1 : model.rowOf(last.price, last.aggressor === "BUY" ? "SELL" : "BUY");
  }

  #drawRow(row: number, bid: bigint, ask: bigint, marks: number): void {
    const { layout, hover } = this.#view;
    const { edges, rowHeight } = layout;
    const [x0 = 0, x1 = 0, x2 = 0, x3 = 0, x4 = 0, x5 = 0] = edges;
    const context = this.#context;
    const at = this.#colours;
    const y = row * rowHeight;
    context.fillStyle = at.panel;
    context.fillRect(x0, y, x5, rowHeight);
    context.fillStyle = at.raised;
    context.fillRect(x2, y, x3 - x2, rowHeight);
    if (hover?.row === row) {
      const column = columnOf(hover.column);
      context.fillStyle = at.line;
      context.fillRect(edges[column] ?? 0, y, (edges[column + 1] ?? 0) - (edges[column] ?? 0), rowHeight);
    }
    this.#drawSize(bid, "BUY", x1, x2, y, (marks & MARK.bestBid) !== 0);
    this.#drawSize(ask, "SELL", x3, x4, y, (marks & MARK.bestAsk) !== 0);
    this.#drawPrice(row, x2, x3, y, marks);
    if ((marks & MARK.last) !== 0) this.#drawLastSize(bid, ask, y);
    this.#drawLine(x0, x5, y);
    if ((marks & MARK.capsule) !== 0) this.#drawCapsules(row, bid, ask);
    if ((marks & MARK.drop) !== 0) this.#drawDrop(row);
    if ((marks & MARK.cursor) !== 0) {
      const line = this.#surface.px(2);
      context.strokeStyle = at.focus;
      context.lineWidth = line;
      context.strokeRect(x1 + line / 2, y + line / 2, x4 - x1 - line, rowHeight - line);
    }
  }

  #drawSizeAnew(row: number, qty: bigint, side: Side): void {
    const { edges, rowHeight } = this.#view.layout;
    const [left = 0, right = 0] = side === "BUY" ? edges.slice(1, 3) : edges.slice(3, 5);
    const y = row * rowHeight;
    this.#context.fillStyle = this.#colours.panel;
    this.#context.fillRect(left, y, right - left, rowHeight);
    this.#drawSize(qty, side, left, right, y, false);
    this.#drawLine(left, right, y);
  }

  #drawLine(left: number, right: number, y: number): void {
    const context = this.#context;
    context.fillStyle = this.#colours.line;
    context.globalAlpha = 0.5;
    context.fillRect(left, y + this.#view.layout.rowHeight - 1, right - left, 1);
    context.globalAlpha = 1;
  }

  /** Bars grow from the prices outwards. */
  #drawSize(qty: bigint, side: Side, left: number, right: number, y: number, isBest: boolean): void {
    if (qty === 0n) return;
    const context = this.#context;
    const { rowHeight } = this.#view.layout;
    const length = barLength(qty, this.#scale, right - left);
    context.fillStyle = side === "BUY" ? this.#colours.up : this.#colours.down;
    context.globalAlpha = isBest ? 0.42 : 0.24;
    context.fillRect(side === "BUY" ? right - length : left, y, length, rowHeight - 1);
    context.globalAlpha = 1;
    this.#text(
      this.#texts.of(qty),
      right - this.#surface.px(4),
      y,
      isBest ? this.#bold : this.#font,
      this.#colours.text,
    );
  }

  #drawPrice(row: number, left: number, right: number, y: number, marks: number): void {
    const price = this.#prices[row] ?? "";
    const at = this.#colours;
    const context = this.#context;
    const { rowHeight } = this.#view.layout;
    const edge = this.#surface.px(3);
    if ((marks & (MARK.bestBid | MARK.bestAsk)) !== 0) {
      context.fillStyle = (marks & MARK.bestBid) !== 0 ? at.up : at.down;
      context.fillRect((marks & MARK.bestBid) !== 0 ? left : right - edge, y, edge, rowHeight - 1);
    }
    const end = right - this.#surface.px(6);
    if ((marks & MARK.last) !== 0) {
      const colour = (marks & MARK.down) !== 0 ? at.down : (marks & MARK.up) !== 0 ? at.up : at.text;
      context.fillStyle = colour;
      context.fillRect(left, y, right - left, rowHeight - 1);
      this.#text(price, end, y, this.#bold, at["on-side"]);
      return;
    }
    const isBest = (marks & (MARK.bestBid | MARK.bestAsk)) !== 0;
    const same = isBest ? 0 : sharedLength(price, this.#prices[row - 1] ?? "");
    const font = isBest ? this.#bold : this.#font;
    // What is as in the row above is dimmed: the eye reads what differs.
    if (same > 0) this.#text(price.slice(0, same), end - (price.length - same) * font.advance, y, font, at.dim);
    this.#text(price.slice(same), end, y, font, at.text);
  }

  /** In the column that is empty there, with an arrow: its meaning is never its colour alone. */
  #drawLastSize(bid: bigint, ask: bigint, y: number): void {
    const { last, layout } = this.#view;
    if (last === null || this.#market === null) return;
    const isLeft = bid === 0n && (ask > 0n || last.aggressor === "BUY");
    if (!isLeft && ask !== 0n) return;
    const arrow = last.direction === "down" ? "▼" : last.direction === "up" ? "▲" : "•";
    const colour =
      last.direction === "down" ? this.#colours.down : last.direction === "up" ? this.#colours.up : this.#colours.text;
    const [right = 0, left = 0] = [layout.edges[2], layout.edges[3]];
    const pad = this.#surface.px(4);
    const qty = compact(last.qty, this.#market.qty.decimals, 6);
    if (isLeft) this.#text(`${qty}${arrow}`, right - pad, y, this.#font, colour);
    else this.#text(`${arrow}${qty}`, left + pad, y, this.#font, colour, "left");
  }

  #drawCapsules(row: number, bid: bigint, ask: bigint): void {
    const { capsules, drag } = this.#view;
    for (const capsule of capsules) {
      if (capsule.row !== row) continue;
      const isDragged = drag?.capsule.side === capsule.side && drag.capsule.row === row && drag.row !== row;
      this.#drawCapsule(capsule, row, isDragged ? "ghost" : capsule.look);
      if (capsule.look !== "ghost") this.#drawPlace(capsule, row, capsule.side === "BUY" ? bid : ask);
    }
  }

  #drawDrop(row: number): void {
    const { drag } = this.#view;
    if (drag === null || drag.row === drag.capsule.row) return;
    this.#drawCapsule({ ...drag.capsule, isSettled: false }, row, "true");
  }

  #drawCapsule(capsule: Capsule, row: number, look: Capsule["look"]): void {
    const { side, orders, left: qty, filled, isSettled } = capsule;
    const { layout } = this.#view;
    const market = this.#market;
    if (market === null) return;
    const context = this.#context;
    const surface = this.#surface;
    const at = this.#colours;
    const [left = 0, right = 0] = side === "BUY" ? layout.edges.slice(0, 2) : layout.edges.slice(4, 6);
    const pad = surface.px(2);
    const count = orders.length > 1 ? `${orders.length}×` : "";
    const room = Math.floor((right - left - pad * 6) / this.#font.advance) - count.length;
    const text = count + compact(qty, market.qty.decimals, Math.max(3, room));
    const width = Math.min(right - left - pad * 2, Math.ceil(text.length * this.#font.advance) + pad * 4);
    const x = side === "BUY" ? left + pad : right - pad - width;
    const y = row * layout.rowHeight + pad;
    const height = layout.rowHeight - pad * 2 - 1;
    const colour = accountFreshness.peek() === "live" ? (side === "BUY" ? at.up : at.down) : at.dim;
    const half = Math.round(width / 2);
    const middle = row * layout.rowHeight;
    const textX = x + width - pad * 2;
    context.beginPath();
    context.roundRect(x, y, width, height, height / 3);
    context.lineWidth = surface.px(1);
    context.strokeStyle = colour;
    if (look === "ghost") {
      context.setLineDash([surface.px(3), surface.px(2)]);
      context.stroke();
      context.setLineDash([]);
      this.#text(text, textX, middle, this.#font, at.text);
      return;
    }
    context.save();
    context.clip();
    // What is not confirmed is half yellow, half empty: its state is not its colour alone.
    context.fillStyle = isSettled ? colour : at.panel;
    context.fillRect(x, y, width, height);
    if (!isSettled) {
      this.#text(text, textX, middle, this.#font, at.text);
      context.beginPath();
      context.rect(x, y, half, height);
      context.clip();
      context.fillStyle = at.warn;
      context.fillRect(x, y, half, height);
    }
    this.#text(text, textX, middle, this.#font, at["on-side"]);
    context.restore();
    if (filled > 0n) {
      // What is filled lies at the bottom as a bar.
      context.fillStyle = isSettled ? at["on-side"] : at.text;
      context.fillRect(x + pad, y + height - pad, barLength(filled, filled + qty, width - pad * 2), pad);
    }
    if (look === "held") {
      context.lineWidth = surface.px(2);
      context.strokeStyle = at.focus;
    }
    if (look === "held" || !isSettled) {
      context.beginPath();
      context.roundRect(x, y, width, height, height / 3);
      context.stroke();
    }
    this.#drawAhead(capsule, side === "BUY" ? x + width + pad : x - pad, middle, right - left - width);
  }

  /** What trades before it, beside the capsule. */
  #drawAhead({ ahead, side }: Capsule, x: number, y: number, room: number): void {
    if (ahead === null || this.#market === null) return;
    const text = ahead === 0n ? "next" : compact(ahead, this.#market.qty.decimals, AHEAD_CHARS);
    if (text.length * this.#small.advance > room - this.#surface.px(4)) return;
    this.#text(text, x, y, this.#small, this.#colours.dim, side === "BUY" ? "left" : "right");
  }

  /** Where it stands in the bar of its price: at the prices' edge it is the next to trade. */
  #drawPlace({ ahead, side, look }: Capsule, row: number, there: bigint): void {
    if (ahead === null || look !== "true" || there === 0n || this.#view.model.isCumulative) return;
    const { edges, rowHeight } = this.#view.layout;
    const [left = 0, right = 0] = side === "BUY" ? edges.slice(1, 3) : edges.slice(3, 5);
    const length = barLength(there, this.#scale, right - left);
    const off = barLength(ahead, there, length);
    const line = this.#surface.px(2);
    const x = side === "BUY" ? right - off - line : left + off;
    this.#context.fillStyle = this.#colours.text;
    this.#context.fillRect(Math.max(left, Math.min(x, right - line)), row * rowHeight, line, rowHeight - 1);
  }

  #text(text: string, x: number, y: number, font: Font, colour: string, align: "left" | "right" = "right"): void {
    const context = this.#context;
    context.font = font.css;
    context.fillStyle = colour;
    context.textAlign = align;
    context.fillText(text, x, y + this.#view.layout.rowHeight / 2);
  }

  get #context(): CanvasRenderingContext2D {
    return this.#surface.context;
  }
}

function sharedLength(text: string, other: string): number {
  if (text.length !== other.length) return 0;
  let same = 0;
  while (same < text.length - 1 && text[same] === other[same]) same += 1;
  return same;
}
