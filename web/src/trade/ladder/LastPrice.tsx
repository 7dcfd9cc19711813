import { formatGrouped, formatShort } from "../../numbers/decimal";
import { book } from "../../stores/book";
import { market } from "../../stores/markets";
import { tape } from "../../stores/trades";
import { useSlowly } from "../canvas/useSlowly";

/** Spread, and the last price with the way it went, for the eye that does not want to search the rows. */
export function LastPrice() {
  useSlowly(() => tape.version + book.version);
  const of = market.value;
  const { trades } = tape;
  const last = trades.at(-1);
  if (of === null || last === undefined) return <span class="ladder-last dim">No trade yet</span>;
  let before = trades.length - 2;
  while (before >= 0 && trades[before]?.price === last.price) before -= 1;
  const other = trades[before]?.price;
  const isUp = other !== undefined && other < last.price;
  const isDown = other !== undefined && other > last.price;
  const [bid, ask] = [book.bids[0]?.price, book.asks[0]?.price];
  return (
    <span class="ladder-last">
      <b class={`number ${isUp ? "up" : isDown ? "down" : ""}`}>
        {isUp ? "▲ " : isDown ? "▼ " : ""}
        {formatGrouped(last.price, of.price.decimals)}
      </b>
      {bid !== undefined && ask !== undefined && (
        <span class="dim">
          {ask > bid ? `spread ${formatShort(ask - bid, of.price.decimals)}` : "bids and asks overlap"}
        </span>
      )}
    </span>
  );
}
