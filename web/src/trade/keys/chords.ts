// Keys with their modifiers, as one text: `Ctrl+K`, `Shift+ArrowUp`, `?`.

interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
}

const MODIFIERS = ["Control", "Shift", "Alt", "Meta", "AltGraph", "CapsLock", "Dead", "Process", "Unidentified"];

/** What browsers and the page itself need: fields, buttons, tabs and lists. */
const RESERVED = new Set(
  ["Tab", "Shift+Tab", "Enter", "Space", "Escape", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"].concat(
    ["C", "V", "X", "A", "Z", "T", "W", "N", "R", "L", "F", "P", "S"].map((letter) => `Ctrl+${letter}`),
  ),
);

/** `null` for a modifier alone. */
export function chordOf({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyPress): string | null {
  if (MODIFIERS.includes(key) || key === "") return null;
  const isLetter = /^\p{L}$/u.test(key);
  const name = key === " " ? "Space" : isLetter ? key.toUpperCase() : key;
  // On a mark such as `?` the layout needs Shift, on letters and named keys the person chose it.
  const isShiftSaid = shiftKey && (isLetter || key.length > 1 || key === " ");
  const parts = [ctrlKey || metaKey ? "Ctrl" : "", altKey ? "Alt" : "", isShiftSaid ? "Shift" : "", name];
  return parts.filter((part) => part !== "").join("+");
}

/** The command that has this chord already. */
export function holderOf(chord: string, id: string, bindings: ReadonlyMap<string, string>): string | null {
  for (const [other, taken] of bindings) {
    if (other !== id && taken === chord) return other;
  }
  return null;
}

/** Whether the page or the browser needs the chord itself. */
export function isReserved(chord: string): boolean {
  return RESERVED.has(chord);
}

const SYMBOLS: Readonly<Record<string, string>> = {
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
  Escape: "Esc",
};

/** For people. */
export function chordWords(chord: string): string {
  // `+` itself may be the key.
  const parts = chord.endsWith("++") || chord === "+" ? [...chord.slice(0, -1).split("+"), "+"] : chord.split("+");
  return parts
    .filter((part) => part !== "")
    .map((part) => SYMBOLS[part] ?? part)
    .join(" ");
}
