import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { venueNow } from "../../stores/link";
import type { Market } from "../../stores/types";
import { PHASE_NAMES, phaseWords } from "./words";

/** Market and phase, in the head of the ticket. */
export function PhaseMark({ market: { symbol, phase } }: { market: Market }) {
  return (
    <span class="ticket-phase-mark" data-phase={phase} data-testid="ticket-phase">
      {symbol} · {PHASE_NAMES[phase]}
    </span>
  );
}

/** What becomes of an order where the market does not simply trade. */
export function PhaseLine({ market: { phase, phaseEndsMs } }: { market: Market }) {
  const words = phaseWords(phase);
  if (words === null) return null;
  return (
    <p class="ticket-phase" data-phase={phase}>
      <span>{words}</span>
      {phaseEndsMs !== null && <Countdown untilMs={phaseEndsMs} />}
    </p>
  );
}

function Countdown({ untilMs }: { untilMs: number }) {
  const left = useSignal(secondsTo(untilMs));
  useEffect(() => {
    left.value = secondsTo(untilMs);
    const timer = setInterval(() => {
      left.value = secondsTo(untilMs);
    }, 500);
    return () => clearInterval(timer);
  }, [untilMs, left]);
  const minutes = Math.floor(left.value / 60);
  return (
    <span class="number">
      {minutes}:{String(left.value % 60).padStart(2, "0")}
    </span>
  );
}

const secondsTo = (untilMs: number): number => Math.max(0, Math.ceil((untilMs - venueNow()) / 1_000));
