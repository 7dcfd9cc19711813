import { useComputed } from "@preact/signals";
import { formatShort, parse } from "../../numbers/decimal";
import { clickQtys } from "../../stores/settings";
import type { Market } from "../../stores/types";

/** The quantity of one-click orders, in lots of this market. */
export function QtyOfClick({ market }: { market: Market }) {
  const { symbol, qty } = market;
  const text = useComputed(() => clickQtys.value[symbol] ?? "");
  const problem = useComputed(() => problemOf(text.value, market));
  const set = (value: string) => {
    clickQtys.value = { ...clickQtys.peek(), [symbol]: value };
  };
  const step = (event: KeyboardEvent) => {
    const direction = { ArrowUp: 1n, ArrowDown: -1n }[event.key];
    if (direction === undefined) return;
    event.preventDefault();
    const parsed = parse(text.peek(), qty.decimals);
    const from = "units" in parsed ? parsed.units : 0n;
    const to = from + direction * qty.step * (event.shiftKey ? 100n : 1n);
    set(formatShort(to < qty.min ? qty.min : to, qty.decimals));
  };
  return (
    <label class="ladder-qty">
      <span class="dim">Click qty</span>
      <input
        class="field number"
        inputMode="decimal"
        autocomplete="off"
        placeholder={market.base}
        aria-invalid={problem.value !== null}
        aria-label={`Quantity of one click in ${market.base}`}
        title={problem.value ?? "What one click or key in the ladder trades; up and down change it by a lot"}
        value={text.value}
        onInput={({ currentTarget }) => set(currentTarget.value)}
        onKeyDown={step}
      />
    </label>
  );
}

function problemOf(text: string, { qty, base }: Market): string | null {
  if (text.trim() === "") return null;
  const parsed = parse(text, qty.decimals);
  if ("problem" in parsed) return `This is ${parsed.problem === "empty" ? "empty" : parsed.problem}.`;
  if (parsed.units < qty.min) return `At least ${formatShort(qty.min, qty.decimals)} ${base}.`;
  if (qty.max > 0n && parsed.units > qty.max) return `At most ${formatShort(qty.max, qty.decimals)} ${base}.`;
  if (qty.step > 0n && parsed.units % qty.step !== 0n) return `In steps of ${formatShort(qty.step, qty.decimals)}.`;
  return null;
}
