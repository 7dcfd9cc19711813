import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { FakeChannel, type FakeVenue, openFakeVenue, pass, SILENCE, VenueError } from "../testing/fakeVenue";
import type { Draft, Order } from "./types";

const KEY = { apiKey: "key", pair: {}, user: "alice", account: "alice", role: "trader", expiresMs: 9e15 };
const LIMIT: Draft = {
  symbol: "BTCUSDT",
  side: "BUY",
  type: "LIMIT",
  params: { timeInForce: "GTC", price: "100.00", quantity: "2" },
};

let venue: FakeVenue;
let forgotten: string[] = [];
/** What was asked of the page's own part of the venue, in order. */
let requested: string[] = [];
/** The venue answers a sign-out after this. */
let signedOut: Promise<void>;

beforeEach(() => {
  venue = openFakeVenue();
  forgotten = [];
  requested = [];
  signedOut = Promise.resolve();
  // The browser's own parts: its database, its signatures, its cookie.
  vi.doMock("../connection/key", () => ({
    canHoldKeys: () => true,
    load: async () => KEY,
    save: async () => {},
    forget: async (apiKey: string) => void forgotten.push(apiKey),
    sign: async () => "signed",
    generate: async () => ({ pair: {}, publicKey: "public" }),
  }));
  vi.doMock("../connection/web", () => ({
    readSession: async () => ({ signedIn: true, demo: true }),
    signOut: async () => {
      requested.push("sign out");
      await signedOut;
    },
    signIn: async ({ user }: { user: string }) => {
      requested.push(`sign in ${user}`);
      return { user, account: user, role: "trader" };
    },
    registerKey: async () => {
      requested.push("register");
      return { apiKey: "second key", expiresAt: 0 };
    },
  }));
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

async function signIn() {
  const [{ followVenue }, orders, fills, balances, actions, account, notices, session, settings, lists] =
    await Promise.all([
      import("./follow"),
      import("./orders"),
      import("./fills"),
      import("./balances"),
      import("./actions"),
      import("./account"),
      import("./notices"),
      import("./session"),
      import("./settings"),
      import("./lists"),
    ]);
  followVenue();
  await pass(20);
  const states = () => orders.openOrders.value.map(({ clientOrderId, state }) => `${clientOrderId} ${state}`);
  const ended = () => orders.recentOrders.value.map(({ state, reason }) => [state, reason]);
  const texts = () => notices.notices.value.map(({ text }) => text);
  return {
    ...orders,
    ...fills,
    ...balances,
    ...actions,
    ...account,
    ...session,
    ...notices,
    ...settings,
    ...lists,
    states,
    ended,
    texts,
  };
}

const LIST = {
  symbol: "BTCUSDT",
  orderListId: 3,
  contingencyType: "OCO",
  listOrderStatus: "EXECUTING",
  listStatusType: "EXEC_STARTED",
  transactionTime: 1,
  orders: [],
};

/** An order as the API answers it. */
const order = (orderId: number, of: Record<string, unknown> = {}) => ({
  symbol: "BTCUSDT",
  orderId,
  orderListId: -1,
  clientOrderId: `c${orderId}`,
  price: "100.00",
  origQty: "2",
  executedQty: "0",
  cummulativeQuoteQty: "0",
  status: "NEW",
  timeInForce: "GTC",
  type: "LIMIT",
  side: "BUY",
  isWorking: true,
  stopPrice: "0.00",
  icebergQty: "0.00000",
  selfTradePreventionMode: "NONE",
  time: 1,
  updateTime: 1,
  ...of,
});

/** An executionReport. */
const report = (seq: number, i: number, of: Record<string, unknown> = {}) => ({
  e: "executionReport",
  seq,
  ...{
    s: "BTCUSDT",
    i,
    c: `c${i}`,
    C: "",
    S: "BUY",
    o: "LIMIT",
    f: "GTC",
    q: "2",
    p: "100.00",
    P: "0",
    F: "0",
    Q: "0",
  },
  ...{
    g: -1,
    x: "NEW",
    X: "NEW",
    r: "NONE",
    l: "0",
    L: "0",
    Y: "0",
    z: "0",
    Z: "0",
    n: "0",
    N: null,
    T: 2,
    t: -1,
    m: true,
    O: 1,
  },
  ...of,
});

const fill = (seq: number, i: number, t: number, z: string, X: string) =>
  report(seq, i, { x: "TRADE", X, t, l: "1", L: "100.00", Y: "100.00", z, Z: "100.00", n: "0.001", N: "BTC" });

test("orders of a snapshot and of events are shown, each fill once", async () => {
  venue.answer("openOrders.status", () => [order(1)]);
  const page = await signIn();
  expect(page.session.value?.account).toBe("alice");
  expect(page.states()).toEqual(["c1 accepted"]);
  venue.event(report(1, 2));
  venue.event(fill(2, 1, 7, "1", "PARTIALLY_FILLED"));
  await pass(1);
  expect(page.states()).toEqual(["c2 accepted", "c1 part-filled"]);
  venue.event(fill(3, 1, 8, "2", "FILLED"));
  // The same again, as after a reconnect.
  venue.event(fill(3, 1, 8, "2", "FILLED"));
  await pass(1);
  expect(page.states()).toEqual(["c2 accepted"]);
  expect(page.ended()).toEqual([["filled", null]]);
  expect(page.fills.value.map(({ tradeId }) => tradeId)).toEqual([8, 7]);
});

test("after a broken connection the page goes on with the next event, and says how many it missed", async () => {
  const page = await signIn();
  venue.event(report(41, 1));
  await pass(1);
  venue.answer("openOrders.status", () => [order(1, { status: "PARTIALLY_FILLED", executedQty: "1" })]);
  venue.answer("userDataStream.subscribe", ({ params }) => {
    expect(params).toEqual({ fromSeq: 42 });
    venue.event(fill(42, 1, 7, "1", "PARTIALLY_FILLED"));
    venue.event({ e: "balanceUpdate", seq: 43, a: "BTC", d: "1" });
    return { subscriptionId: 0 };
  });
  venue.cut();
  await pass(1_000);
  expect(page.states()).toEqual(["c1 part-filled"]);
  expect(page.fills.value.map(({ tradeId }) => tradeId)).toEqual([7]);
  expect(page.texts()).toContain("2 events of the account caught up.");
  expect(page.accountFreshness.value).toBe("live");
});

test("events that are no longer kept are read anew, in a sentence", async () => {
  const page = await signIn();
  venue.event(report(41, 1));
  await pass(1);
  venue.answer("userDataStream.subscribe", ({ params }) =>
    "fromSeq" in params ? new VenueError(-1130, "not kept") : { subscriptionId: 1 },
  );
  venue.cut();
  await pass(1_000);
  expect(page.states(), "the venue has no open order").toEqual([]);
  expect(page.texts()).toContain(
    "Events of the account after number 41 are no longer kept: orders and balances are read anew.",
  );
});

test("an order is sent, then accepted", async () => {
  const page = await signIn();
  venue.answer("order.place", ({ params }) => order(5, { clientOrderId: params.newClientOrderId }));
  const placed = page.place(LIMIT);
  expect(
    page.ordersOf({}).map(({ state }) => state),
    "known at once",
  ).toEqual(["sent"]);
  await pass(1);
  expect(await placed).toEqual({ ok: true });
  expect(page.openOrders.value.map(({ state, orderId }) => [state, orderId])).toEqual([["accepted", 5]]);
  expect(page.lastSentOrder.value?.orderId).toBe(5);
});

test("an order that is not answered at once is shown as sent", async () => {
  const page = await signIn();
  venue.answer("order.place", () => SILENCE);
  void page.place(LIMIT);
  await pass(100);
  expect(page.openOrders.value.map(({ state }) => state)).toEqual(["sent"]);
  expect(page.lastSentOrder.value?.state).toBe("sent");
});

test("a refusal is a sentence with the rule and its limit", async () => {
  const page = await signIn();
  venue.answer("order.place", () => new VenueError(-1013, "Filter failure: NOTIONAL"));
  const placed = page.place(LIMIT);
  await pass(1);
  const sentence = "Price times quantity must be at least 1 USDT.";
  expect(await placed).toEqual({ ok: false, sentence, reason: undefined, code: -1013 });
  expect(page.states()).toEqual([]);
  expect(page.ended()).toEqual([["rejected", sentence]]);
});

test("an acknowledgement that never comes: unknown, then found out", async () => {
  const page = await signIn();
  venue.answer("order.place", () => SILENCE);
  venue.answer("order.status", ({ params }) => order(6, { clientOrderId: params.origClientOrderId }));
  const placed = page.place(LIMIT);
  await pass(5_001);
  expect(page.openOrders.value.map(({ state }) => state)).toEqual(["unknown"]);
  expect((await placed).ok).toBe(false);
  await pass(1_000);
  expect(page.openOrders.value.map(({ state, orderId }) => [state, orderId])).toEqual([["accepted", 6]]);
});

test("an order is given up after 15 s without a trace, and sent again under its own name", async () => {
  const page = await signIn();
  venue.answer("order.place", () => SILENCE);
  venue.answer("order.status", () => new VenueError(-2013, "Order does not exist."));
  const placed = page.place(LIMIT);
  venue.cut();
  await pass(14_000);
  expect((await placed).ok).toBe(false);
  expect(
    page.openOrders.value.map(({ state }) => state),
    "it may still be on its way",
  ).toEqual(["unknown"]);
  await pass(3_000);
  expect(page.ended()).toEqual([["rejected", "It never reached the venue."]]);
  const name = page.recentOrders.value[0]?.clientOrderId;
  venue.answer("order.place", ({ params }) => order(7, { clientOrderId: params.newClientOrderId }));
  page.takeFix(page.notices.value.find(({ fix }) => fix)?.id ?? 0);
  await pass(10);
  expect(page.openOrders.value.map(({ orderId }) => orderId)).toEqual([7]);
  expect(page.openOrders.value[0]?.clientOrderId).toBe(name);
  expect(page.ended()).toEqual([]);
});

test("an order that had arrived after all is found when it is sent again", async () => {
  const page = await signIn();
  venue.answer("order.place", () => SILENCE);
  venue.answer("order.status", () => new VenueError(-2013, "Order does not exist."));
  void page.place(LIMIT);
  await pass(22_000);
  venue.answer("order.place", () => new VenueError(-2010, "Duplicate order sent.", 400, "DuplicateClOrdId"));
  venue.answer("order.status", ({ params }) => order(6, { clientOrderId: params.origClientOrderId }));
  page.takeFix(page.notices.value.find(({ fix }) => fix)?.id ?? 0);
  await pass(1_000);
  expect(page.openOrders.value.map(({ state, orderId }) => [state, orderId])).toEqual([["accepted", 6]]);
  expect(page.texts()[0]).toBe("BUY 2.00000 BTC at 100.00 was found: accepted.");
});

test("a list without an answer is unknown, then found by its name", async () => {
  const page = await signIn();
  const list = { symbol: "BTCUSDT", kind: "oco", params: { side: "SELL", quantity: "1" } } as const;
  venue.answer("orderList.place.oco", () => SILENCE);
  let isThere = false;
  venue.answer("orderList.status", ({ params }) =>
    isThere
      ? { ...LIST, listClientOrderId: params.origClientOrderId }
      : new VenueError(-2013, "Order list does not exist."),
  );
  const placed = page.placeList(list);
  await pass(5_001);
  const outcome = await placed;
  expect(outcome).toMatchObject({ ok: false, sentence: "No answer yet: what became of it is being found out." });
  expect(page.texts()).toEqual([]);
  isThere = true;
  await pass(1_000);
  expect(outcome.ok || (await outcome.fate)).toEqual({ ok: true });
  expect(page.texts()).toEqual(["OCO of BTCUSDT was found."]);
  expect([...page.openLists.value.keys()]).toEqual([3]);
  const { listClientOrderId } = venue.asks("orderList.place.oco")[0]?.params ?? {};
  expect(venue.asks("orderList.status")[0]?.params.origClientOrderId).toBe(listClientOrderId);
});

test("a list that never arrived is said to have, and sent again under its own name", async () => {
  const page = await signIn();
  const list = { symbol: "BTCUSDT", kind: "oco", params: { side: "SELL", quantity: "1" } } as const;
  venue.answer("orderList.place.oco", () => SILENCE);
  venue.answer("orderList.status", () => new VenueError(-2013, "Order list does not exist."));
  void page.placeList(list);
  await pass(22_000);
  expect(page.texts()).toEqual(["OCO of BTCUSDT never reached the venue."]);
  page.takeFix(page.notices.value[0]?.id ?? 0);
  await pass(1);
  const names = venue.asks("orderList.place.oco").map(({ params }) => params.listClientOrderId);
  expect([names.length, new Set(names).size]).toEqual([2, 1]);
});

test("a second press at once sends nothing more", async () => {
  const page = await signIn();
  venue.answer("order.place", ({ params }) => order(5, { clientOrderId: params.newClientOrderId }));
  const placed = [page.place(LIMIT), page.place(LIMIT)];
  await pass(1);
  expect((await Promise.all(placed)).map(({ ok }) => ok)).toEqual([true, false]);
  expect(page.texts()).toEqual(["The same order was sent a moment ago: it is sent once."]);
  await pass(200);
  void page.place(LIMIT, { twiceMs: 120 });
  void page.place(LIMIT, { twiceMs: 120 });
  await pass(1);
  expect(venue.asks("order.place"), "each press of the ladder counts, but for one that bounces").toHaveLength(2);
  await pass(1_000);
  void page.place(LIMIT);
  void page.place({ ...LIMIT, side: "SELL" });
  await pass(1);
  expect(venue.asks("order.place")).toHaveLength(4);
});

test("an order of a market whose book is not live is not sent", async () => {
  const page = await signIn();
  venue.answer("depth", () => SILENCE);
  venue.publish("btcusdt@depth@20ms", { U: 15, u: 16, b: [], a: [] });
  await pass(1);
  expect((await page.place(LIMIT)).ok).toBe(false);
  expect(venue.asks("order.place")).toEqual([]);
  expect(page.texts()[0]).toBe("The book of BTCUSDT is not live: nothing is sent until it is.");
});

test("an order that ended is not open again by what comes late", async () => {
  venue.answer("openOrders.status", () => [order(1)]);
  const page = await signIn();
  venue.event(fill(1, 1, 7, "2", "FILLED"));
  await pass(1);
  expect(page.states()).toEqual([]);
  // The answer to an order that has filled before it is read.
  venue.answer("order.place", ({ params }) => {
    venue.event({ ...fill(2, 5, 8, "2", "FILLED"), c: params.newClientOrderId });
    return SILENCE;
  });
  venue.answer("order.status", ({ params }) => order(5, { clientOrderId: params.origClientOrderId, updateTime: 1 }));
  void page.place(LIMIT);
  await pass(7_000);
  expect(page.states()).toEqual([]);
  // A snapshot that was made before the end.
  page.replaceOpen([order(1), order(5)] as never);
  await pass(1);
  expect(page.states()).toEqual([]);
  expect(page.ended().map(([state]) => state)).toEqual(["filled", "filled"]);
});

test("a refusal of a value is among the messages", async () => {
  const page = await signIn();
  venue.answer("order.place", () => new VenueError(-1130, "Data sent for parameter 'goodTillDate' is not valid."));
  void page.place(LIMIT);
  await pass(1);
  expect(page.texts()).toEqual([
    "BUY 2.00000 BTC at 100.00 was refused. Data sent for parameter 'goodTillDate' is not valid.",
  ]);
});

test("nothing is sent while what is shown may not be true", async () => {
  const page = await signIn();
  venue.isReachable = false;
  venue.cut();
  await pass(100);
  const outcome = await page.place(LIMIT);
  expect(outcome.ok).toBe(false);
  expect(venue.asks("order.place")).toEqual([]);
  expect(page.texts()[0]).toMatch("no sign of life");
});

test("a lower quantity keeps the place", async () => {
  venue.answer("openOrders.status", () => [order(1, { executedQty: "0.5", status: "PARTIALLY_FILLED" })]);
  const page = await signIn();
  venue.answer("order.amend.keepPriority", () => ({}));
  void page.amend(page.openOrders.value[0] as Order, { qty: 150_000n });
  await pass(1);
  expect(venue.asks("order.amend.keepPriority")[0]?.params).toMatchObject({ orderId: 1, newQty: "1.50000" });
  expect(page.openOrders.value[0]?.change).toBeNull();
});

describe("another price", () => {
  /** Moves the open order to 99.00; `now` is how the venue has it then. */
  async function move(now: Record<string, unknown> = {}) {
    venue.answer("openOrders.status", () => [order(1)]);
    venue.answer("order.status", () => order(1, now));
    const page = await signIn();
    const moved = page.amend(page.openOrders.value[0] as Order, { price: 9_900n });
    return { page, moved };
  }
  const halves = (code: number, of: Record<string, unknown>) =>
    new VenueError(code, "Order cancel-replace failed.", code === -2021 ? 409 : 400, undefined, of);

  test("makes a new order of what is left, unless the old one trades meanwhile", async () => {
    venue.answer("order.cancelReplace", ({ params }) => {
      const newOrderResponse = order(2, { clientOrderId: params.newClientOrderId, price: "99.00" });
      return { cancelResult: "SUCCESS", newOrderResult: "SUCCESS", cancelResponse: {}, newOrderResponse };
    });
    const { page, moved } = await move();
    await pass(1);
    expect(await moved).toEqual({ ok: true });
    expect(venue.asks("order.cancelReplace")[0]?.params).toMatchObject({
      price: "99.00",
      quantity: "2.00000",
      cancelOrderId: 1,
      cancelReplaceMode: "STOP_ON_FAILURE",
      cancelRestrictions: "ONLY_NEW",
    });
    expect(page.states()[0]).toMatch(/^web-.* accepted$/);
  });

  test("of an order that has traded is a cancel, and then what was left by then", async () => {
    venue.answer("order.cancel", () => order(1, { status: "CANCELED", executedQty: "0.75" }));
    venue.answer("order.place", ({ params }) => order(2, { clientOrderId: params.newClientOrderId, price: "99.00" }));
    const { moved } = await move({ executedQty: "0.5", status: "PARTIALLY_FILLED" });
    await pass(1);
    expect(await moved).toEqual({ ok: true });
    expect(venue.asks("order.cancelReplace")).toEqual([]);
    expect(venue.asks("order.place")[0]?.params).toMatchObject({ price: "99.00", quantity: "1.25000" });
  });

  test("of an order that is over changes nothing", async () => {
    const { page, moved } = await move({ executedQty: "2", status: "FILLED" });
    await pass(1);
    expect((await moved).ok).toBe(false);
    expect(page.texts()).toEqual(["BUY 2.00000 BTC at 100.00 was not changed. It is over already."]);
    expect([page.states(), page.ended()]).toEqual([[], [["filled", null]]]);
  });

  test("says that nothing happened where the order has traded meanwhile", async () => {
    const cancelResponse = { code: -2011, msg: "Order was not canceled due to cancel restrictions." };
    const data = { cancelResult: "FAILURE", newOrderResult: "NOT_ATTEMPTED", cancelResponse, newOrderResponse: null };
    venue.answer("order.cancelReplace", () => halves(-2022, data));
    const { page } = await move();
    await pass(1);
    expect(page.states()).toEqual(["c1 accepted"]);
    expect(page.texts()).toEqual([
      "BUY 2.00000 BTC at 100.00 was not changed. It has traded meanwhile: look at what is left of it, and change that.",
    ]);
  });

  test("says that the old order is gone where the new one was refused", async () => {
    const newOrderResponse = { code: -2010, msg: "Account has insufficient balance for requested action." };
    const data = { cancelResult: "SUCCESS", newOrderResult: "FAILURE", cancelResponse: {}, newOrderResponse };
    venue.answer("order.cancelReplace", () => halves(-2021, data));
    const { page } = await move();
    await pass(1);
    expect([page.states(), page.ended()]).toEqual([[], [["canceled", null]]]);
    expect(page.texts()).toEqual([
      "BUY 2.00000 BTC at 100.00 is canceled, and the order in its place was refused. " +
        "Account has insufficient balance for requested action.",
    ]);
  });

  test("without an answer leaves both orders unknown until the venue has told", async () => {
    venue.answer("order.cancelReplace", () => SILENCE);
    const { page } = await move();
    await pass(5_000);
    expect(page.openOrders.value.map(({ state }) => state)).toEqual(["unknown", "unknown"]);
    venue.answer("order.status", ({ params }) =>
      params.orderId === 1
        ? order(1, { status: "CANCELED" })
        : order(2, { clientOrderId: params.origClientOrderId, price: "99.00" }),
    );
    await pass(1_000);
    expect(page.openOrders.value.map(({ orderId, state }) => [orderId, state])).toEqual([[2, "accepted"]]);
    expect(page.ended()).toEqual([["canceled", null]]);
  });
});

test("a revoked key signs the page out, and leaves nothing of the account on it", async () => {
  venue.answer("openOrders.status", () => [order(1)]);
  const page = await signIn();
  venue.event({ e: "eventStreamTerminated" });
  await pass(1);
  expect(page.session.value).toBeNull();
  expect([page.states(), page.fills.value, page.balances.value.size]).toEqual([[], [], 0]);
});

test("what a message offers is done once", async () => {
  const page = await signIn();
  let done = 0;
  page.notice("warning", "Try this.", { label: "Do it", run: () => (done += 1) });
  const { id } = page.notices.value[0] ?? { id: 0 };
  page.takeFix(id);
  page.takeFix(id);
  expect(done).toBe(1);
  expect(page.notices.value[0]).toMatchObject({ text: "Try this." });
  expect(page.notices.value[0]?.fix).toBeUndefined();
});

test("who signs out leaves no message, no armed page, and signs the other windows out", async () => {
  const page = await signIn();
  page.armed.value = true;
  page.notice("bad", "BUY 2 BTC at 100.00 was refused.");
  await page.signOut(false);
  expect([page.session.value, page.armed.value, page.texts()]).toEqual([null, false, []]);
  expect(FakeChannel.all[0]?.posted).toEqual(["key"]);
  expect(forgotten).toEqual(["key"]);
});

test("who signs out is shown signed out once the venue has ended all of it, with no warning", async () => {
  const page = await signIn();
  let answer = () => {};
  signedOut = new Promise((resolve) => {
    answer = resolve;
  });
  const left = page.signOut(false);
  await pass(1);
  // The venue revokes the key first, and ends the cookie's session after it.
  venue.event({ e: "eventStreamTerminated" });
  await pass(1);
  expect(page.session.value?.account).toBe("alice");
  answer();
  await left;
  expect([page.session.value, page.texts()]).toEqual([null, []]);
});

test("who signs in while a key is held that the venue does not log on leaves that key first", async () => {
  venue.answer("session.logon", () => new VenueError(-1008, "Too many sessions.", 503));
  const page = await signIn();
  expect(page.session.value).toBeNull();
  const signed = page.signInPassword("bob", "a password");
  venue.answer("session.logon", () => ({}));
  await pass(10);
  expect(await signed).toBeNull();
  expect(page.session.value?.account).toBe("bob");
  expect(requested).toEqual(["sign out", "sign in bob", "register"]);
  expect(forgotten).toEqual(["key"]);
});

test("a window is signed out with another one that holds the same key, and with no other", async () => {
  venue.answer("openOrders.status", () => [order(1)]);
  const page = await signIn();
  FakeChannel.all[0]?.onmessage?.({ data: "another key" });
  await pass(1);
  expect(page.session.value?.account).toBe("alice");
  FakeChannel.all[0]?.onmessage?.({ data: "key" });
  await pass(1);
  expect([page.session.value, page.states()]).toEqual([null, []]);
});

test("who signs out while the account is read is not shown what was read", async () => {
  venue.answer("openOrders.status", () => SILENCE);
  const page = await signIn();
  venue.answer("openOrders.status", () => [order(1)]);
  const again = page.signOut(false);
  venue.cut();
  await pass(1_000);
  await again;
  expect([page.session.value, page.states(), page.accountFreshness.value]).toEqual([null, [], "live"]);
});

test("cancel on disconnect is switched by a logon alone, and a refusal leaves it as it was", async () => {
  const page = await signIn();
  await Promise.all([page.setCancelOnDisconnect(true), pass(1)]);
  const flags = () => venue.asks("session.logon").map(({ params }) => params.cancelOnDisconnect);
  expect([page.cancelOnDisconnect.value, flags()]).toEqual([true, [false, true]]);
  expect(venue.asks("userDataStream.subscribe")).toHaveLength(1);
  expect(page.texts()).toEqual([]);
  venue.answer("session.logon", () => new VenueError(-1008, "Too many sessions.", 503));
  await Promise.all([page.setCancelOnDisconnect(false), pass(1)]);
  expect(page.cancelOnDisconnect.value).toBe(true);
  expect(page.texts()).toEqual(["Cancel on disconnect stays on: Too many sessions."]);
  venue.answer("session.logon", () => SILENCE);
  void page.setCancelOnDisconnect(false);
  await pass(5_001);
  venue.answer("session.logon", () => ({}));
  await pass(1_000);
  expect([page.cancelOnDisconnect.value, flags().at(-1)]).toEqual([false, false]);
});

test("a key signs nothing before the venue has told its time", async () => {
  venue.answer("time", () => SILENCE);
  const page = await signIn();
  await pass(1_000);
  expect(venue.asks("session.logon")).toEqual([]);
  venue.answer("time", () => ({ serverTime: Date.now() + 60_000 }));
  await pass(10_000);
  expect(page.session.value?.account).toBe("alice");
  expect(Number(venue.asks("session.logon")[0]?.params.timestamp) - Date.now()).toBeGreaterThan(45_000);
});

test("a request whose time is refused is sent again by the venue's time", async () => {
  const page = await signIn();
  venue.answer("time", () => ({ serverTime: Date.now() + 60_000 }));
  venue.answer("order.place", ({ params }) =>
    Number(params.timestamp) > Date.now() + 59_000
      ? order(5, { clientOrderId: params.newClientOrderId })
      : new VenueError(-1021, "Timestamp for this request is outside of the recvWindow."),
  );
  const placed = page.place(LIMIT);
  await pass(1);
  expect(await placed).toEqual({ ok: true });
});

test("a sign-in that the venue cannot serve now is tried again", async () => {
  const failures = [new VenueError(-1003, "Too many requests.", 429), new VenueError(-1003, "Too many requests.", 429)];
  venue.answer("account.status", () => failures.shift() ?? { balances: [], commissionRates: {} });
  let isSubscribed = false;
  venue.answer("userDataStream.subscribe", () => {
    if (isSubscribed) return new VenueError(-2035, "User Data Stream subscription already active.");
    isSubscribed = true;
    return { subscriptionId: 0 };
  });
  const page = await signIn();
  expect(page.accountFreshness.value).toBe("catching-up");
  venue.event(report(1, 2));
  await pass(10_000);
  expect([page.accountFreshness.value, page.states()]).toEqual(["live", ["c2 accepted"]]);
  expect(page.texts()).toEqual(["Signing in failed, and is tried again: Too many requests."]);
});

test("while the read model is behind fills are being read, and no average is shown", async () => {
  venue.answer("myTrades", () => new VenueError(-1008, "The read model is behind.", 503));
  const page = await signIn();
  venue.event(fill(1, 1, 7, "1", "PARTIALLY_FILLED"));
  await pass(10);
  expect([page.known.value, page.fills.value.length, page.averagePrice("BTCUSDT")]).toEqual(["own", 1, null]);
  venue.answer("myTrades", () => []);
  await pass(2_000);
  expect([page.known.value, page.averagePrice("BTCUSDT")]).toEqual(["all", 10_000n]);
});

test("an average needs all fills: the newest thousand are not enough", async () => {
  const trade = (id: number) => ({ symbol: "BTCUSDT", id, orderId: 1, price: "100.00", qty: "1", quoteQty: "100" });
  const rest = { commission: "0", commissionAsset: "BTC", time: 1, isBuyer: true, isMaker: true, isBusted: false };
  venue.answer("myTrades", () => Array.from({ length: 1_000 }, (_, id) => ({ ...trade(id), ...rest })));
  const page = await signIn();
  expect([page.known.value, page.fills.value.length, page.averagePrice("BTCUSDT")]).toEqual(["newest", 1_000, null]);
});
