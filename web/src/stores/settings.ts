// What the person has set on this browser. Only `armed` is forgotten: a page that was just opened sends nothing by one click.
import { signal } from "@preact/signals";
import { isFlag, isText, oneOf, recordOf, stored } from "./stored";

export type Theme = "dark" | "light" | "system";
export type Palette = "blue-orange" | "green-red" | "red-green";

/** Bounds above which the page asks before it sends. An empty text is no bound. */
export interface Warnings {
  /** Percent between a limit and the last price, on the side that pays more. */
  readonly percentAway: string;
  /** The same in ticks; browsers that kept their settings before there were ticks have none. */
  readonly ticksAway?: string;
  /** In the base asset. */
  readonly maxQty: string;
  /** In the quote asset. */
  readonly maxCost: string;
}

const isWarnings = (value: unknown): value is Warnings =>
  recordOf(isText)(value) && ["percentAway", "maxQty", "maxCost"].every((name) => name in value);

export const theme = stored<Theme>("theme", "dark", oneOf("dark", "light", "system"));
export const palette = stored<Palette>("palette", "blue-orange", oneOf("blue-orange", "green-red", "red-green"));
export const armed = signal(false);
/** Quantity of one-click orders, by symbol. */
export const clickQtys = stored<Record<string, string>>("clickQtys", {}, recordOf(isText));
export const warnings = stored<Warnings>("warnings", { percentAway: "5", maxQty: "", maxCost: "100000" }, isWarnings);
/** Keys by action, where they differ from the page's own. */
export const keys = stored<Record<string, string>>("keys", {}, recordOf(isText));
/** Panels that are folded or resized, by name. */
export const layout = stored<Record<string, string>>("layout", {}, recordOf(isText));
export const isSoundOn = stored("sound", false, isFlag);
/** Trade on the press of a mouse button, or on its release. */
export const actsOnDown = stored("actsOnDown", false, isFlag);
/** Whether arming needs a key or button that is held for a moment. */
export const armsByHold = stored("armsByHold", false, isFlag);
/** Markets that come first in the list. */
export const favourites = stored<Record<string, boolean>>("favourites", {}, recordOf(isFlag));
export const hintsSeen = stored("hintsSeen", false, isFlag);
