import type { Signal } from "@preact/signals";
import type { Scale } from "../../stores/types";
import { type Problem, stepped, tidied } from "./numbers";
import { ProblemLine, problemId } from "./ProblemLine";

interface Props {
  label: string;
  /** The field, as a path into the ticket's form. */
  path: string;
  value: Signal<string>;
  scale: Scale;
  unit: string;
  problem: Problem | undefined;
  testId?: string;
  /** Where the first step leads in an empty field. */
  start?: bigint | null;
  placeholder?: string;
}

const LARGE_STEP = 10n;

/** A number with its unit: up and down step by tick or lot, with Shift by ten. */
export function NumberField({ label, path, value, scale, unit, problem, testId, start = null, placeholder }: Props) {
  const id = `ticket-field-${path}`;
  const step = (steps: bigint) => {
    value.value = stepped(value.peek(), scale, steps, start);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const direction = { ArrowUp: 1n, ArrowDown: -1n }[event.key];
    if (direction === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    step(event.shiftKey ? direction * LARGE_STEP : direction);
  };
  return (
    <div class="ticket-line">
      <label class="ticket-label" for={id}>
        {label}
      </label>
      <div class="ticket-number" data-invalid={problem !== undefined}>
        <button type="button" class="ticket-step" tabIndex={-1} aria-label={`${label}: less`} onClick={() => step(-1n)}>
          −
        </button>
        <input
          id={id}
          class="number"
          data-testid={testId}
          data-path={path}
          inputMode="decimal"
          autocomplete="off"
          spellcheck={false}
          placeholder={placeholder}
          value={value}
          aria-invalid={problem?.isCertain ?? false}
          aria-describedby={problem && problemId(path)}
          onInput={(event) => {
            value.value = event.currentTarget.value;
          }}
          onBlur={() => {
            value.value = tidied(value.peek(), scale.decimals);
          }}
          onKeyDown={onKeyDown}
        />
        <span class="ticket-unit">{unit}</span>
        <button type="button" class="ticket-step" tabIndex={-1} aria-label={`${label}: more`} onClick={() => step(1n)}>
          +
        </button>
      </div>
      <ProblemLine path={path} problem={problem} />
    </div>
  );
}
