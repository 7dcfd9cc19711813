// The WebSocket API: requests with answers, and the events of the account that is logged on.
import type { AccountEvent } from "../api/types";
import { Link } from "./socket";

/** What the venue refused, with its code and text. */
export class Refused extends Error {
  readonly code: number;
  readonly reason: string | undefined;
  readonly status: number;
  /** What became of each half of a request that has two. */
  readonly data: unknown;

  constructor(status: number, code: number, text: string, reason?: string, data?: unknown) {
    super(text);
    this.name = "Refused";
    this.status = status;
    this.code = code;
    this.reason = reason;
    this.data = data;
  }
}

/** No answer: whether the request was carried out is not known. */
export class Unanswered extends Error {
  constructor() {
    super("The venue did not answer.");
    this.name = "Unanswered";
  }
}

/** The request did not leave this page. */
export class NotSent extends Error {
  constructor() {
    super("There is no connection to the venue.");
    this.name = "NotSent";
  }
}

export type Params = Readonly<Record<string, string | number | boolean>>;

interface Waiting {
  resolve: (result: unknown) => void;
  reject: (error: Error) => void;
  timer: ReturnType<typeof setTimeout>;
}

interface Answer {
  id?: number | null;
  status?: number;
  result?: unknown;
  error?: { code: number; msg: string; reason?: string; data?: unknown };
  event?: AccountEvent;
}

const TIMEOUT_MS = 5_000;
const waiting = new Map<number, Waiting>();
const openers = new Set<() => void>();
const closers = new Set<() => void>();
let nextId = 1;
let receiveEvent: (event: AccountEvent) => void = () => {};
let loggedOff: () => void = () => {};

export const apiLink = new Link("/ws-api/v3?returnRateLimits=false", {
  opened: () => {
    for (const opened of openers) opened();
  },
  received: (text) => answered(JSON.parse(text) as Answer),
  closed: () => {
    const unanswered = [...waiting.values()];
    waiting.clear();
    for (const { reject, timer } of unanswered) {
      clearTimeout(timer);
      reject(new Unanswered());
    }
    for (const closed of closers) closed();
  },
  // The answer itself is the sign of life.
  probe: () => request("ping").catch(() => {}),
});

/** Called with each new connection, and now if there is one. */
export function whenOpen(opened: () => void): void {
  openers.add(opened);
  if (apiLink.state.peek() !== "connecting") opened();
}

/** Called once, with the next connection; returns how to forget it. */
export function nextOpen(opened: () => void): () => void {
  const once = () => {
    openers.delete(once);
    opened();
  };
  openers.add(once);
  return () => openers.delete(once);
}

export function whenClosed(closed: () => void): void {
  closers.add(closed);
}

/** Events of the account, and the news that the venue has logged the key off. */
export function receiveAccount(event: (event: AccountEvent) => void, offByVenue: () => void): void {
  receiveEvent = event;
  loggedOff = offByVenue;
}

/** The result of a request. Throws `Refused`, `Unanswered` or `NotSent`. */
export function request<T>(method: string, params: Params = {}, timeoutMs = TIMEOUT_MS): Promise<T> {
  return new Promise<unknown>((resolve, reject) => {
    const id = nextId++;
    if (!apiLink.send({ id, method, params })) {
      reject(new NotSent());
      return;
    }
    const timer = setTimeout(() => {
      waiting.delete(id);
      reject(new Unanswered());
    }, timeoutMs);
    waiting.set(id, { resolve, reject, timer });
  }) as Promise<T>;
}

function answered({ id, status = 0, result, error, event }: Answer): void {
  if (event) {
    receiveEvent(event);
  } else if (id === null) {
    // The only answer without a request: the key was revoked or has expired.
    if (status === 401) loggedOff();
  } else if (id !== undefined) {
    const request = waiting.get(id);
    if (!request) return;
    waiting.delete(id);
    clearTimeout(request.timer);
    if (error) request.reject(new Refused(status, error.code, error.msg, error.reason, error.data));
    else request.resolve(result);
  }
}
