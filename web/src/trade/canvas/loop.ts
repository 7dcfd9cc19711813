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

/** Of a frame, for drawing: the browser's own part of it is as large. */
const FRAME_PART_MS = 3;

const painters = new Set<Painter>();
let frame = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
let quietFrames = 0;
let wokenMs = 0;

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
  quietFrames += 1;
  // On a slow machine the painters take turns, and there is a frame in time.
  const until = performance.now() + FRAME_PART_MS;
  for (const painter of [...painters]) {
    if (!painter.isChanged()) continue;
    painter.paint();
    quietFrames = 0;
    wokenMs = nowMs;
    // The last one to be looked at in the next frame.
    if (painters.delete(painter)) painters.add(painter);
    if (performance.now() > until) break;
  }
  // A painter that woke the loop has its next frame already.
  if (painters.size === 0 || frame !== 0) return;
  if (quietFrames < QUIET_FRAMES) frame = requestAnimationFrame(run);
  else wait();
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
