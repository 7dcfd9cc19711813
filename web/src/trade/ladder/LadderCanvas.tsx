import type { Signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { market } from "../../stores/markets";
import { useCanvas } from "../canvas/useCanvas";
import { pressed } from "./ladderKeys";
import { LadderPainter } from "./painter";
import { LadderPointer } from "./pointer";
import type { LadderView } from "./view";

interface Props {
  view: LadderView;
  words: Signal<string>;
}

export function LadderCanvas({ view, words }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useCanvas((surface) => new LadderPainter(surface, view));
  useEffect(() => {
    if (frame.current === null) return;
    return new LadderPointer(frame.current, view, words).stop;
  }, [view, words]);
  const key = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.altKey || event.metaKey || market.peek() === null) return;
    const sentence = pressed(event.key, view, market.peek());
    if (sentence === undefined) return;
    // Keys of the page must not act a second time.
    event.preventDefault();
    event.stopPropagation();
    words.value = sentence;
  };
  return (
    <div
      ref={frame}
      class="ladder-rows"
      role="application"
      aria-label="Price ladder. Arrows move a price cursor, b buys and s sells there, x cancels there, Home centres."
      tabIndex={0}
      onKeyDown={key}
      onBlur={() => view.dropCursor()}
    >
      <canvas ref={canvas} />
    </div>
  );
}
