// One animation loop for all canvases. It sleeps while nothing changes, and while the page is hidden.
import { tradeListeners } from "../../stores/trades";

export interface Painter {
  /** Whether its picture would differ from the last one. Asked at each frame, and between frames while all is quiet. */
  isChanged(): boolean;
  paint(): void;
}

/** After so many frames without a change no frame is asked for, and changes are looked for by a timer instead. */
const QUIET_FRAMES = 3;
/** A frame costs the browser far more than a timer that finds nothing to do. */
const POLL_MS = 16;
/** Once all was quiet for a while even the timer is slow: at 16 ms it was measured at 1 % of a core. */
const SLOW_POLL_MS = 100;
const SLOW_AFTER_MS = 1_000;

const painters = new Set<Painter>();
let frame = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
let quietFrames = 0;
let changedMs = 0;

/** Paints until the returned function is called. */
export function keepPainted(painter: Painter): () => void {
  painters.add(painter);
  wake();
  return () => painters.delete(painter);
}

/** Something may have changed: look at it with the next frame, not with the next look of the timer. */
export function wake(): void {
  quietFrames = 0;
  if (frame !== 0 || document.hidden || painters.size === 0) return;
  clearTimeout(timer);
  timer = undefined;
  frame = requestAnimationFrame(run);
}

function run(): void {
  frame = 0;
  quietFrames += 1;
  for (const painter of painters) {
    if (!painter.isChanged()) continue;
    painter.paint();
    quietFrames = 0;
    changedMs = performance.now();
  }
  // A painter that woke the loop has its next frame already.
  if (painters.size === 0 || frame !== 0) return;
  if (quietFrames < QUIET_FRAMES) frame = requestAnimationFrame(run);
  else wait();
}

function poll(): void {
  timer = undefined;
  if (document.hidden || painters.size === 0) return;
  for (const painter of painters) {
    if (!painter.isChanged()) continue;
    wake();
    return;
  }
  wait();
}

function wait(): void {
  const isSlow = performance.now() - changedMs > SLOW_AFTER_MS;
  timer = setTimeout(poll, isSlow ? SLOW_POLL_MS : POLL_MS);
}

// A trade after a quiet time is not left waiting.
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
