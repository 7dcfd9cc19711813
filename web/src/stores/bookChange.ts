// Changes of a book, read from the text of the venue's message. A busy market sends thousands a second: to parse each as
// JSON cost more than all that follows.
import type { DepthRow, DepthUpdate } from "../api/types";
import { plainUnits, units } from "../numbers/decimal";
import type { Level, Market } from "./types";

export interface BookChange {
  /** The venue's time. */
  readonly E: number;
  /** First and last update of the message. */
  readonly U: number;
  readonly u: number;
  /** A quantity of zero: there is no such level any more. */
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
}

/** JSON's numbers have more forms, and its texts more characters: those are read the slow way. */
const NUMBER = "((?:0|[1-9]\\d*)(?:\\.\\d+)?)";
const HEAD = new RegExp(`{"e":"depthUpdate","E":${NUMBER},"s":"\\w+","U":${NUMBER},"u":${NUMBER},"b":\\[`, "y");
const BETWEEN = ',"a":[';
const [QUOTE, COMMA, BEGIN, END, CLOSE] = [...'",[]}'].map((sign) => sign.charCodeAt(0));

export function readChange(text: string, of: Market): BookChange {
  return scanned(text, of) ?? changeOf(JSON.parse(text) as DepthUpdate, of);
}

export const levelsOf = (rows: readonly DepthRow[], of: Market): Level[] =>
  rows.map(([price, qty]) => ({ price: units(price, of.price.decimals), qty: units(qty, of.qty.decimals) }));

const changeOf = ({ E, U, u, b, a }: DepthUpdate, of: Market): BookChange => ({
  E,
  U,
  u,
  bids: levelsOf(b, of),
  asks: levelsOf(a, of),
});

/** The shape in which the venue writes them; `null` for any other one. */
function scanned(text: string, of: Market): BookChange | null {
  HEAD.lastIndex = 0;
  const head = HEAD.exec(text);
  if (head === null) return null;
  const [bids, asks]: [Level[], Level[]] = [[], []];
  const between = scanLevels(text, HEAD.lastIndex, of, bids);
  if (!text.startsWith(BETWEEN, between)) return null;
  const end = scanLevels(text, between + BETWEEN.length, of, asks);
  if (end !== text.length - 1 || text.charCodeAt(end) !== CLOSE) return null;
  return { E: Number(head[1]), U: Number(head[2]), u: Number(head[3]), bids, asks };
}

/** Reads `["60120.50","0.5"],["60120.00","0"]]`; returns where it ends, or -1. */
function scanLevels(text: string, from: number, { price, qty }: Market, into: Level[]): number {
  if (text.charCodeAt(from) === END) return from + 1;
  for (let at = from; text.charCodeAt(at) === BEGIN && text.charCodeAt(at + 1) === QUOTE; at += 1) {
    const priceEnd = text.indexOf('"', at + 2);
    const priceUnits = plainUnits(text, price.decimals, at + 2, priceEnd);
    if (text.charCodeAt(priceEnd + 1) !== COMMA || text.charCodeAt(priceEnd + 2) !== QUOTE) return -1;
    const qtyEnd = text.indexOf('"', priceEnd + 3);
    const qtyUnits = plainUnits(text, qty.decimals, priceEnd + 3, qtyEnd);
    if (priceUnits < 0 || qtyUnits < 0 || text.charCodeAt(qtyEnd + 1) !== END) return -1;
    into.push({ price: BigInt(priceUnits), qty: BigInt(qtyUnits) });
    at = qtyEnd + 2;
    const next = text.charCodeAt(at);
    if (next === END) return at + 1;
    if (next !== COMMA) return -1;
  }
  return -1;
}
