import { format, toNumber } from "../../numbers/decimal";
import type { Market } from "../../stores/types";
import type { Colours } from "../../ui/colours";
import type { Point } from "./demandSupply";

const AXIS = 18;
/** Of the names, and of the price at which they cross. */
const LINE = 14;
const TOP = 2 * LINE + 2;

/** Two steps: demand falls with the price, supply rises. */
export function drawCurve(
  canvas: HTMLCanvasElement,
  points: readonly Point[],
  crossingPrice: bigint | null,
  of: Market,
  colours: Colours,
): void {
  const ratio = devicePixelRatio;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d");
  const [first, last] = [points[0], points.at(-1)];
  if (!context || !first || !last || width === 0) return;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.font = `11px ${colours.font}`;
  const number = (price: bigint) => toNumber(price, of.price.decimals);
  const [low, high] = [number(first.price), number(last.price)];
  const most = points.reduce((top, { demand, supply }) => Math.max(top, Number(demand), Number(supply)), 1);
  const plot = { left: 8, right: width - 8, top: TOP, bottom: height - AXIS };
  const x = (price: number) => plot.left + ((price - low) / (high - low || 1)) * (plot.right - plot.left);
  const y = (qty: number) => plot.bottom - (qty / most) * (plot.bottom - plot.top);

  drawSteps(context, points, { x, y, number, bottom: plot.bottom }, "demand", colours.up);
  drawSteps(context, points, { x, y, number, bottom: plot.bottom }, "supply", colours.down);
  context.strokeStyle = colours.line;
  context.beginPath();
  context.moveTo(plot.left, plot.bottom + 0.5);
  context.lineTo(plot.right, plot.bottom + 0.5);
  context.stroke();

  context.textBaseline = "top";
  context.fillStyle = colours.up;
  context.textAlign = "left";
  context.fillText("demand", plot.left, 1);
  context.fillStyle = colours.down;
  context.textAlign = "right";
  context.fillText("supply", plot.right, 1);
  context.fillStyle = colours.dim;
  context.textAlign = "left";
  context.fillText(format(first.price, of.price.decimals), plot.left, plot.bottom + 4);
  context.textAlign = "right";
  context.fillText(format(last.price, of.price.decimals), plot.right, plot.bottom + 4);
  if (crossingPrice !== null) drawCrossing(context, x(number(crossingPrice)), crossingPrice, of, plot, colours);
}

interface Axes {
  x: (price: number) => number;
  y: (qty: number) => number;
  number: (price: bigint) => number;
  bottom: number;
}

function drawSteps(
  context: CanvasRenderingContext2D,
  points: readonly Point[],
  { x, y, number, bottom }: Axes,
  curve: "demand" | "supply",
  colour: string,
): void {
  context.beginPath();
  points.forEach((point, at) => {
    const [px, py] = [x(number(point.price)), y(Number(point[curve]))];
    const before = points[at - 1];
    if (!before) context.moveTo(px, py);
    // Demand at a price reaches down to the price below it, supply up to the one above.
    else if (curve === "demand") context.lineTo(x(number(before.price)), py);
    else context.lineTo(px, y(Number(before[curve])));
    context.lineTo(px, py);
  });
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.stroke();
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) return;
  context.lineTo(x(number(last.price)), bottom);
  context.lineTo(x(number(first.price)), bottom);
  context.fillStyle = `${colour}22`;
  context.fill();
}

function drawCrossing(
  context: CanvasRenderingContext2D,
  at: number,
  price: bigint,
  of: Market,
  plot: { left: number; right: number; top: number; bottom: number },
  colours: Colours,
): void {
  if (at < plot.left || at > plot.right) return;
  context.strokeStyle = colours.text;
  context.lineWidth = 1;
  context.setLineDash([4, 3]);
  context.beginPath();
  context.moveTo(Math.round(at) + 0.5, plot.top);
  context.lineTo(Math.round(at) + 0.5, plot.bottom);
  context.stroke();
  context.setLineDash([]);
  const text = format(price, of.price.decimals);
  const half = context.measureText(text).width / 2;
  context.fillStyle = colours.text;
  context.textAlign = "center";
  context.textBaseline = "top";
  context.fillText(text, Math.min(Math.max(at, plot.left + half), plot.right - half), 1 + LINE);
}
