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

const MOVES = ["ArrowUp", "ArrowDown", "PageUp", "PageDown"];

export function LadderCanvas({ view, words }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useCanvas((surface) => new LadderPainter(surface, view));
  useEffect(() => {
    if (frame.current === null) return;
    return new LadderPointer(frame.current, view, words).stop;
  }, [view, words]);
  const say = (sentence: string) => {
    words.value = sentence;
  };
  const key = (event: KeyboardEvent) => {
    const of = market.peek();
    if (event.ctrlKey || event.altKey || event.metaKey || of === null) return;
    // A key that is held down moves on, and trades once.
    const isHeld = event.repeat && !MOVES.includes(event.key);
    if (!isHeld && !pressed(event.key, view, of, say)) return;
    // Keys of the page must not act a second time.
    event.preventDefault();
    event.stopPropagation();
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
