// The last notices, for a moment. All of them stay in the dock's messages.
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { venueNow } from "../connection/clock";
import { notices, takeFix } from "../stores/notices";
import type { Notice } from "../stores/types";
import { Button } from "../ui/Button";

const SHOWN = 4;
const STAYS_MS: Record<Notice["kind"], number> = { info: 5_000, good: 5_000, warning: 10_000, bad: 12_000 };
const MARK: Record<Notice["kind"], string> = { info: "i", good: "✓", warning: "!", bad: "✕" };

const closed = signal<ReadonlySet<number>>(new Set());
const nowMs = signal(venueNow());

export function Toasts() {
  const isFresh = ({ id, timeMs, kind }: Notice) => !closed.value.has(id) && nowMs.value - timeMs < STAYS_MS[kind];
  const shown = notices.value.slice(0, SHOWN).filter(isFresh);
  useEffect(() => {
    if (shown.length === 0) return;
    const timer = setInterval(() => {
      nowMs.value = venueNow();
    }, 1_000);
    return () => clearInterval(timer);
  }, [shown.length]);
  return (
    <div class="toasts" role="log" aria-label="Messages" aria-live="polite">
      {shown.map((notice) => (
        <Toast key={notice.id} notice={notice} />
      ))}
    </div>
  );
}

function Toast({ notice: { id, kind, text, fix } }: { notice: Notice }) {
  const close = () => {
    closed.value = new Set([...closed.value, id]);
  };
  return (
    <div class="toast" data-kind={kind}>
      <span class={`toast-mark ${kind}`} aria-hidden="true">
        {MARK[kind]}
      </span>
      <span class="toast-text">{text}</span>
      {fix && (
        <Button
          onClick={() => {
            close();
            takeFix(id);
          }}
        >
          {fix.label}
        </Button>
      )}
      <Button look="plain" label="Close the message" onClick={close}>
        ✕
      </Button>
    </div>
  );
}
