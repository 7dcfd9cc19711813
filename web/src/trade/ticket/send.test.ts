import { signal } from "@preact/signals";
import { beforeEach, expect, test, vi } from "vitest";
import { order } from "../dock/fixtures";
import { BTC } from "./fixtures";

const { amend } = vi.hoisted(() => ({ amend: vi.fn(async () => ({ ok: true })) }));
vi.mock("../../stores/act", () => ({ amend, place: vi.fn(), placeList: vi.fn() }));
vi.mock("../../stores/markets", () => ({
  markets: signal(new Map([["BTCUSDT", BTC]])),
  tickers: signal(new Map([["BTCUSDT", { last: 6_000_000n }]])),
}));
vi.mock("../../stores/book", () => ({ book: { market: null, bids: [], asks: [], lastTradePrice: null, version: 0 } }));
vi.mock("../../stores/fills", () => ({ fills: signal([]) }));
vi.mock("../../stores/link", () => ({ venueNow: () => 0 }));
vi.mock("../../stores/orders", () => ({
  lastSent: signal(null),
  orderWords: ({ price }: { price: bigint }) => `at ${price}`,
}));

const { warnings } = await import("../../stores/settings");
const { amendAsking, answerQuestion, question } = await import("./send");

beforeEach(() => {
  amend.mockClear();
  warnings.value = { percentAway: "5", maxQty: "2", maxCost: "" };
});

test("a change within the bounds is sent at once", async () => {
  await amendAsking(order(), { price: 6_100_000n });
  expect(amend).toHaveBeenCalledOnce();
  expect(question.value).toBeNull();
});

test("a change beyond the bounds asks, and is sent only with a yes", async () => {
  const declined = amendAsking(order(), { price: 6_600_000n });
  expect(question.value?.lines).toEqual(["at 6000000 becomes at 6600000"]);
  expect(question.value?.warnings()).toEqual(["Buys at 66 000: 10.00 % above the last price 60 000."]);
  answerQuestion(false);
  expect(await declined).toEqual({ ok: false, sentence: "The order stays as it is." });
  expect(amend).not.toHaveBeenCalled();
  const confirmed = amendAsking(order(), { qty: 300_000n });
  answerQuestion(true);
  expect(await confirmed).toEqual({ ok: true });
  expect(amend).toHaveBeenCalledOnce();
});

test("a second question answers the first with no", async () => {
  const first = amendAsking(order(), { price: 6_600_000n });
  void amendAsking(order(), { price: 6_700_000n });
  expect(await first).toMatchObject({ ok: false });
  answerQuestion(false);
  expect(amend).not.toHaveBeenCalled();
});
