import { setField } from "./form";
import type { Problem } from "./numbers";

export const problemId = (path: string): string => `ticket-problem-${path}`;

/** What is wrong with a field, and the button that sets the nearest allowed value. */
export function ProblemLine({ path, problem }: { path: string; problem: Problem | undefined }) {
  if (!problem) return null;
  const { fix } = problem;
  return (
    <p
      id={problemId(path)}
      class={`ticket-problem ${problem.isCertain ? "bad" : "warning"}`}
      data-testid="ticket-problem"
    >
      <span>{problem.text}</span>
      {fix && (
        <button type="button" class="ticket-fix" onClick={() => setField(path, fix.value)}>
          {fix.label}
        </button>
      )}
    </p>
  );
}
