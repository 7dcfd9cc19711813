import { signal } from "@preact/signals";
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { Draft, Freshness, Level, Market, Order } from "../../stores/types";

const sent: { placed: Draft[]; canceled: string[]; amended: [string, bigint][] } = {
  placed: [],
  canceled: [],
  amended: [],
};
const freshness = signal<Freshness>("live");
const known = new Map<string, Order>();
const book = {
  market: { symbol: "BTCUSDT" },
  bids: [{ price: 9_990n, qty: 1_000n }] as Level[],
  asks: [{ price: 10_000n, qty: 1_000n }] as Level[],
  lastTradePrice: 10_000n,
};

vi.mock("../../stores/book", () => ({ book, bookFreshness: freshness }));
vi.mock("../../stores/balances", () => ({ balances: signal(new Map()) }));
vi.mock("../../stores/orders", () => ({ orderByKey: (key: string) => known.get(key) }));
vi.mock("../../stores/act", () => ({
  place: async (draft: Draft) => {
    sent.placed.push(draft);
    return { ok: true };
  },
  cancel: async ({ key }: Order) => {
    sent.canceled.push(key);
    return { ok: false, sentence: "It was filled." };
  },
  amend: async ({ key }: Order, { price }: { price: bigint }) => {
    sent.amended.push([key, price]);
    return { ok: true };
  },
}));

const { armed, clickQtys, warnings } = await import("../../stores/settings");
const { ticket } = await import("../../stores/ticketDraft");
const { cancelCapsule, drop, placeAt, placeMarket } = await import("./intents");
const { capsulesOf } = await import("./orders");

const market = {
  symbol: "BTCUSDT",
  base: "BTC",
  phase: "Continuous",
  quote: "USDT",
  price: { decimals: 2, step: 1n, min: 1n, max: 1_000_000n },
  qty: { decimals: 3, step: 1n, min: 1n, max: 0n },
  baseDecimals: 8,
  quoteDecimals: 8,
  filters: [] as Market["filters"],
} as Market;

function order(key: string, rest: Partial<Order> = {}): Order {
  const made = {
    key,
    side: "BUY",
    type: "LIMIT",
    price: 9_000n,
    qty: 10n,
    filled: 0n,
    ahead: null,
    state: "accepted",
    change: null,
    ...rest,
  } as Order;
  known.set(key, made);
  return made;
}

const capsule = (...orders: Order[]) => {
  const [made] = capsulesOf(orders, () => 3, new Map(), null);
  if (made === undefined) throw new Error("no capsule");
  return made;
};

let said: string[] = [];
const say = (sentence: string): number => said.push(sentence);
const settle = () => new Promise((resolve) => setTimeout(resolve));

beforeEach(() => {
  said = [];
  known.clear();
  for (const list of Object.values(sent)) list.length = 0;
  freshness.value = "live";
  armed.value = true;
  clickQtys.value = { BTCUSDT: "0.5" };
  warnings.value = { percentAway: "5", maxQty: "", maxCost: "" };
  ticket.type.value = "LIMIT";
  ticket.price.value = "";
});

describe("a click on a price", () => {
  test("places a limit order and says what came of it", async () => {
    placeAt(market, "BUY", 9_990n, say);
    await settle();
    const params = { price: "99.90", quantity: "0.500", timeInForce: "GTC" };
    expect(sent.placed).toEqual([{ symbol: "BTCUSDT", side: "BUY", type: "LIMIT", params }]);
    expect(said).toEqual(["Buy 0.500 at 99.90: sent.", "Buy 0.500 at 99.90: accepted."]);
  });

  test.each([
    ["is not armed", () => (armed.value = false), "Not armed. The ticket has sell at 99.90 now."],
    [
      "has no quantity",
      () => (clickQtys.value = {}),
      "Set the quantity of one click first. The ticket has sell at 99.90 now.",
    ],
    [
      "is above a bound",
      () => (warnings.value = { percentAway: "", maxQty: "0.4", maxCost: "" }),
      "0.5 BTC is more than your bound of 0.4. The ticket has sell at 99.90 now.",
    ],
  ])("that %s only fills the ticket", (_name, prepare, sentence) => {
    prepare();
    ticket.type.value = "MARKET";
    placeAt(market, "SELL", 9_990n, say);
    expect(sent.placed).toEqual([]);
    expect(said).toEqual([sentence]);
    expect([ticket.type.value, ticket.side.value, ticket.price.value]).toEqual(["LIMIT", "SELL", "99.9"]);
  });

  test.each(["stale", "catching-up"] as const)("does nothing while the book is %s", (state) => {
    freshness.value = state;
    placeAt(market, "BUY", 9_990n, say);
    placeMarket(market, "BUY", say);
    cancelCapsule(capsule(order("a")), say);
    expect(sent).toEqual({ placed: [], canceled: [], amended: [] });
    expect(new Set(said)).toEqual(new Set(["The book is not live: nothing is sent from here."]));
    expect(ticket.price.value).toBe("");
  });

  test("outside of the market's prices is refused", () => {
    placeAt(market, "BUY", 0n, say);
    placeAt(market, "BUY", 1_000_001n, say);
    expect(sent.placed).toEqual([]);
    expect(said).toEqual(["0.00 is not a price of this market.", "10000.01 is not a price of this market."]);
  });
});

test("a market order that would take the whole book goes to the ticket", () => {
  clickQtys.value = { BTCUSDT: "2" };
  placeMarket(market, "BUY", say);
  expect(sent.placed).toEqual([]);
  expect(ticket.type.value).toBe("MARKET");
  expect(said[0]).toContain("The book has 1 BTC only");
});

describe("a click on own orders", () => {
  test("cancels all that are open, and says why one was not", async () => {
    cancelCapsule(capsule(order("a"), order("b", { state: "filled" }), order("c")), say);
    await settle();
    expect(sent.canceled.toSorted()).toEqual(["a", "c"]);
    expect(said.at(-1)).toBe("Cancel: It was filled.");
  });

  test("that are over sends nothing", () => {
    cancelCapsule(capsule(order("a", { state: "canceled" })), say);
    expect(sent.canceled).toEqual([]);
    expect(said).toEqual(["The order under the pointer is over already: nothing was sent."]);
  });

  test("needs the arm switch", () => {
    armed.value = false;
    cancelCapsule(capsule(order("a")), say);
    expect(sent.canceled).toEqual([]);
  });
});

describe("a drag", () => {
  const moved: [string, bigint][] = [];
  const view = {
    model: { priceOf: (row: number) => 9_000n - BigInt(row) },
    moving: async ({ key }: Order, price: bigint) => void moved.push([key, price]),
  } as unknown as Parameters<typeof drop>[0];

  test("amends each open order to the price of the row", async () => {
    drop(view, market, { capsule: capsule(order("a"), order("b", { state: "canceled" })), row: 5 }, say);
    await settle();
    expect(sent.amended).toEqual([["a", 8_995n]]);
    expect(moved).toEqual([["a", 8_995n]]);
    expect(said.at(-1)).toBe("Move to 89.95: accepted.");
  });

  test("back to its row does nothing", () => {
    drop(view, market, { capsule: capsule(order("a")), row: 3 }, say);
    expect(sent.amended).toEqual([]);
    expect(said).toEqual([]);
  });

  test("of an order that waits for its trigger is refused", () => {
    const waiting = order("a", { state: "pending", stopPrice: 9_500n });
    drop(view, market, { capsule: capsule(waiting), row: 5 }, say);
    expect(sent.amended).toEqual([]);
    expect(said).toEqual(["An order that waits for its trigger is changed in the open orders."]);
  });

  test("needs the arm switch", () => {
    armed.value = false;
    drop(view, market, { capsule: capsule(order("a")), row: 5 }, say);
    expect(sent.amended).toEqual([]);
  });
});
