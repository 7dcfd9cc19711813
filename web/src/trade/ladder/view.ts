// What a ladder shows beside the market: pointer, cursor, own orders, and what was asked of them.
import { signal } from "@preact/signals";
import { book, bookFreshness } from "../../stores/book";
import { ordersOfChosen } from "../../stores/orders";
import { tape } from "../../stores/trades";
import type { Market, Order, Side } from "../../stores/types";
import { suitingMultiple } from "../book/grouping";
import { wake } from "../canvas/loop";
import { type Column, type Hit, hitTest, type Layout, layoutOf } from "./layout";
import { LadderModel } from "./model";
import { type Capsule, capsulesOf, type Hold } from "./orders";

export interface Drag {
  readonly capsule: Capsule;
  /** Where it would be dropped. */
  readonly row: number;
}

export interface LastTrade {
  readonly price: bigint;
  readonly qty: bigint;
  readonly aggressor: Side;
  /** Against the last trade at another price. */
  readonly direction: "up" | "down" | null;
}

/** Trades looked through for one at another price. */
const LOOKED_BACK = 200;

export class LadderView {
  readonly model = new LadderModel();
  layout: Layout = layoutOf(0, 0, 1);
  /** Rises with each change that is not the market's. */
  version = 0;
  hover: Hit | null = null;
  /** Price of the keyboard's cursor. */
  cursor: bigint | null = null;
  drag: Drag | null = null;
  capsules: readonly Capsule[] = [];
  last: LastTrade | null = null;
  /** Called when own orders were placed into the rows anew. */
  capsulesChanged: () => void = () => {};
  /** Chosen by hand; `null`: what suits the book. */
  readonly multiple = signal<bigint | null>(null);
  /** Ticks a row. */
  readonly ticks = signal(1n);
  readonly isFollowing = signal(true);
  readonly outside = signal<"above" | "below" | null>(null);
  #market: Market | null = null;
  #isPlaced = false;
  #hold: Hold | null = null;
  #moves = new Map<string, bigint>();
  #areOrdersOld = true;
  #tapeVersion = -1;

  get market(): Market | null {
    return this.#market;
  }

  touch(): void {
    this.version += 1;
    wake();
  }

  ordersChanged(): void {
    this.#areOrdersOld = true;
    this.touch();
  }

  resize(width: number, height: number, rowHeight: number): void {
    const layout = layoutOf(width, height, rowHeight);
    if (layout.rows !== this.model.rows) this.model.resize(layout.rows);
    this.layout = layout;
    this.#areOrdersOld = true;
  }

  /** Takes over market, book and tape. Called right before each picture. */
  refresh(): void {
    if (book.market?.symbol !== this.#market?.symbol) this.#begin();
    this.#market = book.market;
    if (this.#market === null) return;
    if (!this.#isPlaced) this.#place(this.#market);
    const hasMoved = this.model.refresh(book, this.hover !== null || this.drag !== null);
    if (hasMoved || this.#areOrdersOld) this.#setOrders();
    if (tape.version !== this.#tapeVersion) this.#setLast();
    const outside = this.model.outside();
    if (outside !== this.outside.peek()) this.outside.value = outside;
  }

  /** The pointer is at a point of the canvas, in its pixels, or has left it. */
  point(at: { x: number; y: number } | null): void {
    const hit = at === null ? null : hitTest(this.layout, at.x, at.y);
    if (hit?.row === this.hover?.row && hit?.column === this.hover?.column) return;
    this.hover = hit;
    this.#holdUnderPointer();
    this.touch();
  }

  capsuleAt({ row, column }: Hit): Capsule | null {
    const side = sideOfOrders(column);
    const here = this.capsules.filter((capsule) => capsule.row === row && capsule.side === side);
    return here.find(({ look }) => look !== "ghost") ?? null;
  }

  /** Lets go of what is held: it was the person that canceled it, and it may go. */
  release(): void {
    this.#hold = null;
    this.ordersChanged();
  }

  beginDrag(capsule: Capsule): void {
    this.drag = { capsule, row: capsule.row };
    this.touch();
  }

  dragTo(row: number): void {
    if (this.drag === null || this.drag.row === row) return;
    this.drag = { ...this.drag, row: Math.max(0, Math.min(this.model.rows - 1, row)) };
    this.touch();
  }

  endDrag(): Drag | null {
    const { drag } = this;
    this.drag = null;
    this.#holdUnderPointer();
    this.touch();
    return drag;
  }

  /** The order has been asked to be at another price: until that is answered, a ghost stands there. */
  async moving(order: Order, price: bigint, answer: Promise<unknown>): Promise<void> {
    this.#moves.set(order.key, price);
    this.ordersChanged();
    await answer;
    this.#moves.delete(order.key);
    this.ordersChanged();
  }

  scroll(rows: number): void {
    this.model.scroll(rows);
    this.isFollowing.value = false;
    this.#hold = null;
    this.ordersChanged();
  }

  centre(): void {
    this.model.isFollowing = true;
    this.isFollowing.value = true;
    this.model.centre(book);
    this.#hold = null;
    this.ordersChanged();
  }

  group(multiple: bigint | null): void {
    this.multiple.value = multiple;
    if (this.#market === null) return;
    this.ticks.value = multiple ?? suitingMultiple(book, this.#market, this.model.rows);
    this.model.regroup(this.ticks.value * this.#market.price.step);
    this.#hold = null;
    this.ordersChanged();
  }

  accumulate(isCumulative: boolean): void {
    this.model.isCumulative = isCumulative;
    this.touch();
  }

  /** Moves the cursor by rows, and the rows with it where it would leave them. */
  moveCursor(by: number): void {
    const { model } = this;
    const start = model.bestBid === null ? model.rows >> 1 : Math.max(0, Math.min(model.rows - 1, model.bestBid));
    const row = this.cursorRow() === null ? start : (this.cursorRow() as number) + by;
    this.cursor = model.priceOf(row);
    if (row < 0) this.scroll(row);
    else if (row >= model.rows) this.scroll(row - model.rows + 1);
    this.touch();
  }

  cursorRow(): number | null {
    return this.cursor === null ? null : this.model.rowOf(this.cursor, "BUY");
  }

  dropCursor(): void {
    this.cursor = null;
    this.touch();
  }

  /** Another market. */
  #begin(): void {
    this.#isPlaced = false;
    this.hover = null;
    this.cursor = null;
    this.drag = null;
    this.last = null;
    this.#hold = null;
    this.#moves.clear();
    this.#areOrdersOld = true;
    this.model.isFollowing = true;
    this.isFollowing.value = true;
    this.multiple.value = null;
    this.version += 1;
  }

  /** Once the book is there: groups that suit it, and the market in the middle. */
  #place(market: Market): void {
    if (bookFreshness.peek() !== "live" || this.model.rows < 2) return;
    this.#isPlaced = book.bids.length + book.asks.length > 0;
    this.ticks.value = suitingMultiple(book, market, this.model.rows);
    this.model.size = this.ticks.value * market.price.step;
    this.model.centre(book);
    this.#areOrdersOld = true;
    this.version += 1;
  }

  #setOrders(): void {
    this.#areOrdersOld = false;
    const rowOf = (price: bigint, side: Side) => this.model.rowOf(price, side);
    this.capsules = capsulesOf(ordersOfChosen.peek(), rowOf, this.#moves, this.#hold, this.model.rows);
    this.version += 1;
    this.capsulesChanged();
  }

  #holdUnderPointer(): void {
    if (this.drag !== null) return;
    const before = this.#hold;
    const { hover } = this;
    const isOnIt = hover !== null && before?.row === hover.row && before.side === sideOfOrders(hover.column);
    if (isOnIt) return;
    this.#hold = null;
    const capsule = hover === null ? null : this.capsuleAt(hover);
    // What was held before, elsewhere, is drawn where it truly is.
    if (capsule?.look === "true") this.#hold = capsule;
    if (before !== this.#hold) this.#areOrdersOld = true;
  }

  #setLast(): void {
    this.#tapeVersion = tape.version;
    const { trades } = tape;
    const trade = trades.at(-1);
    this.last = null;
    this.version += 1;
    if (trade === undefined) return;
    const until = Math.max(0, trades.length - LOOKED_BACK);
    let direction: LastTrade["direction"] = null;
    for (let at = trades.length - 2; at >= until && direction === null; at--) {
      const { price } = trades[at] ?? trade;
      if (price !== trade.price) direction = price < trade.price ? "up" : "down";
    }
    this.last = { price: trade.price, qty: trade.qty, aggressor: trade.aggressor, direction };
  }
}

function sideOfOrders(column: Column): Side | null {
  if (column === "buyOrders") return "BUY";
  return column === "sellOrders" ? "SELL" : null;
}

/** The side that a click in a column of sizes trades. */
export function sideOfSizes(column: Column): Side | null {
  if (column === "bid") return "BUY";
  return column === "ask" ? "SELL" : null;
}
