import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { keepPainted, type Painter } from "./loop";
import { Surface } from "./surface";

/** A canvas that `make`'s painter keeps painted while the component is there. */
export function useCanvas(make: (surface: Surface) => Painter): RefObject<HTMLCanvasElement | null> {
  const ref = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    if (ref.current === null) return;
    const surface = new Surface(ref.current);
    const stop = keepPainted(make(surface));
    return () => {
      stop();
      surface.destroy();
    };
  }, []);
  return ref;
}
