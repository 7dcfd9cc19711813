// Draws own fills into the chart: an arrow up below a buy's price, an arrow down above a sell's.
import type {
  IPrimitivePaneRenderer,
  IPrimitivePaneView,
  ISeriesPrimitive,
  SeriesAttachedParameter,
  Time,
  UTCTimestamp,
} from "lightweight-charts";
import { formatShort, toNumber } from "../../numbers/decimal";
import type { Market } from "../../stores/types";
import type { Colours } from "../../ui/colours";
import type { Mark } from "./marks";

const HALF_WIDTH = 5;
const HEIGHT = 9;
/** Between a price and the tip of its arrow. */
const GAP = 3;
/** More labels than these cannot be read; nor can two that are closer than this to each other, in pixels. */
const LABELLED = 6;
const APART = { x: 60, y: 13 };

type Target = Parameters<IPrimitivePaneRenderer["draw"]>[0];

export class FillMarks implements ISeriesPrimitive<Time> {
  #marks: readonly Mark[] = [];
  #market: Market | null = null;
  #colours: Colours;
  #attached: SeriesAttachedParameter<Time> | null = null;
  readonly #views: readonly IPrimitivePaneView[] = [{ renderer: () => ({ draw: (target) => this.#draw(target) }) }];

  constructor(colours: Colours) {
    this.#colours = colours;
  }

  attached(to: SeriesAttachedParameter<Time>): void {
    this.#attached = to;
  }

  detached(): void {
    this.#attached = null;
  }

  set(marks: readonly Mark[], market: Market, colours: Colours): void {
    this.#marks = marks;
    this.#market = market;
    this.#colours = colours;
    this.#attached?.requestUpdate();
  }

  paneViews(): readonly IPrimitivePaneView[] {
    return this.#views;
  }

  #draw(target: Target): void {
    const [market, to] = [this.#market, this.#attached];
    if (market === null || to === null) return;
    target.useMediaCoordinateSpace(({ context }) => {
      context.font = `11px ${this.#colours.font}`;
      context.textAlign = "center";
      context.textBaseline = "middle";
      const labels: { x: number; y: number }[] = [];
      for (const { candleMs, side, price, qty } of this.#marks) {
        const x = to.chart.timeScale().timeToCoordinate((candleMs / 1_000) as UTCTimestamp);
        const y = to.series.priceToCoordinate(toNumber(price, market.price.decimals));
        if (x === null || y === null) continue;
        // Down the screen for a buy, which stands below its price.
        const down = side === "BUY" ? 1 : -1;
        const tip = y + down * GAP;
        const end = tip + down * HEIGHT;
        context.fillStyle = side === "BUY" ? this.#colours.up : this.#colours.down;
        context.strokeStyle = this.#colours.panel;
        context.lineWidth = 1;
        context.beginPath();
        context.moveTo(x, tip);
        context.lineTo(x + HALF_WIDTH, end);
        context.lineTo(x - HALF_WIDTH, end);
        context.closePath();
        context.fill();
        context.stroke();
        if (this.#marks.length > LABELLED) continue;
        const at = { x, y: end + down * (HEIGHT + 1) };
        if (labels.some((other) => Math.abs(other.x - x) < APART.x && Math.abs(other.y - at.y) < APART.y)) continue;
        labels.push(at);
        context.fillText(`${side === "BUY" ? "B" : "S"} ${formatShort(qty, market.qty.decimals)}`, at.x, at.y);
      }
    });
  }
}
