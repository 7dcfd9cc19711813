// A WebSocket that connects again by itself, and knows when it last heard from the venue.
import { type ReadonlySignal, signal } from "@preact/signals";
import { DEAD_AFTER_MS, PROBE_AFTER_MS, STALE_AFTER_MS } from "./freshness";

/** `connecting` also between two attempts. */
export type LinkState = "connecting" | "live" | "stale";

export interface Handlers {
  opened: () => void;
  received: (text: string) => void;
  closed: () => void;
  /** Sends something that the venue answers. */
  probe: () => void;
}

const WAIT_MS = [100, 250, 500, 1_000, 2_000, 4_000];
const CHECK_EVERY_MS = 500;
/** Timers of a tab in the background come once a minute. */
const LATE_MS = 2_000;

export class Link {
  readonly state: ReadonlySignal<LinkState>;
  readonly #state = signal<LinkState>("connecting");
  readonly #path: string;
  readonly #handlers: Handlers;
  #socket: WebSocket | null = null;
  #attempts = 0;
  #heardMs = 0;
  #probedMs = 0;
  #checkedMs = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;

  constructor(path: string, handlers: Handlers) {
    this.#path = path;
    this.#handlers = handlers;
    this.state = this.#state;
  }

  open(): void {
    setInterval(() => this.#check(), CHECK_EVERY_MS);
    // A tab that slept has timers that are late: it looks at once.
    document.addEventListener("visibilitychange", () => this.#wake());
    addEventListener("online", () => this.#wake());
    this.#connect();
  }

  /** Whether the message left: a socket that is not open takes none. */
  send(message: unknown): boolean {
    if (this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(JSON.stringify(message));
    return true;
  }

  /** Ends the connection; the next one begins at once. */
  restart(): void {
    this.#attempts = 0;
    this.#drop();
  }

  #connect(): void {
    clearTimeout(this.#retry);
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(`${scheme}//${location.host}${this.#path}`);
    this.#socket = socket;
    this.#heardMs = performance.now();
    socket.onopen = () => {
      if (this.#socket !== socket) return;
      this.#attempts = 0;
      this.#heard(performance.now());
      this.#handlers.opened();
    };
    socket.onmessage = (event: MessageEvent<string>) => {
      if (this.#socket !== socket) return;
      // To read the clock for each message would cost more than to apply it.
      this.#heard(event.timeStamp);
      this.#handlers.received(event.data);
    };
    socket.onclose = () => {
      if (this.#socket === socket) this.#drop();
    };
  }

  #heard(ms: number): void {
    this.#heardMs = ms;
    if (this.#state.peek() !== "live") this.#state.value = "live";
  }

  #check(): void {
    const nowMs = performance.now();
    // A machine or a tab that slept may have an answer waiting that it has not read yet.
    const isLate = nowMs - this.#checkedMs > LATE_MS;
    this.#checkedMs = nowMs;
    const quietMs = nowMs - this.#heardMs;
    if (this.#socket?.readyState === WebSocket.CONNECTING) {
      if (quietMs > DEAD_AFTER_MS) this.#drop();
    } else if (this.#socket !== null) {
      if (quietMs > STALE_AFTER_MS) this.#state.value = "stale";
      if (quietMs <= PROBE_AFTER_MS) return;
      const isAsked = this.#probedMs > this.#heardMs && !isLate;
      if (!isAsked) {
        this.#probedMs = nowMs;
        this.#handlers.probe();
      } else if (nowMs - this.#probedMs > DEAD_AFTER_MS) {
        this.#drop();
      }
    }
  }

  #wake(): void {
    if (document.visibilityState === "hidden") return;
    this.#check();
    if (this.#socket === null) {
      this.#attempts = 0;
      this.#connect();
    }
  }

  #drop(): void {
    const socket = this.#socket;
    this.#socket = null;
    clearTimeout(this.#retry);
    const wasOpen = socket !== null && socket.readyState !== WebSocket.CONNECTING;
    socket?.close();
    this.#state.value = "connecting";
    if (wasOpen) this.#handlers.closed();
    const most = WAIT_MS[Math.min(this.#attempts, WAIT_MS.length - 1)] ?? 0;
    this.#attempts += 1;
    this.#heardMs = performance.now();
    // All pages of a venue that comes back shall not come in the same moment.
    this.#retry = setTimeout(() => this.#connect(), most * (0.5 + Math.random() / 2));
  }
}
