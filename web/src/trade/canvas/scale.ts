// Lengths of bars and widths of numbers.

/**
 * The smallest of 1, 2, 5, 10, 20, 50 … that is not below `largest`; the present one while it still suits: bars that
 * are measured anew with each change cannot be compared, and cost a whole picture.
 */
export function barScale(present: bigint, largest: bigint): bigint {
  if (largest <= present && largest * 5n >= present) return present;
  return niceAbove(largest);
}

export function niceAbove(value: bigint): bigint {
  let power = 1n;
  while (power * 10n <= value) power *= 10n;
  for (const factor of [1n, 2n, 5n]) if (power * factor >= value) return power * factor;
  return power * 10n;
}

/** Pixels of a bar; at least one where there is anything. */
export function barLength(qty: bigint, scale: bigint, pixels: number): number {
  if (qty <= 0n || scale <= 0n) return 0;
  if (qty >= scale) return pixels;
  return Math.max(1, Number((qty * BigInt(pixels)) / scale));
}

/** How many of `decimals` fit with numbers up to `largest` units into `chars` characters. */
export function decimalsThatFit(largest: bigint, decimals: number, chars: number): number {
  const whole = (largest / 10n ** BigInt(decimals)).toString().length;
  return Math.max(0, Math.min(decimals, chars - whole - 1));
}
