// Draws own orders into the chart of lightweight-charts, and says which line is under the pointer.
import type {
  IPrimitivePaneRenderer,
  IPrimitivePaneView,
  ISeriesApi,
  ISeriesPrimitive,
  ISeriesPrimitiveAxisView,
  PrimitiveHoveredItem,
  SeriesAttachedParameter,
  Time,
} from "lightweight-charts";
import { format, toNumber } from "../../numbers/decimal";
import type { Scale } from "../../stores/types";
import type { Colours } from "../../ui/colours";
import type { Line } from "./lines";

/** How near to a line the pointer takes it, in pixels. */
const NEAR = 6;
const LABEL_HEIGHT = 18;
const LABEL_PADDING = 6;
const LIST_X = 14;
const LIST_STEP = 10;

type Target = Parameters<IPrimitivePaneRenderer["draw"]>[0];

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Where a label that is drawn begins, and its middle. */
interface Label {
  readonly x: number;
  readonly y: number;
}

interface Dragged {
  readonly line: Line;
  readonly price: bigint;
}

export class OrderLines implements ISeriesPrimitive<Time> {
  #lines: readonly Line[] = [];
  #dragged: Dragged | null = null;
  #average: bigint | null = null;
  #axis: readonly ISeriesPrimitiveAxisView[] = [];
  #colours: Colours;
  #scale: Scale | null = null;
  #series: ISeriesApi<"Candlestick"> | null = null;
  #requestUpdate = () => {};
  readonly #views: readonly IPrimitivePaneView[] = [
    { zOrder: () => "top", renderer: () => ({ draw: (target) => this.#draw(target) }) },
  ];

  constructor(colours: Colours) {
    this.#colours = colours;
  }

  attached({ series, requestUpdate }: SeriesAttachedParameter<Time>): void {
    this.#series = series as ISeriesApi<"Candlestick">;
    this.#requestUpdate = requestUpdate;
  }

  detached(): void {
    this.#series = null;
    this.#requestUpdate = () => {};
  }

  set(lines: readonly Line[], scale: Scale, colours: Colours): void {
    this.#lines = lines;
    this.#scale = scale;
    this.#colours = colours;
    this.#setAxis();
    this.#requestUpdate();
  }

  /** Of what the account holds in this market. */
  setAverage(price: bigint | null): void {
    this.#average = price;
    this.#setAxis();
    this.#requestUpdate();
  }

  drag(dragged: Dragged | null): void {
    this.#dragged = dragged;
    this.#requestUpdate();
  }

  paneViews(): readonly IPrimitivePaneView[] {
    return this.#views;
  }

  priceAxisViews(): readonly ISeriesPrimitiveAxisView[] {
    return this.#axis;
  }

  hitTest(_x: number, y: number): PrimitiveHoveredItem | null {
    const line = this.lineAt(y);
    return line && { externalId: line.id, zOrder: "top", cursorStyle: line.isDraggable ? "ns-resize" : "default" };
  }

  /** The nearest one; among equals one that can be dragged. */
  lineAt(y: number): Line | null {
    let nearest: Line | null = null;
    let nearestBy = NEAR + 0.5;
    for (const line of this.#lines) {
      const by = Math.abs((this.#y(line.price) ?? Number.POSITIVE_INFINITY) - y);
      if (by < nearestBy || (by === nearestBy && nearest?.isDraggable === false)) {
        nearest = line;
        nearestBy = by;
      }
    }
    return nearest;
  }

  #y(price: bigint): number | null {
    if (!this.#scale || !this.#series) return null;
    return this.#series.priceToCoordinate(toNumber(price, this.#scale.decimals));
  }

  #draw(target: Target): void {
    target.useMediaCoordinateSpace(({ context, mediaSize: { width, height } }) => {
      context.font = `11px ${this.#colours.font}`;
      context.textBaseline = "middle";
      this.#drawLists(context);
      this.#drawOutside(context, width, height);
      const dragged = this.#dragged;
      // Labels of near prices stand beside each other.
      const taken: Label[] = [];
      for (const line of this.#lines) {
        if (line.id === dragged?.line.id) continue;
        this.#drawOrder(context, { width, height }, line, line.price, line.label, line.isPending, taken);
      }
      if (this.#average !== null) {
        const look = { colour: this.#colours.warn, dash: [1, 4], isFilled: true };
        this.#drawLine(context, { width, height }, this.#average, "average", look, taken);
      }
      if (dragged && this.#scale) {
        const label = `${dragged.line.label} → ${format(dragged.price, this.#scale.decimals)}`;
        this.#drawOrder(context, { width, height }, dragged.line, dragged.line.price, "", true, taken);
        this.#drawOrder(context, { width, height }, dragged.line, dragged.price, label, false, taken);
      }
    });
  }

  #drawOrder(
    context: CanvasRenderingContext2D,
    size: Size,
    line: Line,
    price: bigint,
    label: string,
    isPending: boolean,
    taken: Label[],
  ): void {
    const dash = isPending ? [3, 4] : line.isTrigger ? [8, 4] : [];
    // Filled once the venue has it: an outline says that it is on its way.
    const look = { colour: this.#colourOf(line), dash, isFilled: !isPending };
    this.#drawLine(context, size, price, label, look, taken);
  }

  #drawLine(
    context: CanvasRenderingContext2D,
    { width, height }: Size,
    price: bigint,
    label: string,
    { colour, dash, isFilled }: { colour: string; dash: number[]; isFilled: boolean },
    taken: Label[],
  ): void {
    const at = this.#y(price);
    if (at === null || at < 0 || at > height) return;
    const y = Math.round(at) + 0.5;
    context.strokeStyle = colour;
    context.lineWidth = 1;
    context.setLineDash(dash);
    context.beginPath();
    context.moveTo(0, y);
    context.lineTo(width, y);
    context.stroke();
    context.setLineDash([]);
    if (label === "") return;
    const labelWidth = context.measureText(label).width + 2 * LABEL_PADDING;
    const middle = Math.min(Math.max(y, LABEL_HEIGHT / 2 + 1), height - LABEL_HEIGHT / 2 - 1);
    let right = width - 8;
    for (const other of taken) if (Math.abs(other.y - middle) < LABEL_HEIGHT) right = Math.min(right, other.x - 4);
    const x = right - labelWidth;
    if (x < LIST_X) return;
    taken.push({ y: middle, x });
    context.fillStyle = isFilled ? colour : this.#colours.panel;
    context.fillRect(x, middle - LABEL_HEIGHT / 2, labelWidth, LABEL_HEIGHT);
    context.setLineDash(isFilled ? [] : [3, 3]);
    context.strokeRect(x, middle - LABEL_HEIGHT / 2, labelWidth, LABEL_HEIGHT);
    context.setLineDash([]);
    context.fillStyle = isFilled ? this.#colours["on-side"] : this.#colours.text;
    context.fillText(label, x + LABEL_PADDING, middle + 0.5);
  }

  /** An order out of sight is still there. */
  #drawOutside(context: CanvasRenderingContext2D, width: number, height: number): void {
    let [above, below] = [0, 0];
    for (const { price } of this.#lines) {
      const y = this.#y(price) ?? 0;
      if (y < 0) above += 1;
      else if (y > height) below += 1;
    }
    context.fillStyle = this.#colours.dim;
    context.textAlign = "right";
    if (above > 0) context.fillText(`▲ own orders above: ${above}`, width - 8, 12);
    if (below > 0) context.fillText(`▼ own orders below: ${below}`, width - 8, height - 12);
    context.textAlign = "left";
  }

  /** A bracket at the left joins the lines of one list. */
  #drawLists(context: CanvasRenderingContext2D): void {
    const lists = new Map<number, { kind: string; ys: number[] }>();
    for (const { list, price } of this.#lines) {
      const y = this.#y(price);
      if (list === null || y === null) continue;
      const known = lists.get(list.id);
      if (known) known.ys.push(y);
      else lists.set(list.id, { kind: list.kind, ys: [y] });
    }
    let x = LIST_X;
    for (const { kind, ys } of lists.values()) {
      const [top, bottom] = [Math.min(...ys), Math.max(...ys)];
      context.strokeStyle = this.#colours.accent;
      context.fillStyle = this.#colours.accent;
      context.lineWidth = 2;
      context.beginPath();
      context.moveTo(x, top);
      context.lineTo(x, bottom);
      context.stroke();
      for (const y of ys) {
        context.beginPath();
        context.arc(x, y, 3.5, 0, 2 * Math.PI);
        context.fill();
      }
      context.fillText(kind, x + 7, (top + bottom) / 2);
      x += LIST_STEP + 7 + context.measureText(kind).width;
    }
  }

  #setAxis(): void {
    const views = this.#lines.map((line) => this.#axisView(line.price, () => this.#colourOf(line)));
    if (this.#average !== null) views.push(this.#axisView(this.#average, () => this.#colours.warn));
    this.#axis = views;
  }

  #axisView(price: bigint, colour: () => string): ISeriesPrimitiveAxisView {
    return {
      coordinate: () => this.#y(price) ?? -100,
      text: () => (this.#scale ? format(price, this.#scale.decimals) : ""),
      textColor: () => this.#colours["on-side"],
      backColor: colour,
      tickVisible: () => false,
    };
  }

  #colourOf({ side }: Line): string {
    return side === "BUY" ? this.#colours.up : this.#colours.down;
  }
}
