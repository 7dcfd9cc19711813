// Listens for keys of the whole page.
import { signal } from "@preact/signals";
import { chosen } from "../../stores/markets";
import { notice } from "../../stores/notices";
import { armed } from "../../stores/settings";
import { pressArm, releaseArm } from "../safety/arming";
import { chordOf } from "./chords";
import { bindings, cancelSymbol, commands } from "./commands";

const SECOND_ESCAPE_MS = 1_500;

/** The market of which a second Escape would cancel all orders; `null`: the first has not been pressed. */
export const escapeHint = signal<string | null>(null);

let escapeTimer: ReturnType<typeof setTimeout> | undefined;

/** Begins to listen; returns how to stop. */
export function installKeys(): () => void {
  addEventListener("keydown", onKeyDown);
  addEventListener("keyup", releaseArm);
  addEventListener("blur", releaseArm);
  return () => {
    removeEventListener("keydown", onKeyDown);
    removeEventListener("keyup", releaseArm);
    removeEventListener("blur", releaseArm);
  };
}

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  const chord = chordOf(event);
  if (chord === null) return;
  const isDialog = document.querySelector("dialog[open]") !== null;
  if (isTyping(event.target)) {
    // From a field, Escape leads out of it, and the palette opens from anywhere.
    if (chord === "Escape" && !isDialog) (event.target as HTMLElement).blur();
    if (chord !== bindings.peek().get("palette") || !chord.includes("Ctrl")) return;
  }
  if (isDialog) return;
  if (chord === "Escape") {
    if (!event.repeat) pressEscape();
    return;
  }
  const command = commands.peek().find(({ id }) => bindings.peek().get(id) === chord);
  if (!command) return;
  // Arrows, Enter and Space belong to what has the focus, unless a modifier says otherwise.
  event.preventDefault();
  // A key that is held down trades once.
  if (event.repeat) return;
  if (command.trades && !armed.peek()) {
    notice("warning", `“${command.title}” is off: keys trade only while the page is armed.`, {
      label: "Arm",
      run: pressArm,
    });
    return;
  }
  command.run();
}

/** The first says what the second would do. */
function pressEscape(): void {
  clearTimeout(escapeTimer);
  if (escapeHint.peek() === chosen.peek()) {
    escapeHint.value = null;
    cancelSymbol();
    return;
  }
  escapeHint.value = chosen.peek();
  escapeTimer = setTimeout(() => {
    escapeHint.value = null;
  }, SECOND_ESCAPE_MS);
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !["checkbox", "radio", "button"].includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement || target.isContentEditable;
}
