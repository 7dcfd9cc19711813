// Quantities as texts in a narrow column, made once.
import { format, formatShort } from "../../numbers/decimal";

const SUFFIXES = ["k", "M", "G", "T", "P"];
const POWERS = Array.from({ length: 40 }, (_, decimals) => 10n ** BigInt(decimals));
const KEPT_MAX = 4_000;

/** Texts of quantities with fewer decimals than they have. What is not nothing is never shown as nothing. */
export class SizeTexts {
  #decimals = 0;
  #shown = 0;
  #divisor = 1n;
  #texts = new Map<bigint, string>();

  /** Returns whether the texts differ from those before. */
  use(decimals: number, shown: number): boolean {
    if (decimals === this.#decimals && shown === this.#shown) return false;
    this.#decimals = decimals;
    this.#shown = shown;
    this.#divisor = power(decimals - shown);
    this.#texts.clear();
    return true;
  }

  of(qty: bigint): string {
    const known = this.#texts.get(qty);
    if (known !== undefined) return known;
    if (this.#texts.size >= KEPT_MAX) this.#texts.clear();
    const text = this.#make(qty);
    this.#texts.set(qty, text);
    return text;
  }

  #make(qty: bigint): string {
    const whole = qty / this.#divisor;
    return whole === 0n && qty > 0n ? `<${format(1n, this.#shown)}` : format(whole, this.#shown);
  }
}

/** At most `chars` characters: fewer decimals, or thousands. Rounded down, but never to nothing. */
export function compact(qty: bigint, decimals: number, chars: number): string {
  const whole = (qty / power(decimals)).toString();
  if (whole.length > chars) {
    const thousands = Math.min(SUFFIXES.length, Math.ceil((whole.length + 1 - chars) / 3));
    return `${whole.slice(0, whole.length - thousands * 3)}${SUFFIXES[thousands - 1]}`;
  }
  const shown = Math.max(0, Math.min(decimals, chars - whole.length - 1));
  const cut = qty / power(decimals - shown);
  if (cut === 0n && qty > 0n) return shown > 0 ? `<${format(1n, shown).slice(1)}` : "<1";
  return formatShort(cut, shown);
}

const power = (decimals: number): bigint => POWERS[decimals] ?? 10n ** BigInt(decimals);
