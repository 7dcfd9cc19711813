import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { venueNow } from "../../stores/link";
import { countdown } from "./phases";

const EVERY_MS = 250;

/** What is left until a moment, by the venue's clock. */
export function Countdown({ endsMs }: { endsMs: number }) {
  const text = useSignal(countdown(endsMs - venueNow()));
  useEffect(() => {
    const tick = () => {
      text.value = countdown(endsMs - venueNow());
    };
    tick();
    const timer = setInterval(tick, EVERY_MS);
    return () => clearInterval(timer);
  }, [endsMs, text]);
  return (
    <time class="number" role="timer" dateTime={new Date(endsMs).toISOString()}>
      {text.value}
    </time>
  );
}
