// Exact decimals: prices, quantities and amounts are whole numbers of their smallest unit, as in the engine.

export type Parsed = { units: bigint } | { problem: "empty" | "not a number" | "too many decimals" };

const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?([km]?)$/i;
const [POINT, ZERO] = [46, 48];
const POWERS = Array.from({ length: 16 }, (_, power) => 10 ** power);
const SUFFIX_DECIMALS = { k: 3, m: 6 } as const;

/** Reads `60120.5`, `1_000`, `1.5k` or `2m` as units of 10^-decimals. Nothing is rounded. */
export function parse(text: string, decimals: number): Parsed {
  const plain = text.replace(/[\s_,]/g, "");
  if (plain === "") return { problem: "empty" };
  const match = DECIMAL.exec(plain);
  if (!match) return { problem: "not a number" };
  const [, sign = "", whole = "", fraction = "", suffix = ""] = match;
  if (whole === "" && fraction === "") return { problem: "not a number" };
  const shift = suffix === "" ? 0 : SUFFIX_DECIMALS[suffix.toLowerCase() as "k" | "m"];
  const places = decimals + shift;
  const significant = fraction.replace(/0+$/, "");
  if (significant.length > places) return { problem: "too many decimals" };
  const units = BigInt(whole + significant.padEnd(places, "0"));
  return { units: sign === "-" ? -units : units };
}

/** Units of a number that the venue sent; a text that is no such number is an error in the program. */
export function units(text: string, decimals: number): bigint {
  const plain = plainUnits(text, decimals);
  if (plain >= 0) return BigInt(plain);
  const parsed = parse(text, decimals);
  if ("problem" in parsed) throw new Error(`${text} has ${parsed.problem}, with ${decimals} decimals`);
  return parsed.units;
}

/**
 * Units of a plain number such as `60120.50`, as almost all that the venue sends are; -1 for all others. It stands in a
 * text between two places: a book reads thousands of them a second.
 */
export function plainUnits(text: string, decimals: number, from = 0, to = text.length): number {
  // Whatever would be rounded is beyond 2^53, as the result shows.
  // A number without quotes has no length: it is refused, not read as nothing.
  if (!(to > from) || to - from > 16 || decimals > 15) return -1;
  let value = 0;
  // Decimals that are still to come; -1 before the point.
  let left = -1;
  for (let at = from; at < to; at += 1) {
    const digit = text.charCodeAt(at) - ZERO;
    if (digit >= 0 && digit <= 9) {
      if (left > 0) {
        value = value * 10 + digit;
        left -= 1;
      } else if (left < 0) value = value * 10 + digit;
      else if (digit !== 0) return -1;
    } else if (digit === POINT - ZERO && left < 0 && at > from) left = decimals;
    else return -1;
  }
  value *= POWERS[left < 0 ? decimals : left] ?? Number.NaN;
  return value <= Number.MAX_SAFE_INTEGER ? value : -1;
}

/** With all its decimals: `1234.50`. */
export function format(value: bigint, decimals: number): string {
  const digits = (value < 0n ? -value : value).toString().padStart(decimals + 1, "0");
  const end = digits.length - decimals;
  const text = decimals === 0 ? digits : `${digits.slice(0, end)}.${digits.slice(end)}`;
  return value < 0n ? `-${text}` : text;
}

/** The same with a narrow space between thousands, for the eye: `1 234.50`. */
export function formatGrouped(value: bigint, decimals: number): string {
  const [whole = "", fraction] = format(value, decimals).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, " ");
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** Without trailing zeros: `1.5`, `1200`. */
export function formatShort(value: bigint, decimals: number): string {
  const text = format(value, decimals);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** The decimals that a step such as `0.01000000` needs. */
export function decimalsOf(step: string): number {
  const fraction = step.split(".")[1] ?? "";
  return fraction.replace(/0+$/, "").length;
}

/** The same amount with other decimals; what does not fit is cut off. */
export function rescale(value: bigint, from: number, to: number): bigint {
  if (to >= from) return value * 10n ** BigInt(to - from);
  const divisor = 10n ** BigInt(from - to);
  return value / divisor;
}

/** For drawing and percentages only. */
export function toNumber(value: bigint, decimals: number): number {
  return Number(value) / 10 ** decimals;
}
