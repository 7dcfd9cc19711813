// How the connection does: the round trips of own orders and of the network, the clock.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { clockBehindMs, netMs, roundTrip, venueNow } from "../stores/link";
import { Credits } from "../trade/chart/Credits";

/** A clock that is further off is worth a word. */
const CLOCK_OFF_MS = 1_000;

export function StatusBar() {
  return (
    <footer class="status">
      <RoundTrip />
      <Clock />
      <Credits />
    </footer>
  );
}

function RoundTrip() {
  const trip = roundTrip.value;
  const net = netMs.value;
  if (trip === null) return <span>round trip to the venue {net === null ? "…" : `${net.toFixed(1)} ms`}</span>;
  return (
    <span>
      last order {trip.lastMs.toFixed(1)} ms
      {trip.venueMs !== null &&
        net !== null &&
        ` (network ${Math.min(net, trip.lastMs).toFixed(1)} + venue ${trip.venueMs.toFixed(1)})`}{" "}
      · p50 {trip.p50Ms.toFixed(1)} · p99 {trip.p99Ms.toFixed(1)} ms
    </span>
  );
}

function Clock() {
  const now = useSignal(venueNow());
  useEffect(() => {
    const timer = setInterval(() => {
      now.value = venueNow();
    }, 1_000);
    return () => clearInterval(timer);
  }, [now]);
  const behind = clockBehindMs.value;
  return (
    <span class="status-clock">
      {Math.abs(behind) > CLOCK_OFF_MS && (
        <span class="warning">
          this machine's clock is {(Math.abs(behind) / 1_000).toFixed(0)} s {behind > 0 ? "behind" : "ahead"}; the page
          follows the venue's ·{" "}
        </span>
      )}
      <time>{new Date(now.value).toISOString().slice(11, 19)}</time> UTC
    </span>
  );
}
