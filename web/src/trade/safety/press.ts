import { actsOnDown } from "../../stores/settings";

/** Handlers of a button that acts on the press or on the release of a mouse button, as the person has set. */
export function onPress(act: () => void) {
  return {
    onPointerDown: (event: PointerEvent) => {
      if (actsOnDown.peek() && event.pointerType === "mouse" && event.button === 0) act();
    },
    onClick: (event: MouseEvent) => {
      // A click that followed such a press has been acted on; those of keys and touches have not.
      const isOfMouse = (event as PointerEvent).pointerType === "mouse";
      if (!(actsOnDown.peek() && isOfMouse)) act();
    },
  };
}
