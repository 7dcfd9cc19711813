// The venue's own word on the order before it is sent.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { test } from "../../stores/act";
import type { Draft } from "../../stores/types";

const WAIT_MS = 400;

interface Answer {
  /** The drafts that it is about. */
  readonly of: string;
  /** `null`: the venue would accept it. */
  readonly sentence: string | null;
}

/** Checks the orders that would enter at once; an empty list is nothing to check yet. */
export function VenueCheck({ drafts }: { drafts: readonly Draft[] }) {
  const answer = useSignal<Answer | null>(null);
  const of = JSON.stringify(drafts);
  useEffect(() => {
    if (drafts.length === 0) return;
    let isOld = false;
    const timer = setTimeout(async () => {
      const outcomes = await Promise.all(drafts.map(test));
      const refused = outcomes.find((outcome) => !outcome.ok);
      if (!isOld) answer.value = { of, sentence: refused && !refused.ok ? refused.sentence : null };
    }, WAIT_MS);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [of]);
  const known = answer.value?.of === of ? answer.value : null;
  const state = drafts.length === 0 ? "none" : known === null ? "asking" : known.sentence === null ? "good" : "bad";
  return (
    <p class="ticket-check" data-testid="ticket-check" data-state={state}>
      {state === "none" && <span class="dim">The venue checks it once it is complete.</span>}
      {state === "asking" && <span class="dim">The venue checks it …</span>}
      {state === "good" && <span class="good">✓ The venue would accept it</span>}
      {state === "bad" && <span class="warning">! The venue would refuse it. {known?.sentence}</span>}
    </p>
  );
}
