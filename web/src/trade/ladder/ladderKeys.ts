// Keys of the focused ladder. All act at the cursor, which arrows move over the prices.
import { format, formatShort } from "../../numbers/decimal";
import type { Market } from "../../stores/types";
import { cancelCapsule, capsuleWords, placeAt } from "./intents";
import type { LadderView } from "./view";

/** What a key did, in words; `undefined`: it is not a key of the ladder. */
export function pressed(key: string, view: LadderView, market: Market | null): string | undefined {
  if (market === null) return undefined;
  const moves: Record<string, number> = {
    ArrowUp: -1,
    ArrowDown: 1,
    PageUp: -(view.model.rows >> 1),
    PageDown: view.model.rows >> 1,
  };
  const by = moves[key];
  if (by !== undefined) {
    view.moveCursor(by);
    return cursorWords(view, market);
  }
  if (key === "Home") {
    view.dropCursor();
    view.centre();
    return "Centred on the market.";
  }
  if (view.cursor === null) return undefined;
  const price = view.cursor;
  switch (key) {
    case "Escape":
      view.dropCursor();
      return "";
    case "b":
      return placeAt(market, "BUY", price) ?? `Buy sent at ${format(price, market.price.decimals)}.`;
    case "s":
      return placeAt(market, "SELL", price) ?? `Sell sent at ${format(price, market.price.decimals)}.`;
    case "x":
      return cancelAtCursor(view);
    default:
      return undefined;
  }
}

function cancelAtCursor(view: LadderView): string {
  const there = view.capsules.filter(({ row, look }) => row === view.cursorRow() && look !== "ghost");
  if (there.length === 0) return "No own order is at this price.";
  const said = there.map(cancelCapsule).filter((sentence) => sentence !== null);
  return said[0] ?? "Cancel sent.";
}

function cursorWords(view: LadderView, market: Market): string {
  const row = view.cursorRow();
  if (row === null || view.cursor === null) return "";
  const size = (units: bigint) => formatShort(units, market.qty.decimals);
  const [bid, ask] = [view.model.bids[row] ?? 0n, view.model.asks[row] ?? 0n];
  const parts = [format(view.cursor, market.price.decimals)];
  if (bid > 0n) parts.push(`bid ${size(bid)}`);
  if (ask > 0n) parts.push(`ask ${size(ask)}`);
  for (const capsule of view.capsules) {
    if (capsule.row === row && capsule.look !== "ghost") parts.push(capsuleWords(capsule, market));
  }
  return parts.join(", ");
}
