import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { notice } from "../stores/notices";

/**
 * A component whose code is loaded when it is first shown, so that the first load of the page stays small. Without a
 * connection it says so, and tries again the next time.
 */
export function later<P extends object>(name: string, load: () => Promise<ComponentType<P>>): ComponentType<P> {
  const loaded = signal<{ readonly component: ComponentType<P> } | null>(null);
  let isLoading = false;
  const begin = async () => {
    if (isLoading || loaded.peek() !== null) return;
    isLoading = true;
    try {
      loaded.value = { component: await load() };
    } catch {
      notice("warning", `${name} could not be loaded from the venue: try again when it is connected.`);
    }
    isLoading = false;
  };
  return function Later(props: P) {
    useEffect(() => void begin(), []);
    const Loaded = loaded.value?.component;
    return Loaded ? <Loaded {...props} /> : null;
  };
}
