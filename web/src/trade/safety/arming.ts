// The switch without which no key and no single click trades.
import { signal } from "@preact/signals";
import { armed, armsByHold } from "../../stores/settings";

export const HOLD_MS = 600;

/** Whether the button or key that arms is being held. */
export const isHolding = signal(false);

let timer: ReturnType<typeof setTimeout> | undefined;

/** A press of the button or key: disarms at once; arms at once, or once it has been held. */
export function pressArm(): void {
  if (armed.peek()) armed.value = false;
  else if (!armsByHold.peek()) armed.value = true;
  else {
    isHolding.value = true;
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (isHolding.peek()) armed.value = true;
      isHolding.value = false;
    }, HOLD_MS);
  }
}

export function releaseArm(): void {
  clearTimeout(timer);
  isHolding.value = false;
}
