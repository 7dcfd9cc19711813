import { effect, type Signal, signal } from "@preact/signals";

const PREFIX = "buttonwood.";

/** A setting that this browser keeps. A stored text that `check` does not accept is dropped. */
export function stored<T>(name: string, initial: T, check: (value: unknown) => value is T): Signal<T> {
  const setting = signal(read(name, check) ?? initial);
  let isFirst = true;
  effect(() => {
    const text = JSON.stringify(setting.value);
    if (!isFirst) write(name, text);
    isFirst = false;
  });
  return setting;
}

export function oneOf<const T extends string>(...values: readonly T[]): (value: unknown) => value is T {
  return (value): value is T => values.some((known) => known === value);
}

export const isText = (value: unknown): value is string => typeof value === "string";
export const isFlag = (value: unknown): value is boolean => typeof value === "boolean";

/** An object whose entries all pass. */
export function recordOf<T>(check: (value: unknown) => value is T): (value: unknown) => value is Record<string, T> {
  return (value): value is Record<string, T> =>
    typeof value === "object" && value !== null && !Array.isArray(value) && Object.values(value).every(check);
}

// A browser may refuse storage altogether; the page then works with its initial settings.
function read<T>(name: string, check: (value: unknown) => value is T): T | undefined {
  try {
    const text = localStorage.getItem(PREFIX + name);
    const value: unknown = text === null ? undefined : JSON.parse(text);
    return check(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function write(name: string, text: string): void {
  try {
    localStorage.setItem(PREFIX + name, text);
  } catch {
    // Full or forbidden: the setting holds until the page is closed.
  }
}
