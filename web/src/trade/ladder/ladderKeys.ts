// Keys of the focused ladder. All act at the cursor, which arrows move over the prices.
import { format, formatShort } from "../../numbers/decimal";
import type { Market } from "../../stores/types";
import { cancelCapsule, capsuleWords, placeAt, type Say } from "./intents";
import type { LadderView } from "./view";

/** Returns whether it is a key of the ladder. */
export function pressed(key: string, view: LadderView, market: Market, say: Say): boolean {
  const moves: Record<string, number> = {
    ArrowUp: -1,
    ArrowDown: 1,
    PageUp: -(view.model.rows >> 1),
    PageDown: view.model.rows >> 1,
  };
  const by = moves[key];
  if (by !== undefined) {
    view.moveCursor(by);
    say(cursorWords(view, market));
    return true;
  }
  if (key === "Home") {
    view.dropCursor();
    view.centre();
    say("Centred on the market.");
    return true;
  }
  return view.cursor !== null && pressedAtCursor(key, view, view.cursor, market, say);
}

function pressedAtCursor(key: string, view: LadderView, price: bigint, market: Market, say: Say): boolean {
  switch (key) {
    case "Escape":
      view.dropCursor();
      say("");
      return true;
    case "b":
      placeAt(market, "BUY", price, say);
      return true;
    case "s":
      placeAt(market, "SELL", price, say);
      return true;
    case "x":
      cancelAtCursor(view, say);
      return true;
    default:
      return false;
  }
}

function cancelAtCursor(view: LadderView, say: Say): void {
  const there = view.capsules.filter(({ row, look }) => row === view.cursorRow() && look !== "ghost");
  if (there.length === 0) say("No own order is at this price.");
  for (const capsule of there) cancelCapsule(capsule, say);
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
