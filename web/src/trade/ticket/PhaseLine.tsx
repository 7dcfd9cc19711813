import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { venueNow } from "../../stores/link";
import type { Market } from "../../stores/types";
import { PHASE_NAMES, phaseWords } from "./words";

/** The state of the market, and what becomes of an order in it. */
export function PhaseLine({ market: { symbol, phase, phaseEndsMs } }: { market: Market }) {
  const words = phaseWords(phase);
  return (
    <p class="ticket-phase" data-phase={phase} data-testid="ticket-phase">
      <span class="ticket-phase-name">
        {symbol} · {PHASE_NAMES[phase]}
      </span>
      {phaseEndsMs !== null && phase !== "Continuous" && <Countdown untilMs={phaseEndsMs} />}
      {words && <span class="ticket-phase-words">{words}</span>}
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
    <span class="ticket-phase-left number">
      {minutes}:{String(left.value % 60).padStart(2, "0")} left
    </span>
  );
}

const secondsTo = (untilMs: number): number => Math.max(0, Math.ceil((untilMs - venueNow()) / 1_000));
