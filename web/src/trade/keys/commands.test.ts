import { signal } from "@preact/signals";
import { afterEach, expect, it, vi } from "vitest";
import { keys } from "../../stores/settings";
import { isReserved } from "./chords";
import { addCommand, bind, bindings, commands } from "./commands";

vi.mock("../../stores/act", () => ({}));
vi.mock("../../stores/session", () => ({ session: signal(null), cancelOnDisconnect: signal(false) }));

afterEach(() => {
  keys.value = {};
});

it("gives no two commands one key, and none a key that the browser needs", () => {
  const chords = [...bindings.value.values()].filter((chord) => chord !== "");
  expect(new Set(chords).size).toBe(chords.length);
  expect(chords.filter(isReserved)).toEqual([]);
  expect(new Set(commands.value.map(({ id }) => id)).size).toBe(commands.value.length);
});

it("has a key for every command that trades or cancels", () => {
  const without = commands.value.filter(
    ({ id, trades, group }) => (trades || group === "Cancel") && !bindings.value.get(id),
  );
  expect(without.map(({ id }) => id)).toEqual(["cancel-on-disconnect"]);
});

it("takes the person's key over its own, and gives its own back", () => {
  bind("buy", "G");
  expect(bindings.value.get("buy")).toBe("G");
  bind("buy", "");
  expect(bindings.value.get("buy")).toBe("");
  bind("buy", null);
  expect(bindings.value.get("buy")).toBe("B");
});

it("takes commands of panels, and lets them go", () => {
  const remove = addCommand({ id: "center", group: "Market", title: "Center the ladder", chord: "C", run: () => {} });
  expect(bindings.value.get("center")).toBe("C");
  remove();
  expect(bindings.value.has("center")).toBe(false);
});
