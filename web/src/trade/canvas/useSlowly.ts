import { useEffect, useState } from "preact/hooks";

const EVERY_MS = 1_000;

/** Renders the component anew once a second if the version has changed: for what assistive technology reads of a canvas. */
export function useSlowly(version: () => number): number {
  const [seen, setSeen] = useState(version);
  useEffect(() => {
    const look = () => {
      if (!document.hidden) setSeen(version());
      timer = setTimeout(look, EVERY_MS);
    };
    // Each at a moment of its own: together they would take the time of a frame.
    let timer = setTimeout(look, Math.random() * EVERY_MS);
    return () => clearTimeout(timer);
  }, []);
  return seen;
}
