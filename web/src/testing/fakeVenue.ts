// The venue's end of the page's two connections, for tests of the stores: a script of messages in both directions.
import { vi } from "vitest";

export interface Asked {
  readonly id: number;
  readonly method: string;
  readonly params: Record<string, unknown>;
}

type Respond = (asked: Asked) => unknown;

/** Answered with an error of the venue. */
export class VenueError {
  constructor(
    readonly code: number,
    readonly msg: string,
    readonly status = 400,
    readonly reason?: string,
    readonly data?: unknown,
  ) {}
}

/** No answer at all. */
export const SILENCE = Symbol("silence");

export const SYMBOL = {
  symbol: "BTCUSDT",
  status: "TRADING",
  baseAsset: "BTC",
  quoteAsset: "USDT",
  baseAssetPrecision: 8,
  quoteAssetPrecision: 8,
  orderTypes: ["LIMIT", "MARKET"],
  extendedOrderTypes: [],
  timesInForce: ["GTC", "IOC", "FOK"],
  filters: [
    { filterType: "PRICE_FILTER", minPrice: "0.01", maxPrice: "1000000.00", tickSize: "0.01" },
    { filterType: "LOT_SIZE", minQty: "0.00001", maxQty: "9000.00000", stepSize: "0.00001" },
    { filterType: "NOTIONAL", minNotional: "1.00000000" },
  ],
};

export class FakeVenue {
  readonly asked: Asked[] = [];
  isReachable = true;
  /** Receives, and sends nothing: neither answers nor events. */
  isSilent = false;
  /** Streams whose SUBSCRIBE is refused. */
  readonly refused = new Set<string>();
  /** Connections that were ever opened. */
  opened = 0;
  readonly #responders = new Map<string, Respond>();
  readonly #sockets = new Set<FakeSocket>();

  constructor() {
    const answers: Record<string, unknown> = {
      ping: {},
      exchangeInfo: { symbols: [SYMBOL] },
      "ticker.24hr": [],
      depth: { lastUpdateId: 10, bids: [["100.00", "1"]], asks: [["101.00", "2"]] },
      "trades.recent": [],
      klines: [],
      "session.logon": {},
      "session.logout": {},
      "userDataStream.subscribe": { subscriptionId: 0 },
      "account.status": { balances: [], commissionRates: { maker: "0.001", taker: "0.001" } },
      "openOrders.status": [],
      "openOrderLists.status": [],
      myTrades: [],
    };
    for (const [method, answer] of Object.entries(answers)) this.answer(method, () => answer);
    this.answer("time", () => ({ serverTime: Date.now() }));
  }

  answer(method: string, respond: Respond): void {
    this.#responders.set(method, respond);
  }

  /** To all who follow a stream. */
  publish(stream: string, data: unknown): void {
    for (const socket of this.#sockets) if (socket.streams.has(stream)) socket.deliver({ stream, data });
  }

  /** To the account that is logged on. */
  event(event: Record<string, unknown>): void {
    for (const socket of this.#sockets) if (socket.isApi) socket.deliver({ subscriptionId: 0, event });
  }

  /** All connections break. */
  cut(): void {
    for (const socket of [...this.#sockets]) socket.close();
  }

  asks(method: string): Asked[] {
    return this.asked.filter((asked) => asked.method === method);
  }

  accept(socket: FakeSocket): void {
    this.#sockets.add(socket);
    this.opened += 1;
  }

  leave(socket: FakeSocket): void {
    this.#sockets.delete(socket);
  }

  received(socket: FakeSocket, text: string): void {
    const asked = { params: {}, ...(JSON.parse(text) as object) } as Asked;
    this.asked.push(asked);
    const { id, method } = asked;
    if (!socket.isApi) {
      const names = asked.params as unknown as string[];
      if (method === "SUBSCRIBE") {
        if (names.some((name) => this.refused.has(name))) {
          socket.deliver({ code: 2, msg: "Invalid request", id });
          return;
        }
        for (const name of names) socket.streams.add(name);
      }
      if (method === "UNSUBSCRIBE") for (const name of names) socket.streams.delete(name);
      socket.deliver({ id, result: null });
      return;
    }
    const result = this.#responders.get(method)?.(asked) ?? new VenueError(-1000, `no answer for ${method}`);
    if (result === SILENCE) return;
    if (result instanceof VenueError) {
      const { status, code, msg, reason, data } = result;
      socket.deliver({ id, status, error: { code, msg, reason, data } });
    } else {
      socket.deliver({ id, status: 200, result });
    }
  }
}

export class FakeSocket {
  static readonly CONNECTING = 0;
  static readonly OPEN = 1;
  static venue: FakeVenue;
  readonly streams = new Set<string>();
  readonly isApi: boolean;
  readyState = 0;
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string; timeStamp: number }) => void) | null = null;
  onclose: (() => void) | null = null;
  readonly #venue = FakeSocket.venue;

  constructor(url: string) {
    this.isApi = url.includes("/ws-api/");
    queueMicrotask(() => {
      if (!this.#venue.isReachable) {
        this.close();
        return;
      }
      this.readyState = 1;
      this.#venue.accept(this);
      this.onopen?.();
    });
  }

  send(text: string): void {
    queueMicrotask(() => this.readyState === 1 && this.#venue.received(this, text));
  }

  deliver(message: unknown): void {
    if (this.#venue.isSilent) return;
    queueMicrotask(() => this.readyState === 1 && this.onmessage?.(sent(message)));
  }

  close(): void {
    if (this.readyState === 3) return;
    this.readyState = 3;
    this.#venue.leave(this);
    queueMicrotask(() => this.onclose?.());
  }
}

/** A window's end of a channel to the other windows of its browser. */
export class FakeChannel {
  static readonly all: FakeChannel[] = [];
  readonly posted: unknown[] = [];
  onmessage: ((event: { data: unknown }) => void) | null = null;

  constructor() {
    FakeChannel.all.push(this);
  }

  postMessage(data: unknown): void {
    this.posted.push(data);
  }
}

/** A browser with just enough of itself, and a venue behind it; to be called before the stores are imported. */
export function openFakeVenue(): FakeVenue {
  vi.useFakeTimers({ toFake: ["setTimeout", "setInterval", "clearTimeout", "clearInterval", "Date", "performance"] });
  vi.resetModules();
  const venue = new FakeVenue();
  FakeSocket.venue = venue;
  const stored = new Map<string, string>();
  vi.stubGlobal("WebSocket", FakeSocket);
  vi.stubGlobal("location", { protocol: "http:", host: "venue", hash: "", pathname: "/", search: "", reload: vi.fn() });
  vi.stubGlobal("localStorage", {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, text: string) => stored.set(name, text),
  });
  vi.stubGlobal("document", { hidden: false, visibilityState: "visible", addEventListener: () => {}, title: "" });
  vi.stubGlobal("addEventListener", () => {});
  FakeChannel.all.length = 0;
  vi.stubGlobal("BroadcastChannel", FakeChannel);
  return venue;
}

/** Lets timers and messages of so many milliseconds happen. */
export const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

const sent = (message: unknown) => ({ data: JSON.stringify(message), timeStamp: performance.now() });
