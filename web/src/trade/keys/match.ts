// Finding what a person means by a few letters.

/** Below all scores of words. */
const SCATTERED = -1_000;

/**
 * How well a text fits a query, higher is better; `null`: not at all. Each word of the query must be there, in any
 * order; as the beginning of a word it counts more. A query without blanks may also be letters in their order.
 */
function scoreOf(query: string, text: string): number | null {
  const sought = query.trim().toLowerCase();
  if (sought === "") return 0;
  const lower = text.toLowerCase();
  let score = 0;
  for (const word of sought.split(/\s+/)) {
    const at = lower.indexOf(word);
    if (at < 0) {
      const scattered = sought.includes(" ") ? null : scatteredScore(sought, lower);
      return scattered;
    }
    const starts = lower.split(/[^\p{L}\p{N}]+/u).some((part) => part.startsWith(word));
    score += word.length * (lower.startsWith(word) ? 6 : starts ? 4 : 2);
  }
  // Of two that fit equally, the shorter says less else.
  return score - text.length / 1_000;
}

function scatteredScore(sought: string, text: string): number | null {
  let at = -1;
  let jumps = 0;
  for (const letter of sought) {
    const next = text.indexOf(letter, at + 1);
    if (next < 0) return null;
    if (next !== at + 1) jumps += 1;
    at = next;
  }
  return SCATTERED + sought.length - jumps - text.length / 1_000;
}

/** The best first; those that fit equally stay in their order. Scattered letters count where no word is found. */
export function bestOf<T>(query: string, all: readonly T[], textOf: (one: T) => string, limit: number): readonly T[] {
  const fitting = all
    .map((one) => ({ one, score: scoreOf(query, textOf(one)) }))
    .filter((entry): entry is { one: T; score: number } => entry.score !== null)
    .sort((left, right) => right.score - left.score);
  const isWordFound = (fitting[0]?.score ?? 0) > SCATTERED / 2;
  return fitting
    .filter(({ score }) => !isWordFound || score > SCATTERED / 2)
    .slice(0, limit)
    .map(({ one }) => one);
}
