// Draws the sparklines of all visible rows on one canvas.
import type { Colours } from "../../ui/colours";

export interface Spark {
  /** The cell that it fills, in pixels of the canvas. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly points: readonly number[];
  readonly isUp: boolean;
}

const MARGIN = 4;

export function drawSparks(canvas: HTMLCanvasElement, sparks: readonly Spark[], colours: Colours): void {
  const ratio = devicePixelRatio;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
  if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d");
  if (!context) return;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.lineWidth = 1.25;
  context.lineJoin = "round";
  for (const spark of sparks) drawSpark(context, spark, colours);
}

function drawSpark(context: CanvasRenderingContext2D, spark: Spark, colours: Colours): void {
  const { x, y, width, height, points, isUp } = spark;
  const lowest = Math.min(...points);
  const range = Math.max(...points) - lowest;
  const step = width / Math.max(points.length - 1, 1);
  const inner = height - 2 * MARGIN;
  const top = (point: number) => y + MARGIN + (range === 0 ? inner / 2 : inner * (1 - (point - lowest) / range));
  context.strokeStyle = isUp ? colours.up : colours.down;
  context.beginPath();
  context.moveTo(x, top(points[0] ?? 0));
  if (points.length === 1) context.lineTo(x + width, top(points[0] ?? 0));
  for (let at = 1; at < points.length; at += 1) context.lineTo(x + at * step, top(points[at] ?? 0));
  context.stroke();
}
