// One animation loop for all canvases. It sleeps while nothing changes, and while the page is hidden.
import { bookListeners } from "../../stores/book";
import { tradeListeners } from "../../stores/trades";

export interface Painter {
  /** Whether its picture would differ from the last one. Asked at each frame, and between frames while all is quiet. */
  isChanged(): boolean;
  paint(): void;
}

/** After so many frames without a change no frame is asked for. */
const QUIET_FRAMES = 3;
/** A drawing that waits for its turn is looked at so often, for so long after the last change; then all is still. */
const LOOK_EVERY_MS = 100;
const LOOK_FOR_MS = 1_000;

/**
 * Where frames come late, all drawings rest between two pictures, and the frames between are free for the rest of the
 * page: to compose a picture costs the browser as much as to draw it, however little of it is new.
 */
const LATE_MS = 25;
const REST_STEP_MS = 8;
const REST_MAX_MS = 50;
/** With each frame in time the rest becomes so much shorter. */
const REST_LESS_MS = 0.5;

const painters = new Set<Painter>();
let frame = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
let quietFrames = 0;
let wokenMs = 0;
let framedMs = 0;
let paintedMs = 0;
let restMs = 0;

/** Whether frames come late: what is not a picture of the book shall wait longer, too. */
export const areFramesLate = (): boolean => restMs > REST_MAX_MS / 2;

/** Paints until the returned function is called. */
export function keepPainted(painter: Painter): () => void {
  painters.add(painter);
  wake();
  return () => painters.delete(painter);
}

/** Something may have changed: it is looked at with the next frame. */
export function wake(): void {
  quietFrames = 0;
  if (frame !== 0 || document.hidden || painters.size === 0) return;
  wokenMs = performance.now();
  clearTimeout(timer);
  timer = undefined;
  frame = requestAnimationFrame(run);
}

function run(nowMs: number): void {
  frame = 0;
  adaptRest(nowMs);
  if (nowMs - paintedMs >= restMs) paintChanged(nowMs);
  // A painter that woke the loop has its next frame already.
  if (painters.size === 0 || frame !== 0) return;
  if (quietFrames < QUIET_FRAMES) frame = requestAnimationFrame(run);
  else wait();
}

function paintChanged(nowMs: number): void {
  quietFrames += 1;
  for (const painter of painters) {
    if (!painter.isChanged()) continue;
    painter.paint();
    quietFrames = 0;
    wokenMs = nowMs;
    paintedMs = nowMs;
  }
}

function adaptRest(nowMs: number): void {
  const sinceMs = nowMs - framedMs;
  framedMs = nowMs;
  // The loop itself has slept.
  if (sinceMs > 10 * LATE_MS) return;
  if (sinceMs > LATE_MS) restMs = Math.min(REST_MAX_MS, restMs + REST_STEP_MS);
  else restMs = Math.max(0, restMs - REST_LESS_MS);
}

function look(): void {
  timer = undefined;
  if (document.hidden || painters.size === 0) return;
  if ([...painters].some((painter) => painter.isChanged())) frame = requestAnimationFrame(run);
  else wait();
}

function wait(): void {
  if (performance.now() - wokenMs < LOOK_FOR_MS) timer = setTimeout(look, LOOK_EVERY_MS);
}

bookListeners.add(wake);
tradeListeners.add(wake);

document.addEventListener("visibilitychange", () => {
  if (!document.hidden) {
    wake();
    return;
  }
  cancelAnimationFrame(frame);
  frame = 0;
  clearTimeout(timer);
  timer = undefined;
});
