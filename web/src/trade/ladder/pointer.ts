// Pointer and wheel over a ladder's rows.
import type { Signal } from "@preact/signals";
import { format } from "../../numbers/decimal";
import { market } from "../../stores/markets";
import { actsOnDown, armed } from "../../stores/settings";
import type { Market } from "../../stores/types";
import { cancelCapsule, capsuleWords, clickQty, drop, placeAt } from "./intents";
import type { Hit } from "./layout";
import { type LadderView, sideOfSizes } from "./view";

/** A press that moves no further is a click. */
const CLICK_PX = 5;

interface Press {
  readonly hit: Hit;
  readonly y: number;
  readonly isTouch: boolean;
  /** Rows that a finger has moved so far. */
  scrolled: number;
  hasMoved: boolean;
}

export class LadderPointer {
  readonly #frame: HTMLElement;
  readonly #view: LadderView;
  readonly #words: Signal<string>;
  readonly #ended = new AbortController();
  #press: Press | null = null;
  #wheel = 0;
  #hoverWords = "";

  constructor(frame: HTMLElement, view: LadderView, words: Signal<string>) {
    this.#frame = frame;
    this.#view = view;
    this.#words = words;
    const { signal } = this.#ended;
    view.capsulesChanged = this.#sayAgain;
    frame.addEventListener("pointermove", (event) => this.#moved(event), { signal });
    frame.addEventListener("pointerdown", (event) => this.#down(event), { signal });
    frame.addEventListener("pointerup", (event) => this.#up(event), { signal });
    frame.addEventListener("pointercancel", () => this.#left(), { signal });
    frame.addEventListener("pointerleave", (event) => this.#leaves(event), { signal });
    frame.addEventListener("wheel", (event) => this.#wheeled(event), { signal, passive: false });
    addEventListener("keydown", (event) => event.key === "Escape" && this.#giveUp(event), { signal, capture: true });
  }

  stop = (): void => {
    this.#ended.abort();
    this.#view.capsulesChanged = () => {};
  };

  #say = (sentence: string): void => {
    this.#words.value = sentence;
  };

  #moved(event: PointerEvent): void {
    const view = this.#view;
    const press = this.#press;
    const point = this.#pointOf(event);
    if (press !== null && Math.abs(event.clientY - press.y) > CLICK_PX) press.hasMoved = true;
    if (press?.hasMoved) {
      const capsule = view.drag === null && !press.scrolled ? view.capsuleAt(press.hit) : null;
      if (capsule !== null) view.beginDrag(capsule);
      if (view.drag !== null) {
        view.dragTo(Math.floor(point.y / view.layout.rowHeight));
        this.#sayDrag();
        return;
      }
      if (press.isTouch) this.#swipe(press, event);
    }
    if (event.pointerType === "touch") return;
    view.point(point);
    this.#sayHover();
  }

  #down(event: PointerEvent): void {
    if (event.button !== 0) return;
    const view = this.#view;
    const isTouch = event.pointerType === "touch";
    view.point(this.#pointOf(event));
    const hit = view.hover;
    if (hit === null) return;
    this.#press = { hit, y: event.clientY, isTouch, scrolled: 0, hasMoved: false };
    this.#frame.setPointerCapture(event.pointerId);
    if (!actsOnDown.peek() || isTouch || sideOfSizes(hit.column) === null) return;
    this.#act(hit);
    this.#press = null;
  }

  #up(event: PointerEvent): void {
    const view = this.#view;
    const press = this.#press;
    this.#press = null;
    const drag = view.endDrag();
    const of = market.peek();
    if (drag !== null && of !== null) {
      drop(view, of, drag, this.#say);
    } else if (press !== null && !press.hasMoved) {
      this.#act(press.hit);
    }
    if (event.pointerType === "touch") view.point(null);
    else view.point(this.#pointOf(event));
  }

  #act(hit: Hit): void {
    const view = this.#view;
    const of = market.peek();
    if (of === null) return;
    const side = sideOfSizes(hit.column);
    const capsule = view.capsuleAt(hit);
    if (side !== null) placeAt(of, side, view.model.priceOf(hit.row), this.#say);
    else if (capsule !== null) {
      cancelCapsule(capsule, this.#say);
      view.release();
    }
  }

  #swipe(press: Press, event: PointerEvent): void {
    const rowHeight = this.#view.layout.rowHeight / devicePixelRatio;
    const rows = Math.trunc((press.y - event.clientY) / rowHeight) - press.scrolled;
    if (rows === 0) return;
    press.scrolled += rows;
    this.#view.scroll(rows);
  }

  #wheeled(event: WheelEvent): void {
    if (event.ctrlKey) return;
    event.preventDefault();
    const pixels = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? event.deltaY * 20 : event.deltaY;
    this.#wheel += pixels / 40;
    const rows = Math.trunc(this.#wheel);
    if (rows === 0) return;
    this.#wheel -= rows;
    this.#view.scroll(rows);
    this.#sayHover();
  }

  /** A finger leaves with each tap: what was said of it stays. */
  #leaves(event: PointerEvent): void {
    if (this.#press === null && event.pointerType !== "touch") this.#left();
  }

  #left(): void {
    this.#press = null;
    this.#view.endDrag();
    this.#view.point(null);
    this.#words.value = "";
  }

  /** A drag that was begun by mistake. */
  #giveUp(event: KeyboardEvent): void {
    if (this.#view.drag === null) return;
    event.stopPropagation();
    this.#press = null;
    this.#view.endDrag();
    this.#words.value = "The order stays where it is.";
  }

  #sayHover = (): void => {
    const view = this.#view;
    const of = market.peek();
    if (view.hover === null || of === null) return;
    this.#hoverWords = this.#wordsOf(view.hover, of);
    this.#words.value = this.#hoverWords;
  };

  /** What is under the pointer has changed; what was said of a click stays. */
  #sayAgain = (): void => {
    if (this.#words.peek() === this.#hoverWords) this.#sayHover();
  };

  #wordsOf(hover: Hit, of: Market): string {
    const view = this.#view;
    const side = sideOfSizes(hover.column);
    const capsule = view.capsuleAt(hover);
    const price = format(view.model.priceOf(hover.row), of.price.decimals);
    const verb = side === "BUY" ? "buy" : "sell";
    if (capsule !== null) return `${capsuleWords(capsule, of)}. Click cancels, drag moves.`;
    if (side === null) return "";
    if (armed.peek()) return `Click: ${verb} ${clickQty(of) || "(set a quantity)"} at ${price}`;
    return `Not armed. Click: ticket gets ${verb} at ${price}`;
  }

  #sayDrag(): void {
    const of = market.peek();
    const { drag, model } = this.#view;
    if (drag === null || of === null) return;
    this.#words.value = `Release: move to ${format(model.priceOf(drag.row), of.price.decimals)}. Escape: leave it.`;
  }

  #pointOf(event: PointerEvent): { x: number; y: number } {
    const box = this.#frame.getBoundingClientRect();
    return { x: (event.clientX - box.left) * devicePixelRatio, y: (event.clientY - box.top) * devicePixelRatio };
  }
}
