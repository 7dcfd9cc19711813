import { describe, expect, it } from "vitest";
import { chordOf, chordWords, holderOf, isReserved } from "./chords";

const press = (key: string, ...modifiers: string[]) =>
  chordOf({
    key,
    ctrlKey: modifiers.includes("ctrl"),
    metaKey: modifiers.includes("meta"),
    altKey: modifiers.includes("alt"),
    shiftKey: modifiers.includes("shift"),
  });

describe("chords", () => {
  it("names letters alike whatever Shift makes of them", () => {
    expect(press("b")).toBe("B");
    expect(press("B", "shift")).toBe("Shift+B");
    // Caps lock.
    expect(press("B")).toBe("B");
  });

  it("leaves Shift out where the layout needs it for the mark", () => {
    expect(press("?", "shift")).toBe("?");
    expect(press("?")).toBe("?");
  });

  it("takes Ctrl and the command key as one", () => {
    expect(press("k", "ctrl")).toBe("Ctrl+K");
    expect(press("k", "meta")).toBe("Ctrl+K");
  });

  it("says Shift of named keys", () => {
    expect(press("ArrowUp", "shift")).toBe("Shift+ArrowUp");
    expect(press(" ", "shift")).toBe("Shift+Space");
  });

  it("is none for a modifier alone", () => {
    expect(["Shift", "Control", "Alt", "Meta", "Dead"].map((key) => press(key))).toEqual([
      null,
      null,
      null,
      null,
      null,
    ]);
  });
});

it("shows chords to people", () => {
  expect(["Ctrl+K", "Shift+ArrowUp", "+", "Ctrl++", "Escape", "?"].map(chordWords)).toEqual([
    "Ctrl K",
    "Shift ↑",
    "+",
    "Ctrl +",
    "Esc",
    "?",
  ]);
});

it("finds who has a chord, other than the command itself", () => {
  const bindings = new Map([
    ["buy", "B"],
    ["sell", "S"],
    ["none", ""],
  ]);
  expect(holderOf("S", "buy", bindings)).toBe("sell");
  expect(holderOf("B", "buy", bindings)).toBeNull();
  expect(holderOf("X", "buy", bindings)).toBeNull();
});

it("keeps for the browser what it needs", () => {
  expect(["Escape", "Tab", "Enter", "Ctrl+C", "ArrowUp"].every(isReserved)).toBe(true);
  expect(["B", "Ctrl+K", "Shift+Enter"].some(isReserved)).toBe(false);
});
