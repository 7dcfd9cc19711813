// A canvas in device pixels. Texts are drawn with fillText: a cache of drawn digits was measured at twice its cost.
import { effect } from "@preact/signals";
import { colours } from "../../ui/colours";
import { wake } from "./loop";

export interface Font {
  readonly css: string;
  /** Width of one character in device pixels. */
  readonly advance: number;
}

export class Surface {
  readonly canvas: HTMLCanvasElement;
  readonly context: CanvasRenderingContext2D;
  width = 0;
  height = 0;
  ratio = 1;
  /** Rises when all must be painted anew: another size, pixel ratio or theme. */
  version = 0;
  readonly #fonts = new Map<string, Font>();
  readonly #stop: (() => void)[] = [];

  constructor(canvas: HTMLCanvasElement) {
    const context = canvas.getContext("2d", { alpha: false });
    if (context === null) throw new Error("this browser has no 2d canvas");
    this.canvas = canvas;
    this.context = context;
    const observer = new ResizeObserver(([entry]) => entry && this.#resized(entry));
    // Safari knows no device pixels here.
    try {
      observer.observe(canvas, { box: "device-pixel-content-box" });
    } catch {
      observer.observe(canvas);
    }
    this.#stop.push(
      () => observer.disconnect(),
      effect(() => {
        void colours.value;
        this.#changed();
      }),
    );
  }

  /** Gives the canvas its size, which clears it: therefore only right before it is painted. */
  fit(): void {
    const { canvas, width, height } = this;
    if (canvas.width !== width) canvas.width = width;
    if (canvas.height !== height) canvas.height = height;
  }

  /** Device pixels of a length on the page. */
  px(length: number): number {
    return Math.round(length * this.ratio);
  }

  /** `sizePx` on the page. */
  font(sizePx: number, weight = 400): Font {
    const css = `${weight} ${this.px(sizePx)}px ${colours.peek().mono}`;
    const known = this.#fonts.get(css);
    if (known) return known;
    this.context.font = css;
    const font = { css, advance: this.context.measureText("0").width };
    this.#fonts.set(css, font);
    return font;
  }

  destroy(): void {
    for (const stop of this.#stop) stop();
  }

  #resized({ contentRect, devicePixelContentBoxSize }: ResizeObserverEntry): void {
    this.ratio = devicePixelRatio;
    this.width = exact(devicePixelContentBoxSize?.[0]?.inlineSize, contentRect.width);
    this.height = exact(devicePixelContentBoxSize?.[0]?.blockSize, contentRect.height);
    this.#changed();
  }

  #changed(): void {
    this.version += 1;
    wake();
  }
}

/** The browser's own count of device pixels, unless it leaves out the ratio, as with an emulated one. */
function exact(counted: number | undefined, length: number): number {
  const computed = length * devicePixelRatio;
  return counted !== undefined && Math.abs(counted - computed) < 2 ? counted : Math.round(computed);
}
