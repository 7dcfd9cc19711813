// What each phase of a market means for an order, in words.
import type { Phase } from "../../stores/types";

export interface PhaseWords {
  readonly title: string;
  /** What happens to orders meanwhile. */
  readonly text: string;
  readonly look: "plain" | "auction" | "stopped";
}

export const PHASES: Readonly<Record<Phase, PhaseWords>> = {
  PreOpen: {
    title: "Before the opening",
    text: "Orders are collected and may be amended and canceled. None trades yet.",
    look: "auction",
  },
  OpeningAuction: {
    title: "Opening auction",
    text: "Orders are collected. At its end all that cross trade at one price.",
    look: "auction",
  },
  Continuous: { title: "Trading", text: "Orders trade as they come.", look: "plain" },
  VolatilityAuction: {
    title: "Volatility auction",
    text: "A trade would have left the price band, so trading pauses. Orders are collected and trade at one price at its end.",
    look: "auction",
  },
  ClosingAuction: {
    title: "Closing auction",
    text: "Orders are collected. At its end all that cross trade at one price, the closing price.",
    look: "auction",
  },
  Halt: { title: "Halted", text: "The operator has stopped trading. Orders may be canceled.", look: "stopped" },
  Closed: { title: "Closed", text: "The market is closed. Orders may be canceled.", look: "stopped" },
  Delisted: { title: "Delisted", text: "This market has ended and takes no orders.", look: "stopped" },
};

export function isAuction(phase: Phase): boolean {
  return PHASES[phase].look === "auction";
}

/** `4:05`, `1:04:05`, or `3 d 4 h`: what is left until a phase ends. */
export function countdown(leftMs: number): string {
  const seconds = Math.max(0, Math.ceil(leftMs / 1_000));
  const days = Math.floor(seconds / 86_400);
  const hours = Math.floor((seconds % 86_400) / 3_600);
  if (days > 0) return `${days} d ${hours} h`;
  const minutes = Math.floor((seconds % 3_600) / 60);
  const two = (value: number) => value.toString().padStart(2, "0");
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}
