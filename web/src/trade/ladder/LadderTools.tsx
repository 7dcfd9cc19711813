import { useSignal } from "@preact/signals";
import { formatShort } from "../../numbers/decimal";
import { book } from "../../stores/book";
import { market } from "../../stores/markets";
import { Button } from "../../ui/Button";
import { multiplesFor } from "../book/grouping";
import type { LadderView } from "./view";

/** Grouping, sums and the way back to the market. */
export function LadderTools({ view }: { view: LadderView }) {
  const isCumulative = useSignal(false);
  const of = market.value;
  const price = book.lastTradePrice ?? book.bids[0]?.price ?? book.asks[0]?.price ?? 0n;
  const ticks = view.ticks.value;
  const multiple = view.multiple.value;
  const outside = view.outside.value;
  return (
    <>
      <Button
        class="ladder-tool"
        pressed={isCumulative.value}
        label="Cumulative sizes"
        title="Sums of the sizes from the best price on"
        onClick={() => {
          isCumulative.value = !isCumulative.value;
          view.accumulate(isCumulative.value);
        }}
      >
        Σ
      </Button>
      {of && (
        <select
          class="field ladder-group"
          aria-label="Price of a row"
          title="How much price a row has"
          value={multiple === null ? "" : String(multiple)}
          onChange={({ currentTarget: { value } }) => view.group(value === "" ? null : BigInt(value))}
        >
          <option value="">Auto {formatShort(ticks * of.price.step, of.price.decimals)}</option>
          {multiplesFor(of, price).map((each) => (
            <option key={String(each)} value={String(each)}>
              ×{String(each)} = {formatShort(each * of.price.step, of.price.decimals)}
            </option>
          ))}
        </select>
      )}
      <Button
        class="ladder-tool"
        pressed={view.isFollowing.value}
        label={outside === null ? "Centre on the market" : `Centre on the market, which is ${outside}`}
        title="Centre on the market, and follow it (Home)"
        onClick={() => view.centre()}
      >
        {outside === "above" ? "▲ " : outside === "below" ? "▼ " : ""}Centre
      </Button>
    </>
  );
}
