// A number as a field has it: read exactly, or said what is wrong with it and which allowed one is nearest.
import type { Filter } from "../../api/types";
import { decimalsOf, format, formatGrouped, formatShort, parse } from "../../numbers/decimal";
import { filterIn } from "../../stores/filters";
import type { Market, Scale } from "../../stores/types";

export interface Fix {
  readonly label: string;
  /** The field's new text. */
  readonly value: string;
}

export interface Problem {
  /** The field, as a path into the ticket's form. */
  readonly field: string;
  readonly text: string;
  readonly fix?: Fix;
  /** Whether the venue would refuse it in any case; otherwise only as the market and the balances stand. */
  readonly isCertain: boolean;
}

export type ReadNumber = { readonly value: bigint } | { readonly text: string; readonly fix?: Fix };

/** Decimals beyond the scale that a mistyped number may have and still be rounded. */
const EXTRA_DECIMALS = 30;

export function readNumber(text: string, scale: Scale, what: string): ReadNumber {
  const exact = parse(text, scale.decimals);
  if ("units" in exact) return bounded(exact.units, scale, what);
  if (exact.problem === "empty") return { text: `Enter the ${what}` };
  const finer = parse(text, scale.decimals + EXTRA_DECIMALS);
  if ("problem" in finer) return { text: `The ${what} is not a number` };
  const rounded = nearest(divideRounding(finer.units, 10n ** BigInt(EXTRA_DECIMALS)), scale);
  const decimals = decimalsOf(format(scale.step, scale.decimals));
  const text_ =
    decimals === 0 ? `The ${what} has no decimals` : `The ${what} has at most ${decimals} decimal${plural(decimals)}`;
  return { text: text_, fix: fixOf(rounded, scale) };
}

/** The nearest multiple of the step within the bounds. */
export function nearest(value: bigint, scale: Scale): bigint {
  const stepped = divideRounding(value, scale.step) * scale.step;
  const low = -(-scale.min / scale.step) * scale.step;
  const min = low < scale.min ? low + scale.step : low;
  const max = (scale.max / scale.step) * scale.step;
  return least(most(stepped, min), max);
}

/** The largest multiple of the step that is not above. */
export function floorTo(value: bigint, step: bigint): bigint {
  const rest = ((value % step) + step) % step;
  return value - rest;
}

export function ceilTo(value: bigint, step: bigint): bigint {
  return floorTo(value + step - 1n, step);
}

/** Halves go away from zero. */
function divideRounding(value: bigint, by: bigint): bigint {
  const half = by / 2n;
  return value < 0n ? (value - half) / by : (value + half) / by;
}

/** Price times quantity in units of the quote asset; what does not fit is cut off, as a price has no such decimals. */
export function amountOf(price: bigint, qty: bigint, market: Market): bigint {
  const surplus = market.price.decimals + market.qty.decimals - market.quoteDecimals;
  const product = price * qty;
  return surplus >= 0 ? product / 10n ** BigInt(surplus) : product * 10n ** BigInt(-surplus);
}

/** The scale that market orders have, where the market has another one for them. */
export function marketQtyScale(market: Market): Scale {
  const filter = filterOf(market, "MARKET_LOT_SIZE");
  const min = unitsOf(filter?.minQty, market.qty.decimals) ?? market.qty.min;
  const max = unitsOf(filter?.maxQty, market.qty.decimals) ?? market.qty.max;
  return { ...market.qty, min, max };
}

export const filterOf = <T extends Filter["filterType"]>(market: Market, type: T) => filterIn(market.filters, type);

function unitsOf(text: string | undefined, decimals: number): bigint | null {
  const parsed = parse(text ?? "", decimals);
  return "units" in parsed ? parsed.units : null;
}

export function fixOf(value: bigint, scale: Pick<Scale, "decimals">): Fix {
  return { label: `Use ${formatGrouped(value, scale.decimals)}`, value: format(value, scale.decimals) };
}

function bounded(value: bigint, scale: Scale, what: string): ReadNumber {
  const shown = (units: bigint) => formatShort(units, scale.decimals);
  const fix = fixOf(nearest(value, scale), scale);
  if (value < scale.min) return { text: `The smallest ${what} is ${shown(scale.min)}`, fix };
  if (value > scale.max) return { text: `The largest ${what} is ${shown(scale.max)}`, fix };
  if (value % scale.step !== 0n) return { text: `The ${what} goes in steps of ${shown(scale.step)}`, fix };
  return { value };
}

function plural(count: number): string {
  return count === 1 ? "" : "s";
}

/** `Math.max` for exact numbers. */
export function most(first: bigint, ...others: readonly bigint[]): bigint {
  let found = first;
  for (const other of others) if (other > found) found = other;
  return found;
}

export function least(first: bigint, ...others: readonly bigint[]): bigint {
  let found = first;
  for (const other of others) if (other < found) found = other;
  return found;
}

/** The field's text after so many steps; from `start` where it has no number yet. */
export function stepped(text: string, scale: Scale, steps: bigint, start: bigint | null): string {
  const parsed = parse(text, scale.decimals);
  if ("problem" in parsed) return format(nearest(start ?? scale.min, scale), scale.decimals);
  // A number between two steps goes to the next one first.
  const floor = floorTo(parsed.units, scale.step);
  const isBetween = floor !== parsed.units;
  const from = isBetween && steps < 0n ? floor + scale.step : floor;
  return format(nearest(from + steps * scale.step, scale), scale.decimals);
}

/** Without the suffix and marks that were typed: `1.5k` is `1500`. A text that is no number stays. */
export function tidied(text: string, decimals: number): string {
  const parsed = parse(text, decimals);
  return "units" in parsed && /[km,_\s]/i.test(text) ? formatShort(parsed.units, decimals) : text;
}

/** For the eye, whole, without trailing zeros: `1 234.5`. */
export function shortGrouped(units: bigint, decimals: number): string {
  const grouped = formatGrouped(units, decimals);
  return grouped.includes(".") ? grouped.replace(/\.?0+$/, "") : grouped;
}
