import { signal } from "@preact/signals";

const query = matchMedia("(min-width: 768px)");

/** Whether there is room for panels side by side. */
export const isDesk = signal(query.matches);
query.addEventListener("change", () => {
  isDesk.value = query.matches;
});
