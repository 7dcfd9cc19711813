// The smallest sizes that a tape shows, and that sound, by market.
import { parse } from "../../numbers/decimal";
import { isText, recordOf, stored } from "../../stores/stored";

export const shownFrom = stored<Record<string, string>>("tapeFrom", {}, recordOf(isText));
export const soundFrom = stored<Record<string, string>>("soundFrom", {}, recordOf(isText));

export function sizeOf(text: string | undefined, decimals: number): bigint | null {
  const parsed = parse(text ?? "", decimals);
  return "units" in parsed && parsed.units > 0n ? parsed.units : null;
}
