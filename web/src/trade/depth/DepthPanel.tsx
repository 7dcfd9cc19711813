// The depth chart: how much stands up to each price, and what it costs to trade through it.
import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { book, bookFreshness } from "../../stores/book";
import { ordersOfChosen } from "../../stores/orders";
import { Button } from "../../ui/Button";
import { Panel } from "../../ui/Panel";
import { useCanvas } from "../canvas/useCanvas";
import { useSlowly } from "../canvas/useSlowly";
import { DepthPainter, DepthView } from "./painter";
import { costWords, priceAt } from "./view";
import "./depth.css";

const KEY_STEP = 0.02;

export function DepthPanel() {
  const view = useMemo(() => new DepthView(), []);
  useEffect(() => view.touch(), [ordersOfChosen.value, view]);
  return (
    <Panel
      title="Depth"
      testId="depth"
      class="depth"
      freshness={bookFreshness.value}
      tools={
        <>
          <Button class="depth-tool" label="Zoom out" onClick={() => view.zoomBy(1)}>
            −
          </Button>
          <Button class="depth-tool" label="Zoom in" onClick={() => view.zoomBy(-1)}>
            +
          </Button>
        </>
      }
    >
      <Chart view={view} />
    </Panel>
  );
}

function Chart({ view }: { view: DepthView }) {
  const canvas = useCanvas((surface) => new DepthPainter(surface, view));
  const cursor = useSignal<number | null>(null);
  useSlowly(() => book.version);
  const point = (part: number | null) => {
    view.point(part);
    cursor.value = view.cursor;
  };
  const key = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -KEY_STEP, ArrowRight: KEY_STEP, PageDown: -KEY_STEP * 5, PageUp: KEY_STEP * 5 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    point((cursor.peek() ?? 0.5) + by);
  };
  const { market } = book;
  const { range } = view;
  const isReady = cursor.value !== null && market !== null && range !== null;
  const words = isReady ? costWords(book, priceAt(range, cursor.value ?? 0.5, market), market) : "";
  return (
    <div
      class="depth-chart"
      role="slider"
      tabIndex={0}
      aria-label="Price to trade to"
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round((cursor.value ?? 0.5) * 100)}
      aria-valuetext={words || "No price chosen"}
      onKeyDown={key}
      onPointerMove={(event) => point(event.offsetX / event.currentTarget.clientWidth)}
      onPointerLeave={() => point(null)}
      onBlur={() => point(null)}
      onWheel={(event) => view.zoomBy(event.deltaY)}
    >
      <canvas ref={canvas} />
      {words !== "" && <p class="depth-cost">{words}</p>}
    </div>
  );
}
