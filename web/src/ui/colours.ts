import { effect, signal } from "@preact/signals";
import { palette, theme } from "../stores/settings";

const NAMES = [
  "bg",
  "panel",
  "raised",
  "field",
  "line",
  "edge",
  "text",
  "dim",
  "accent",
  "up",
  "down",
  "on-side",
  "good",
  "warn",
  "bad",
  "focus",
] as const;

/** The theme's tokens, for canvases. */
export type Colours = Readonly<Record<(typeof NAMES)[number] | "font" | "mono", string>>;

export const colours = signal<Colours>(read());

const isDark = matchMedia("(prefers-color-scheme: dark)");
const systemTheme = signal(isDark.matches ? "dark" : "light");
isDark.addEventListener("change", () => {
  systemTheme.value = isDark.matches ? "dark" : "light";
});

/** Applies theme and palette to the document, now and whenever they change. */
export function applyTheme(): void {
  effect(() => {
    const root = document.documentElement;
    root.dataset.theme = theme.value === "system" ? systemTheme.value : theme.value;
    root.dataset.palette = palette.value;
    colours.value = read();
  });
}

function read(): Colours {
  const style = getComputedStyle(document.documentElement);
  const names = [...NAMES, "font", "mono"];
  return Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()])) as Colours;
}
