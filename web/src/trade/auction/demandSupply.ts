// Cumulative demand and supply of an auction's book.
import type { Level } from "../../stores/types";

export interface Point {
  readonly price: bigint;
  /** Quantity of bids at this price or above. */
  readonly demand: bigint;
  /** Quantity of asks at this price or below. */
  readonly supply: bigint;
}

export interface Crossing {
  readonly price: bigint;
  readonly qty: bigint;
}

/** One point for each price at which an order rests, lowest first. Bids and asks come best first. */
export function curve(bids: readonly Level[], asks: readonly Level[]): Point[] {
  const demandAt = new Map(bids.map(({ price, qty }) => [price, qty]));
  const supplyAt = new Map(asks.map(({ price, qty }) => [price, qty]));
  const prices = [...new Set([...demandAt.keys(), ...supplyAt.keys()])].sort((a, b) => (a < b ? -1 : 1));
  let demand = bids.reduce((sum, { qty }) => sum + qty, 0n);
  let supply = 0n;
  return prices.map((price) => {
    supply += supplyAt.get(price) ?? 0n;
    const point = { price, demand, supply };
    demand -= demandAt.get(price) ?? 0n;
    return point;
  });
}

/**
 * The price at which the most trades, by orders with a limit alone; among equals the one with the smallest surplus,
 * then the lowest. `null` while nothing would trade. The venue's indicative price also knows market orders and its
 * reference price: it goes before this one.
 */
export function crossing(points: readonly Point[]): Crossing | null {
  let best: Crossing | null = null;
  let bestSurplus = 0n;
  for (const { price, demand, supply } of points) {
    const surplus = demand > supply ? demand - supply : supply - demand;
    const qty = (demand + supply - surplus) / 2n;
    if (qty === 0n || (best && (qty < best.qty || (qty === best.qty && surplus >= bestSurplus)))) continue;
    best = { price, qty };
    bestSurplus = surplus;
  }
  return best;
}

/** So many times as far from the middle as half of the prices are. */
const FAR = 5n;

/** The points near `middle`, or near the middle one: a price far away would press all others together. */
export function around(points: readonly Point[], middle: bigint | null): readonly Point[] {
  const centre = middle ?? points[Math.floor(points.length / 2)]?.price;
  if (centre === undefined) return points;
  const distance = ({ price }: Point) => (price > centre ? price - centre : centre - price);
  const median = points.map(distance).sort((a, b) => (a < b ? -1 : 1))[Math.floor(points.length / 2)] ?? 0n;
  const kept = points.filter((point) => distance(point) <= FAR * median);
  return kept.length >= 2 ? kept : points;
}
