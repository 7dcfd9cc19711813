import type { Freshness } from "./types";

const WORST: readonly Freshness[] = ["live", "catching-up", "stale"];

export const FRESHNESS_WORDS: Readonly<Record<Freshness, string>> = {
  live: "live",
  "catching-up": "catching up",
  stale: "no sign of life",
};

export const worstOf = (...all: readonly Freshness[]): Freshness =>
  all.reduce((worst, next) => (WORST.indexOf(next) > WORST.indexOf(worst) ? next : worst), "live");
