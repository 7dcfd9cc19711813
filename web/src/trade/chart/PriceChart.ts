// The chart itself. Loaded after the first paint, since it is as large as the rest of the page.
import {
  CandlestickSeries,
  CrosshairMode,
  createChart,
  HistogramSeries,
  type IChartApi,
  type IPriceLine,
  type ISeriesApi,
  LineSeries,
  LineStyle,
  type MouseEventParams,
  type Time,
  type UTCTimestamp,
} from "lightweight-charts";
import { toNumber } from "../../numbers/decimal";
import type { Candle, Market, Order } from "../../stores/types";
import type { Colours } from "../../ui/colours";
import { candleChange } from "./candleChanges";
import { FillMarks } from "./FillMarks";
import { type Bar, ema, sma, type Values, vwap } from "./indicators";
import type { Line } from "./lines";
import type { Mark } from "./marks";
import type { OrderLines } from "./OrderLines";
import { snap } from "./snap";

export interface Handlers {
  /** A click where no order is. */
  readonly priceChosen: (price: bigint) => void;
  readonly orderMoved: (order: Order, price: bigint) => void;
  /** The first known candles come into view. */
  readonly olderWanted: () => void;
}

export const INDICATORS = {
  sma: { text: "SMA 20", values: (bars: readonly Bar[]) => sma(bars, 20) },
  ema: { text: "EMA 20", values: (bars: readonly Bar[]) => ema(bars, 20) },
  vwap: { text: "VWAP", values: (bars: readonly Bar[]) => vwap(bars) },
} as const;
export type Indicator = keyof typeof INDICATORS;

/** With so few bars left of the visible ones older ones are asked for. */
const OLDER_WITHIN_BARS = 30;
const SHOWN_AT_FIRST = 120;
const SHOWN_AT_LEAST = 40;
/** A press that moves less than this, in pixels, moves no order. */
const DRAG_FROM = 3;

export class PriceChart {
  readonly #chart: IChartApi;
  readonly #candles: ISeriesApi<"Candlestick">;
  readonly #volume: ISeriesApi<"Histogram">;
  /** The series' own would have the colour of a rising candle's body, which is the panel's. */
  readonly #last: IPriceLine;
  readonly #marks: FillMarks;
  /** Loaded with the first order or position: one who only watches has none. */
  #orders: OrderLines | null = null;
  #isLoadingOrders = false;
  #lines: readonly Line[] = [];
  #average: bigint | null = null;
  readonly #indicators = new Map<Indicator, ISeriesApi<"Line">>();
  readonly #container: HTMLElement;
  readonly #handlers: Handlers;
  readonly #ends = new AbortController();
  #market: Market | null = null;
  #colours: Colours;
  #drawn: readonly Candle[] = [];
  #bars: Bar[] = [];
  #shown = "";
  #drag: { line: Line; fromY: number; price: bigint; hasMoved: boolean; pointer: number } | null = null;

  constructor(container: HTMLElement, colours: Colours, handlers: Handlers) {
    this.#container = container;
    this.#handlers = handlers;
    this.#colours = colours;
    this.#chart = createChart(container, { ...look(colours), autoSize: true });
    this.#candles = this.#chart.addSeries(CandlestickSeries, candleLook(colours));
    this.#last = this.#candles.createPriceLine({ price: 0, lineStyle: LineStyle.Dotted, axisLabelVisible: false });
    this.#volume = this.#chart.addSeries(HistogramSeries, {
      priceScaleId: "",
      priceFormat: { type: "volume" },
      lastValueVisible: false,
      priceLineVisible: false,
    });
    this.#volume.priceScale().applyOptions({ scaleMargins: { top: 0.82, bottom: 0 } });
    this.#candles.priceScale().applyOptions({ scaleMargins: { top: 0.08, bottom: 0.22 } });
    this.#marks = new FillMarks(colours);
    this.#candles.attachPrimitive(this.#marks);
    this.#chart.subscribeClick((event) => this.#clicked(event));
    this.#chart.timeScale().subscribeVisibleLogicalRangeChange((range) => {
      if (range && range.from < OLDER_WITHIN_BARS && this.#drawn.length > 0) handlers.olderWanted();
    });
    this.#listenForDrags();
  }

  remove(): void {
    this.#ends.abort();
    this.#chart.remove();
  }

  setMarket(market: Market): void {
    this.#market = market;
    const { decimals, step } = market.price;
    const minMove = toNumber(step, decimals);
    this.#candles.applyOptions({ priceFormat: { type: "price", precision: decimals, minMove } });
    for (const series of this.#indicators.values()) {
      series.applyOptions({ priceFormat: { type: "price", precision: decimals, minMove } });
    }
  }

  setColours(colours: Colours): void {
    this.#colours = colours;
    this.#chart.applyOptions(look(colours));
    this.#candles.applyOptions(candleLook(colours));
    for (const [name, series] of this.#indicators) series.applyOptions({ color: indicatorColour(name, colours) });
    this.#drawAll();
  }

  /** Draws what changed since the last call. `shown` names market and interval: another one begins at the newest candle. */
  setCandles(list: readonly Candle[], shown: string, hasSeconds: boolean): void {
    const market = this.#market;
    if (!market) return;
    const isOther = shown !== this.#shown;
    const change = isOther ? "all" : candleChange(this.#drawn, list);
    if (change === null) return;
    const isFirst = isOther || this.#drawn.length === 0;
    this.#shown = shown;
    this.#drawn = list.slice();
    if (change === "all") {
      this.#bars = this.#drawn.map((candle) => barOf(candle, market));
      this.#drawAll();
      this.#chart.timeScale().applyOptions({ secondsVisible: hasSeconds });
      if (isFirst && list.length > 0) this.showLatest();
      return;
    }
    this.#bars.length = change.from;
    for (const candle of this.#drawn.slice(change.from)) this.#bars.push(barOf(candle, market));
    this.#drawLast();
    for (let at = change.from; at < this.#drawn.length; at += 1) {
      this.#candles.update(this.#candleAt(at));
      this.#volume.update(this.#volumeAt(at));
    }
    for (const [name, series] of this.#indicators) {
      const values = INDICATORS[name].values(this.#bars);
      for (let at = change.from; at < values.length; at += 1) series.update(this.#pointAt(values, at));
    }
  }

  setIndicators(wanted: ReadonlySet<Indicator>): void {
    for (const [name, series] of this.#indicators) {
      if (wanted.has(name)) continue;
      this.#chart.removeSeries(series);
      this.#indicators.delete(name);
    }
    for (const name of wanted) {
      if (this.#indicators.has(name)) continue;
      const series = this.#chart.addSeries(LineSeries, {
        color: indicatorColour(name, this.#colours),
        lineWidth: 2,
        ...(name === "ema" && { lineStyle: LineStyle.LargeDashed }),
        ...(name === "vwap" && { lineStyle: LineStyle.Dotted }),
        lastValueVisible: false,
        priceLineVisible: false,
        crosshairMarkerVisible: false,
        title: INDICATORS[name].text,
      });
      this.#indicators.set(name, series);
      this.#drawIndicator(name, series);
    }
    if (this.#market) this.setMarket(this.#market);
  }

  setLines(lines: readonly Line[]): void {
    const drag = this.#drag;
    if (drag && !lines.some(({ id, isDraggable }) => id === drag.line.id && isDraggable)) this.#endDrag();
    this.#lines = lines;
    this.#drawOrders();
  }

  setMarks(marks: readonly Mark[]): void {
    const market = this.#market;
    if (!market) return;
    this.#marks.set(marks, market, this.#colours);
  }

  setAverage(price: bigint | null): void {
    this.#average = price;
    this.#drawOrders();
  }

  showLatest(): void {
    const last = this.#bars.length;
    // A young market's few candles stand wide rather than in a corner.
    const shown = Math.min(SHOWN_AT_FIRST, Math.max(last + 4, SHOWN_AT_LEAST));
    this.#chart.timeScale().setVisibleLogicalRange({ from: last - shown, to: last + 6 });
    this.#candles.priceScale().applyOptions({ autoScale: true });
  }

  #drawAll(): void {
    this.#candles.setData(this.#bars.map((_, at) => this.#candleAt(at)));
    this.#volume.setData(this.#bars.map((_, at) => this.#volumeAt(at)));
    for (const [name, series] of this.#indicators) this.#drawIndicator(name, series);
    this.#drawLast();
  }

  #drawLast(): void {
    const { open, close } = this.#bars.at(-1) ?? { open: 0, close: 0 };
    const color = close >= open ? this.#colours.up : this.#colours.down;
    const isThere = this.#bars.length > 0;
    this.#last.applyOptions({ price: close, color, axisLabelVisible: isThere, lineVisible: isThere });
  }

  #drawIndicator(name: Indicator, series: ISeriesApi<"Line">): void {
    const values = INDICATORS[name].values(this.#bars);
    series.setData(values.map((_, at) => this.#pointAt(values, at)));
  }

  #candleAt(at: number) {
    const { time, open, high, low, close } = this.#bars[at] as Bar;
    return { time: seconds(time), open, high, low, close };
  }

  #volumeAt(at: number) {
    const { time, open, close, volume } = this.#bars[at] as Bar;
    return { time: seconds(time), value: volume, color: `${close >= open ? this.#colours.up : this.#colours.down}66` };
  }

  #pointAt(values: Values, at: number) {
    const time = seconds((this.#bars[at] as Bar).time);
    const value = values[at];
    return value === null || value === undefined ? { time } : { time, value };
  }

  #clicked({ point, hoveredObjectId, paneIndex }: MouseEventParams): void {
    if (!point || hoveredObjectId !== undefined || paneIndex !== 0) return;
    const price = this.#priceAt(point.y);
    if (price !== null) this.#handlers.priceChosen(price);
  }

  #priceAt(y: number): bigint | null {
    const price = this.#candles.coordinateToPrice(y);
    return price === null || !this.#market ? null : snap(price, this.#market.price);
  }

  // The chart moves itself with the same gestures, so a press on a line must not reach it.
  #listenForDrags(): void {
    const options = { capture: true, signal: this.#ends.signal };
    this.#container.addEventListener("pointerdown", (event) => this.#press(event), options);
    this.#container.addEventListener("pointermove", (event) => this.#move(event), options);
    this.#container.addEventListener("pointerup", (event) => this.#release(event), options);
    this.#container.addEventListener("pointercancel", () => this.#endDrag(), options);
    for (const name of ["mousedown", "touchstart", "touchmove", "mousemove"]) {
      const keep = (event: Event) => {
        if (this.#drag === null) return;
        event.stopPropagation();
        if (event.cancelable) event.preventDefault();
      };
      this.#container.addEventListener(name, keep, { ...options, passive: false });
    }
    const endByKey = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || this.#drag === null) return;
      event.stopPropagation();
      this.#endDrag();
    };
    addEventListener("keydown", endByKey, options);
  }

  #press(event: PointerEvent): void {
    const { x, y } = this.#pointOf(event);
    const isOnAxis = x > this.#container.clientWidth - this.#chart.priceScale("right").width();
    if (event.button !== 0 || isOnAxis) return;
    const line = this.#orders?.lineAt(y);
    if (!line?.isDraggable) return;
    this.#drag = { line, fromY: y, price: line.price, hasMoved: false, pointer: event.pointerId };
    this.#container.setPointerCapture(event.pointerId);
  }

  #move(event: PointerEvent): void {
    const drag = this.#drag;
    if (!drag || event.pointerId !== drag.pointer) return;
    const { y } = this.#pointOf(event);
    drag.hasMoved ||= Math.abs(y - drag.fromY) >= DRAG_FROM;
    const price = this.#priceAt(y);
    if (!drag.hasMoved || price === null) return;
    drag.price = price;
    this.#orders?.drag({ line: drag.line, price });
  }

  #release(event: PointerEvent): void {
    const drag = this.#drag;
    if (!drag || event.pointerId !== drag.pointer) return;
    this.#endDrag();
    if (drag.hasMoved && drag.price !== drag.line.price) this.#handlers.orderMoved(drag.line.order, drag.price);
  }

  #endDrag(): void {
    this.#drag = null;
    this.#orders?.drag(null);
  }

  #drawOrders(): void {
    if (this.#orders === null && (this.#lines.length > 0 || this.#average !== null)) void this.#loadOrders();
    if (this.#orders === null || this.#market === null) return;
    this.#orders.set(this.#lines, this.#market.price, this.#colours);
    this.#orders.setAverage(this.#average);
  }

  async #loadOrders(): Promise<void> {
    if (this.#isLoadingOrders) return;
    this.#isLoadingOrders = true;
    try {
      const { OrderLines } = await import("./OrderLines");
      if (this.#ends.signal.aborted) return;
      this.#orders = new OrderLines(this.#colours);
      this.#candles.attachPrimitive(this.#orders);
      this.#drawOrders();
    } catch {
      // Without a connection: the next change of an order tries again.
      this.#isLoadingOrders = false;
    }
  }

  #pointOf(event: PointerEvent): { x: number; y: number } {
    const { left, top } = this.#container.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  }
}

const seconds = (ms: number) => (ms / 1_000) as UTCTimestamp;

function barOf({ openMs, open, high, low, close, volume }: Candle, market: Market): Bar {
  const price = (value: bigint) => toNumber(value, market.price.decimals);
  return {
    time: openMs,
    open: price(open),
    high: price(high),
    low: price(low),
    close: price(close),
    volume: toNumber(volume, market.baseDecimals),
  };
}

function indicatorColour(name: Indicator, colours: Colours): string {
  return { sma: colours.accent, ema: colours.good, vwap: colours.warn }[name];
}

function look(colours: Colours) {
  return {
    layout: {
      // The logo needs a style that the page's policy forbids; the credits name its makers.
      attributionLogo: false,
      background: { color: colours.panel },
      textColor: colours.dim,
      fontFamily: colours.font,
      fontSize: 11,
    },
    grid: { vertLines: { color: `${colours.line}80` }, horzLines: { color: `${colours.line}80` } },
    crosshair: {
      mode: CrosshairMode.Normal,
      vertLine: { color: colours.edge, labelBackgroundColor: colours.raised },
      horzLine: { color: colours.edge, labelBackgroundColor: colours.raised },
    },
    rightPriceScale: { borderColor: colours.line },
    timeScale: { borderColor: colours.line, timeVisible: true },
    localization: { locale: "en-GB", timeFormatter: utc },
  };
}

function utc(time: Time): string {
  const text = new Date((time as number) * 1_000).toISOString();
  return `${text.slice(0, 10)} ${text.slice(11, 19)} UTC`;
}

function candleLook(colours: Colours) {
  return {
    lastValueVisible: false,
    priceLineVisible: false,
    upColor: colours.panel,
    downColor: colours.down,
    borderUpColor: colours.up,
    borderDownColor: colours.down,
    wickUpColor: colours.up,
    wickDownColor: colours.down,
  };
}
