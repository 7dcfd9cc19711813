import type { Signal } from "@preact/signals";
import type { Side } from "../../stores/types";

export interface Filter {
  /** Words that a row must have. */
  readonly text: string;
  readonly side: Side | "";
  readonly isChosenOnly: boolean;
}

export const NO_FILTER: Filter = { text: "", side: "", isChosenOnly: false };

interface Props {
  /** Of the table. */
  label: string;
  filter: Signal<Filter>;
}

export function Filters({ label, filter }: Props) {
  const set = (to: Partial<Filter>) => {
    const next = { ...filter.peek(), ...to };
    filter.value = next.text === "" && next.side === "" && !next.isChosenOnly ? NO_FILTER : next;
  };
  return (
    <>
      <input
        class="field dock-filter"
        type="search"
        placeholder="Filter"
        aria-label={`Filter ${label}`}
        value={filter.value.text}
        onInput={(event) => set({ text: event.currentTarget.value })}
      />
      <select
        class="field dock-select"
        aria-label={`Side of ${label}`}
        value={filter.value.side}
        onChange={(event) => set({ side: event.currentTarget.value as Side | "" })}
      >
        <option value="">Both sides</option>
        <option value="BUY">Buy</option>
        <option value="SELL">Sell</option>
      </select>
      <select
        class="field dock-select"
        aria-label={`Markets of ${label}`}
        value={filter.value.isChosenOnly ? "chosen" : ""}
        onChange={(event) => set({ isChosenOnly: event.currentTarget.value !== "" })}
      >
        <option value="">All markets</option>
        <option value="chosen">This market</option>
      </select>
    </>
  );
}
