import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type FakeVenue, openFakeVenue, pass, SILENCE, SYMBOL, VenueError } from "../testing/fakeVenue";

let venue: FakeVenue;

beforeEach(() => {
  venue = openFakeVenue();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

async function followMarket() {
  const [api, streams, markets, books, tapes, link, notices, candles] = await Promise.all([
    import("../connection/api"),
    import("../connection/streams"),
    import("./markets"),
    import("./book"),
    import("./trades"),
    import("./link"),
    import("./notices"),
    import("./candles"),
  ]);
  api.apiLink.open();
  streams.streamLink.open();
  markets.followMarkets();
  books.followBook();
  tapes.followTrades();
  candles.followCandles();
  await pass(10);
  const levels = () =>
    [books.book.bids, books.book.asks].map((side) => side.map(({ price, qty }) => [Number(price), Number(qty)]));
  const texts = () => notices.notices.value.map(({ text }) => text);
  return { ...books, ...tapes, ...link, ...markets, ...candles, levels, texts };
}

const depth = (U: number, u: number, b: string[][], a: string[][] = []) =>
  venue.publish("btcusdt@depth@20ms", { U, u, b, a });
const trade = (t: number, p = "100.50", m = false) =>
  venue.publish("btcusdt@trade", { t, p, q: "0.1", T: Date.now(), m });

test("a book is its snapshot and each change after it", async () => {
  const { levels, bookFreshness } = await followMarket();
  expect(bookFreshness.value).toBe("live");
  expect(levels()).toEqual([[[10_000, 100_000]], [[10_100, 200_000]]]);
  // Of the time before the snapshot.
  depth(8, 10, [["99.00", "9"]]);
  depth(11, 12, [["99.50", "3"]], [["101.00", "0"]]);
  await pass(0);
  expect(levels()).toEqual([
    [
      [10_000, 100_000],
      [9_950, 300_000],
    ],
    [],
  ]);
});

test("a missed change is seen: the book catches up and says so", async () => {
  const { levels, bookFreshness, texts } = await followMarket();
  let isAsked = false;
  venue.answer("depth", () => {
    isAsked = true;
    return { lastUpdateId: 20, bids: [["90.00", "1"]], asks: [] };
  });
  depth(15, 16, [["99.50", "3"]]);
  await pass(1);
  expect(isAsked).toBe(true);
  expect(bookFreshness.value).toBe("live");
  expect(levels()).toEqual([[[9_000, 100_000]], []]);
  expect(texts()).toEqual(["Book of BTCUSDT: 4 changes were missed; it is read again."]);
});

test("a page that cannot keep up drops what waits, reads the book again and says so", async () => {
  const { levels, texts, bookFreshness } = await followMarket();
  let reads = 0;
  venue.answer("depth", () => {
    reads += 1;
    return { lastUpdateId: 20, bids: [["90.00", "1"]], asks: [] };
  });
  const late = (U: number, lateMs: number) =>
    venue.publish("btcusdt@depth@20ms", { E: Date.now() - lateMs, U, u: U, b: [["99.50", "3"]], a: [] });
  late(11, 3_000);
  await pass(1);
  expect(reads, "it may be the line or the clock that is slow").toBe(0);
  late(12, 1_900);
  await pass(1);
  expect([reads, levels()[0]?.[1]]).toEqual([0, [9_950, 300_000]]);
  late(13, 3_000);
  late(14, 3_000);
  await pass(1_000);
  expect([reads, bookFreshness.value, levels()]).toEqual([1, "live", [[[9_000, 100_000]], []]]);
  expect(texts()).toEqual(["The page was 3 s behind: what waited is dropped."]);
  late(21, 3_000);
  await pass(1_000);
  expect([reads, levels()[0]?.[0]], "nothing was in time since").toEqual([1, [9_950, 300_000]]);
  late(22, 0);
  late(23, 3_000);
  await pass(1_000);
  expect(reads).toBe(2);
});

test("without a sign of life the book is stale, and live again after a reconnect", async () => {
  const { bookFreshness, connection, levels } = await followMarket();
  venue.isReachable = false;
  venue.cut();
  await pass(100);
  expect([bookFreshness.value, connection.value]).toEqual(["stale", "stale"]);
  await pass(10_000);
  expect(levels()[0], "what was known stays visible").toEqual([[10_000, 100_000]]);
  venue.isReachable = true;
  venue.answer("depth", () => ({ lastUpdateId: 50, bids: [["95.00", "1"]], asks: [] }));
  await pass(5_000);
  expect([bookFreshness.value, connection.value]).toEqual(["live", "live"]);
  expect(levels()[0]).toEqual([[9_500, 100_000]]);
  depth(51, 51, [["96.00", "1"]]);
  await pass(0);
  expect(levels()[0]?.[0]).toEqual([9_600, 100_000]);
});

test("an idle market stays live: the page asks for a sign of life", async () => {
  const { connection } = await followMarket();
  await pass(60_000);
  expect(connection.value).toBe("live");
});

test("each trade is on the tape once, also those that were missed", async () => {
  venue.answer("trades.recent", () => [{ id: 3, price: "100.00", qty: "1", time: 5, isBuyerMaker: true }]);
  const { tape } = await followMarket();
  venue.answer("trades.historical", ({ params }) => {
    expect(params.fromId).toBe(5);
    return [5, 6, 7].map((id) => ({ id, price: "100.00", qty: "1", time: 5, isBuyerMaker: false }));
  });
  trade(4);
  trade(4);
  trade(7);
  await pass(1);
  expect(tape.trades.map(({ id, aggressor }) => [id, aggressor])).toEqual([
    [3, "SELL"],
    [4, "BUY"],
    [5, "BUY"],
    [6, "BUY"],
    [7, "BUY"],
  ]);
});

test("what could not be read at first is asked for until it is answered", async () => {
  const answers = {
    exchangeInfo: { symbols: [SYMBOL] },
    depth: { lastUpdateId: 20, bids: [["90.00", "1"]], asks: [] },
    "trades.recent": [{ id: 3, price: "100.00", qty: "1", time: 5, isBuyerMaker: true }],
    klines: [[60_000, "100.00", "101.00", "99.00", "100.00", "3"]],
  };
  const failures = [
    new VenueError(-1003, "Too many requests.", 429),
    SILENCE,
    new VenueError(-1008, "Overloaded.", 503),
  ];
  for (const [method, answer] of Object.entries(answers)) {
    const left = [...failures];
    venue.answer(method, () => left.shift() ?? answer);
  }
  const { market, levels, tape, candles, bookFreshness } = await followMarket();
  expect(market.value).toBeNull();
  await pass(60_000);
  expect(market.value?.symbol).toBe("BTCUSDT");
  expect([levels()[0], bookFreshness.value]).toEqual([[[9_000, 100_000]], "live"]);
  expect(tape.trades.map(({ id }) => id)).toEqual([3]);
  expect(candles.list.map(({ volume }) => volume)).toEqual([300_000_000n]);
});

test("a question that another one has replaced is not asked again", async () => {
  const other = { ...SYMBOL, symbol: "ETHUSDT", baseAsset: "ETH" };
  venue.answer("exchangeInfo", () => ({ symbols: [SYMBOL, other] }));
  venue.answer("depth", ({ params }) =>
    params.symbol === "BTCUSDT"
      ? new VenueError(-1008, "Overloaded.", 503)
      : { lastUpdateId: 5, bids: [["7.00", "1"]], asks: [] },
  );
  const { chosen, levels } = await followMarket();
  chosen.value = "ETHUSDT";
  await pass(10);
  const asked = venue.asks("depth").length;
  await pass(60_000);
  expect(venue.asks("depth")).toHaveLength(asked);
  expect(levels()).toEqual([[[700, 100_000]], []]);
});

test("a stream that the venue refused begins once it is accepted", async () => {
  venue.refused.add("btcusdt@depth@20ms");
  const { bookFreshness } = await followMarket();
  expect(bookFreshness.value).toBe("catching-up");
  venue.refused.clear();
  await pass(2_000);
  expect(bookFreshness.value).toBe("live");
});

test("a silent connection is given up only after a question that stayed unanswered", async () => {
  const { connection } = await followMarket();
  const { opened } = venue;
  // The machine slept: the page has not asked anything meanwhile.
  const now = performance.now.bind(performance);
  vi.spyOn(performance, "now").mockImplementation(() => now() + 600_000);
  await pass(3_000);
  expect([venue.opened, connection.value]).toEqual([opened, "live"]);
  venue.isSilent = true;
  await pass(4_000);
  expect([venue.opened, connection.value]).toEqual([opened, "stale"]);
  await pass(4_000);
  expect(venue.opened).toBeGreaterThan(opened);
});

const status = (S: string, p: string, s = "BTCUSDT") => ({ e: "symbolStatus", E: 1, s, S, p, c: "PHASE", T: null });

test("a status of the stream stays, although exchangeInfo was asked before and is answered later", async () => {
  const { market } = await followMarket();
  let asked = 0;
  venue.answer("exchangeInfo", () => {
    asked += 1;
    venue.publish("!status@arr", status("HALT", "Halt"));
    return { symbols: [SYMBOL] };
  });
  venue.publish("!status@arr", { ...status("TRADING", "Continuous"), c: "RULES" });
  await pass(10);
  expect(asked).toBe(1);
  expect([market.value?.status, market.value?.phase]).toEqual(["HALT", "Halt"]);
});

test("a market with other steps is one of another venue: the page begins anew", async () => {
  const { market } = await followMarket();
  const filters = SYMBOL.filters.map((filter) =>
    filter.filterType === "PRICE_FILTER" ? { ...filter, tickSize: "0.001" } : filter,
  );
  venue.answer("exchangeInfo", () => ({ symbols: [{ ...SYMBOL, filters }] }));
  venue.cut();
  await pass(1_000);
  expect(location.reload).toHaveBeenCalledOnce();
  expect(market.value?.price.decimals).toBe(2);
});

test("a market that has never traded has no last price, rather than one of nothing", async () => {
  const ticker = {
    symbol: "BTCUSDT",
    openPrice: "0.00",
    highPrice: "0.00",
    lowPrice: "0.00",
    volume: "0",
    quoteVolume: "0",
  };
  venue.answer("ticker.24hr", () => [{ ...ticker, lastPrice: "0.00" }]);
  const { tickers } = await followMarket();
  expect(tickers.value.has("BTCUSDT")).toBe(false);
});

test("a market that has just begun is shown by its seconds, until a length is chosen", async () => {
  const at = (openMs: number) => [openMs, "100.00", "101.00", "99.00", "100.00", "3"];
  venue.answer("klines", ({ params }) => (params.interval === "1m" ? [at(60_000)] : [at(61_000), at(62_000)]));
  const { candles, chooseInterval, interval } = await followMarket();
  const shown = () => [interval.value, ...candles.list.map(({ openMs }) => openMs)];
  expect(shown()).toEqual(["1s", 61_000, 62_000]);
  chooseInterval("1m");
  await pass(10);
  expect(shown()).toEqual(["1m", 60_000]);
});
