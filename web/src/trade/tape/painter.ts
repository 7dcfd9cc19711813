// Draws a tape. New lines push what is there down as pixels; only they are drawn.
import { format, formatGrouped } from "../../numbers/decimal";
import { market } from "../../stores/markets";
import { tape } from "../../stores/trades";
import type { Market } from "../../stores/types";
import { type Colours, colours } from "../../ui/colours";
import type { Painter } from "../canvas/loop";
import { barLength, barScale } from "../canvas/scale";
import { compact } from "../canvas/sizes";
import type { Font, Surface } from "../canvas/surface";
import type { Joined } from "./joined";
import type { TapeView } from "./view";

/** Each new line moves the whole picture, and no eye follows more of them. */
const EVERY_MS = 45;
const ROW_PX = 17;
/** A line of at least this part of the largest bar is set in bold. */
const HEAVY_PART = 3n;
const DAY_MS = 86_400_000;

export class TapePainter implements Painter {
  readonly #surface: Surface;
  readonly #view: TapeView;
  #tape = -1;
  #viewed = -1;
  #surfaced = -1;
  #paintedMs = 0;
  #scale = 0n;
  #rowHeight = 1;
  #market: Market | null = null;
  // The picture's first line, and what it said then: more may have been joined to it.
  #first: Joined | null = null;
  #firstQty = 0n;
  #font: Font = { css: "", advance: 0 };
  #bold: Font = this.#font;
  #colours: Colours = colours.peek();

  constructor(surface: Surface, view: TapeView) {
    this.#surface = surface;
    this.#view = view;
  }

  isChanged(): boolean {
    if (this.#surface.width === 0) return false;
    if (this.#viewed !== this.#view.version || this.#surfaced !== this.#surface.version) return true;
    return this.#tape !== tape.version && performance.now() - this.#paintedMs >= EVERY_MS;
  }

  paint(): void {
    const view = this.#view;
    const isSurfaceNew = this.#surfaced !== this.#surface.version;
    if (isSurfaceNew) this.#prepare();
    view.refresh();
    const isViewNew = this.#viewed !== view.version;
    this.#tape = tape.version;
    this.#paintedMs = performance.now();
    this.#viewed = view.version;
    const of = market.peek();
    const { shown } = view;
    const end = view.end();
    const rows = Math.ceil(this.#surface.height / this.#rowHeight);
    const isScaleNew = this.#setScale(shown, end, rows) || of !== this.#market;
    this.#market = of;
    if (of === null) {
      this.#clear();
      return;
    }
    const fresh = isSurfaceNew || isViewNew || isScaleNew ? rows : this.#push(shown, end, rows);
    for (let row = 0; row < fresh; row++) this.#drawRow(row, shown[end - 1 - row], of);
    this.#first = shown[end - 1] ?? null;
    this.#firstQty = this.#first?.qty ?? 0n;
  }

  #prepare(): void {
    const surface = this.#surface;
    surface.fit();
    this.#surfaced = surface.version;
    this.#colours = colours.peek();
    this.#rowHeight = surface.px(ROW_PX);
    this.#font = surface.font(11);
    this.#bold = surface.font(11, 700);
    surface.context.textBaseline = "middle";
    this.#clear();
  }

  #clear(): void {
    const { context, width, height } = this.#surface;
    context.fillStyle = this.#colours.panel;
    context.fillRect(0, 0, width, height);
  }

  #setScale(shown: readonly Joined[], end: number, rows: number): boolean {
    let largest = 0n;
    for (let at = Math.max(0, end - rows); at < end; at++) {
      const { qty } = shown[at] as Joined;
      if (qty > largest) largest = qty;
    }
    const scale = barScale(this.#scale, largest);
    const isNew = scale !== this.#scale;
    this.#scale = scale;
    return isNew;
  }

  /** Moves the picture down by the new lines. Returns how many lines are to be drawn at the top. */
  #push(shown: readonly Joined[], end: number, rows: number): number {
    let fresh = 0;
    while (fresh < rows && fresh < end && shown[end - 1 - fresh] !== this.#first) fresh += 1;
    if (fresh >= rows || this.#first === null) return rows;
    const { canvas, context, width, height } = this.#surface;
    const down = fresh * this.#rowHeight;
    if (down > 0) context.drawImage(canvas, 0, 0, width, height - down, 0, down, width, height - down);
    return this.#first.qty === this.#firstQty ? fresh : fresh + 1;
  }

  #drawRow(row: number, line: Joined | undefined, of: Market): void {
    const { context, width } = this.#surface;
    const at = this.#colours;
    const y = row * this.#rowHeight;
    context.fillStyle = at.panel;
    context.fillRect(0, y, width, this.#rowHeight);
    if (line === undefined) return;
    const isBuy = line.aggressor === "BUY";
    const colour = isBuy ? at.up : at.down;
    const length = barLength(line.qty, this.#scale, width);
    context.fillStyle = colour;
    context.globalAlpha = 0.18;
    context.fillRect(width - length, y, length, this.#rowHeight - 1);
    context.globalAlpha = 1;
    const isHeavy = line.qty * HEAVY_PART >= this.#scale;
    const font = isHeavy ? this.#bold : this.#font;
    const pad = this.#surface.px(6);
    this.#text(timeOf(line.timeMs), pad, y, this.#font, at.dim, "left");
    const price = `${isBuy ? "▲" : "▼"} ${formatGrouped(line.to, of.price.decimals)}`;
    const sizeChars = 8;
    const sizeRoom = font.advance * sizeChars + pad * 2;
    this.#text(price, width - sizeRoom, y, font, colour);
    const chars = line.count > 1 ? sizeChars - 1 : sizeChars;
    const size = compactFixed(line.qty, of.qty.decimals, chars);
    this.#text(size, width - pad, y, font, at.text);
    // A line of several trades has a mark at its edge.
    if (line.count > 1) {
      context.fillStyle = colour;
      context.fillRect(width - this.#surface.px(2), y, this.#surface.px(2), this.#rowHeight - 1);
    }
  }

  #text(text: string, x: number, y: number, font: Font, colour: string, align: "left" | "right" = "right"): void {
    const { context } = this.#surface;
    context.font = font.css;
    context.fillStyle = colour;
    context.textAlign = align;
    context.fillText(text, x, y + this.#rowHeight / 2);
  }
}

/** All decimals where they fit: digits stand below each other. */
function compactFixed(qty: bigint, decimals: number, chars: number): string {
  const text = format(qty, decimals);
  return text.length <= chars ? text : compact(qty, decimals, chars);
}

/** `12:03:04`, in UTC. */
function timeOf(ms: number): string {
  const seconds = Math.floor((ms % DAY_MS) / 1_000);
  return `${two(seconds / 3_600)}:${two((seconds / 60) % 60)}:${two(seconds % 60)}`;
}

const two = (value: number): string => Math.floor(value).toString().padStart(2, "0");
