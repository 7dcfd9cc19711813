import { armed, armsByHold } from "../../stores/settings";
import { isHolding, pressArm, releaseArm } from "./arming";

/** Arms the ladder's clicks and the trading keys. */
export function ArmSwitch() {
  const isArmed = armed.value;
  const isHeld = armsByHold.value && !isArmed;
  const key = (event: KeyboardEvent) => event.key === " " || event.key === "Enter";
  return (
    <button
      type="button"
      role="switch"
      class="arm"
      data-testid="arm"
      data-armed={isArmed}
      data-holding={isHolding.value}
      aria-checked={isArmed}
      title={
        isArmed
          ? "One click and keys trade. Press to turn off."
          : `One click and keys trade once this is on${isHeld ? ": hold it" : ""}.`
      }
      onPointerDown={(event) => {
        if (event.button === 0) pressArm();
      }}
      onPointerUp={releaseArm}
      onPointerLeave={releaseArm}
      onKeyDown={(event) => {
        if (!key(event)) return;
        event.preventDefault();
        if (!event.repeat) pressArm();
      }}
      onKeyUp={releaseArm}
      onClick={(event) => {
        // Assistive technology clicks without a press, and cannot hold.
        if (event.detail === 0) armed.value = !armed.peek();
      }}
    >
      <span class="arm-dot" aria-hidden="true" />
      {isArmed ? "Armed" : isHeld ? "Hold to arm" : "Arm"}
    </button>
  );
}
