// States, types and times in words, as every panel of orders writes them.
import type { Order } from "../../stores/types";

export interface StateWords {
  /** Says the same as the text, for the eye. */
  readonly sign: string;
  readonly text: string;
  readonly look: "waiting" | "working" | "good" | "bad" | "ended";
}

export function stateWords(order: Order): StateWords {
  if (order.change === "amending") return { sign: "…", text: "amending", look: "waiting" };
  if (order.change === "canceling") return { sign: "…", text: "canceling", look: "waiting" };
  switch (order.state) {
    case "sent":
      return { sign: "…", text: "sent", look: "waiting" };
    case "unknown":
      return { sign: "?", text: "unknown, asking", look: "bad" };
    case "accepted":
      return { sign: "●", text: "accepted", look: "working" };
    case "pending":
      return { sign: "○", text: "pending", look: "working" };
    case "part-filled":
      return { sign: "◐", text: `part filled ${filledPercent(order)} %`, look: "working" };
    case "filled":
      return { sign: "✓", text: "filled", look: "good" };
    case "canceled":
      return {
        sign: "×",
        text: order.filled > 0n ? `canceled, ${filledPercent(order)} % filled` : "canceled",
        look: "ended",
      };
    case "expired":
      return {
        sign: "×",
        text: order.filled > 0n ? `expired, ${filledPercent(order)} % filled` : "expired",
        look: "ended",
      };
    case "rejected":
      return { sign: "!", text: "rejected", look: "bad" };
  }
}

/** Neither 0 nor 100 while a part is filled and a part is not. */
export function filledPercent({ filled, qty, filledQuote, quoteQty }: Order): string {
  const [done, whole] = qty === null ? [filledQuote, quoteQty ?? 0n] : [filled, qty];
  if (whole === 0n || done === 0n) return "0";
  if (done >= whole) return "100";
  const percent = (done * 100n) / whole;
  return percent === 0n ? "<1" : percent.toString();
}

/** `STOP_LOSS_LIMIT` as `Stop loss limit`. */
export function typeWords(type: string): string {
  const text = type.toLowerCase().replaceAll("_", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `12:03:04.125`, in UTC. */
export const clock = (ms: number): string => new Date(ms).toISOString().slice(11, 23);

/** `2026-12-01 12:03:04.125`, in UTC. */
export const dateAndClock = (ms: number): string => new Date(ms).toISOString().slice(0, 23).replace("T", " ");

/** The time of today's, else the date as well. */
export function shortTime(ms: number, nowMs: number): string {
  const text = dateAndClock(ms);
  return text.slice(0, 10) === dateAndClock(nowMs).slice(0, 10) ? text.slice(11, 19) : text.slice(5, 16);
}
