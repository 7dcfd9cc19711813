import { useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { isDesk } from "../../ui/desk";

/** A finger needs more room than a pointer. */
export const rowHeight = (): number => (isDesk.value ? 26 : 46);

/** The width of an element in pixels, 0 before it is known. */
export function useWidth<T extends HTMLElement>(): [RefObject<T>, number] {
  const element = useRef<T>(null);
  const width = useSignal(0);
  useLayoutEffect(() => {
    if (!element.current) return;
    const measure = () => {
      width.value = element.current?.clientWidth ?? 0;
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element.current);
    measure();
    return () => observer.disconnect();
  }, [width]);
  return [element as RefObject<T>, width.value];
}
