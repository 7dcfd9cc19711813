import { useEffect, useState } from "preact/hooks";

const EVERY_MS = 1_000;

/** Renders the component anew once a second if the version has changed: for what assistive technology reads of a canvas. */
export function useSlowly(version: () => number): number {
  const [seen, setSeen] = useState(version);
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) setSeen(version());
    }, EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  return seen;
}
