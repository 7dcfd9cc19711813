// The tape: public trades, newest first, those of one aggressor joined.
import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { format, formatShort } from "../../numbers/decimal";
import { bookFreshness } from "../../stores/book";
import { market } from "../../stores/markets";
import { notice } from "../../stores/notices";
import { isSoundOn } from "../../stores/settings";
import type { Market } from "../../stores/types";
import { Button } from "../../ui/Button";
import { later } from "../../ui/Later";
import { Panel } from "../../ui/Panel";
import { useCanvas } from "../canvas/useCanvas";
import { useSlowly } from "../canvas/useSlowly";
import { TapePainter } from "./painter";
import { shownFrom, sizeOf, soundFrom } from "./smallest";
import { TapeView } from "./view";
import "./tape.css";

const Choices = later("The filter", async () => (await import("./Choices")).Choices);

const SPOKEN = 10;

export function TapePanel() {
  const view = useMemo(() => new TapeView(), []);
  const isOpen = useSignal(false);
  const of = market.value;
  const symbol = of?.symbol ?? "";
  const decimals = of?.qty.decimals ?? 0;
  useSignalEffect(() => {
    view.filter(sizeOf(shownFrom.value[symbol], decimals) ?? 0n);
  });
  useEffect(() => {
    view.filter(sizeOf(shownFrom.peek()[symbol], decimals) ?? 0n);
  }, [view, symbol, decimals]);
  useEffect(
    () => (isSoundOn.value ? sound(() => sizeOf(soundFrom.peek()[symbol], decimals)) : undefined),
    [symbol, decimals, isSoundOn.value],
  );
  return (
    <Panel
      title="Trades"
      testId="trades"
      class="tape"
      freshness={bookFreshness.value}
      tools={
        <>
          <Button
            class="tape-tool"
            pressed={view.isPaused.value}
            title="Hold the list still; so does the pointer on it"
            label="Pause"
            onClick={() => view.pause(!view.isPaused.value)}
          >
            {view.isPaused.value ? "▶" : "❚❚"}
          </Button>
          <Button
            class="tape-tool"
            pressed={isOpen.value}
            label="Filter and sound"
            title="Filter by size, and sound"
            onClick={() => (isOpen.value = !isOpen.value)}
          >
            ≥{shownFrom.value[symbol] ? formatBrief(shownFrom.value[symbol]) : ""}
            {isSoundOn.value ? " ♪" : ""}
          </Button>
        </>
      }
    >
      <div class="tape-body">
        {isOpen.value && of && <Choices market={of} />}
        <div class="tape-heads" aria-hidden="true">
          <span>Time UTC</span>
          <span>Price</span>
          <span>Size</span>
        </div>
        <TapeCanvas view={view} />
        {view.waiting.value > 0 && (
          <p class="tape-waiting">
            Held: {view.waiting.value} {view.waiting.value === 1 ? "waits" : "wait"}
          </p>
        )}
        {of && <Spoken view={view} market={of} />}
      </div>
    </Panel>
  );
}

/** Sounds until the returned function is called. */
function sound(from: () => bigint | null): () => void {
  let isOver = false;
  let stop = () => {};
  import("./sound").then(
    ({ soundTrades }) => {
      if (!isOver) stop = soundTrades(from);
    },
    (error: Error) => notice("warning", `The sound could not be loaded: ${error.message}`),
  );
  return () => {
    isOver = true;
    stop();
  };
}

function TapeCanvas({ view }: { view: TapeView }) {
  const canvas = useCanvas((surface) => new TapePainter(surface, view));
  return (
    <div
      class="tape-rows"
      onPointerEnter={(event) => event.pointerType !== "touch" && view.hold(true)}
      onPointerLeave={() => view.hold(false)}
      onWheel={(event) => view.scroll(Math.sign(event.deltaY) * 3)}
    >
      <canvas ref={canvas} />
    </div>
  );
}

function Spoken({ view, market: of }: { view: TapeView; market: Market }) {
  useSlowly(() => view.total);
  return (
    <ol class="hidden-text" aria-label="Last trades, newest first">
      {view.latest(SPOKEN).map(({ id, to, qty, aggressor, timeMs }) => (
        <li key={id}>
          {new Date(timeMs).toISOString().slice(11, 19)} {aggressor === "BUY" ? "bought" : "sold"}{" "}
          {formatShort(qty, of.qty.decimals)} at {format(to, of.price.decimals)}
        </li>
      ))}
    </ol>
  );
}

const formatBrief = (text: string): string => (text.length > 6 ? `${text.slice(0, 5)}…` : text);
