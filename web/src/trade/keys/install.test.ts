import { signal } from "@preact/signals";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Order } from "../../stores/types";
import { BTC } from "../ticket/fixtures";

const { place, cancelMany } = vi.hoisted(() => ({
  place: vi.fn(async () => ({ ok: true })),
  cancelMany: vi.fn(async () => ({ ok: true })),
}));
vi.mock("../../stores/act", () => ({ place, cancelMany, placeList: vi.fn(), amend: vi.fn(), cancel: vi.fn() }));
vi.mock("../../stores/session", () => ({ session: signal({ role: "trader" }), cancelOnDisconnect: signal(false) }));
vi.mock("../../stores/markets", () => ({
  chosen: signal("BTCUSDT"),
  market: signal(BTC),
  markets: signal(new Map([["BTCUSDT", BTC]])),
  tickers: signal(new Map()),
}));
vi.mock("../../stores/book", () => ({
  bookFreshness: signal("live"),
  book: {
    market: BTC,
    lastTradePrice: 6_000_000n,
    bids: [{ price: 5_999_995n, qty: 100_000n }],
    asks: [{ price: 6_000_005n, qty: 100_000n }],
    version: 1,
  },
}));
vi.mock("../../stores/fills", () => ({ fills: signal([]) }));
vi.mock("../../stores/link", () => ({ venueNow: () => 0 }));
vi.mock("../../stores/orders", () => ({ ordersOfChosen: signal([{ key: "one" } as Order]) }));

class FakeElement {
  type = "";
  isContentEditable = false;
  blur = vi.fn();
}
class FakeInput extends FakeElement {}

let listen: (event: unknown) => void;
let stop: () => void;
let openDialog: unknown = null;

/** Presses a key, and says whether the page took it. */
function press(key: string, more: Record<string, unknown> = {}): boolean {
  const event = {
    key,
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    shiftKey: false,
    repeat: false,
    target: new FakeElement(),
    preventDefault: vi.fn(),
    ...more,
  };
  listen(event);
  return event.preventDefault.mock.calls.length > 0;
}

beforeEach(async () => {
  vi.useFakeTimers();
  vi.stubGlobal("HTMLElement", FakeElement);
  vi.stubGlobal("HTMLInputElement", FakeInput);
  vi.stubGlobal("HTMLTextAreaElement", class {});
  vi.stubGlobal("HTMLSelectElement", class {});
  vi.stubGlobal("document", { querySelector: () => openDialog });
  vi.stubGlobal("addEventListener", (name: string, listener: typeof listen) => {
    if (name === "keydown") listen = listener;
  });
  vi.stubGlobal("removeEventListener", () => {});
  openDialog = null;
  const [{ installKeys }, { clickQtys, warnings }] = await Promise.all([
    import("./install"),
    import("../../stores/settings"),
  ]);
  clickQtys.value = { BTCUSDT: "0.5" };
  warnings.value = { percentAway: "", maxQty: "", maxCost: "" };
  stop = installKeys();
});

afterEach(async () => {
  stop();
  const { armed } = await import("../../stores/settings");
  armed.value = false;
  vi.clearAllMocks();
  vi.runAllTimers();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const arm = async () => {
  const { armed } = await import("../../stores/settings");
  armed.value = true;
};

it("trades by no key until the page is armed, and says so", async () => {
  const { notices } = await import("../../stores/notices");
  press("B", { shiftKey: true });
  expect(place).not.toHaveBeenCalled();
  expect(notices.value[0]?.fix?.label).toBe("Arm");
});

it("trades in the quantity for clicks and keys", async () => {
  await arm();
  press("B", { shiftKey: true });
  expect(place).toHaveBeenLastCalledWith({
    symbol: "BTCUSDT",
    side: "BUY",
    type: "MARKET",
    params: { quantity: "0.50000" },
  });
  press("H", { shiftKey: true });
  expect(place).toHaveBeenLastCalledWith({
    symbol: "BTCUSDT",
    side: "SELL",
    type: "LIMIT",
    params: { quantity: "0.50000", price: "59999.95", timeInForce: "GTC" },
  });
});

it("asks first where a warning applies", async () => {
  await arm();
  const [{ warnings }, { question }] = await Promise.all([import("../../stores/settings"), import("../ticket/send")]);
  warnings.value = { percentAway: "", maxQty: "0.1", maxCost: "" };
  press("B", { shiftKey: true });
  expect(place).not.toHaveBeenCalled();
  expect(question.value?.warnings()).toEqual(["0.5 BTC is more than your bound of 0.1."]);
  question.value = null;
});

it("trades once for a key that is held down", async () => {
  await arm();
  press("B", { shiftKey: true });
  expect(press("B", { shiftKey: true, repeat: true })).toBe(true);
  expect(place).toHaveBeenCalledTimes(1);
});

it("takes no key from a field, nor under a dialog", async () => {
  await arm();
  expect(press("B", { shiftKey: true, target: new FakeInput() })).toBe(false);
  openDialog = {};
  expect(press("B", { shiftKey: true })).toBe(false);
  expect(place).not.toHaveBeenCalled();
});

it("sends nothing at a book that is not live", async () => {
  await arm();
  const { bookFreshness } = await import("../../stores/book");
  (bookFreshness as { value: string }).value = "stale";
  press("L", { shiftKey: true });
  expect(place).not.toHaveBeenCalled();
  (bookFreshness as { value: string }).value = "live";
});

it("cancels the market's orders by the second Escape, if it follows soon", async () => {
  const { escapeHint } = await import("./install");
  press("Escape");
  expect(escapeHint.value).toBe("BTCUSDT");
  expect(cancelMany).not.toHaveBeenCalled();
  vi.advanceTimersByTime(2_000);
  expect(escapeHint.value).toBeNull();
  press("Escape");
  expect(cancelMany).not.toHaveBeenCalled();
  press("Escape");
  expect(cancelMany).toHaveBeenCalledExactlyOnceWith({ symbol: "BTCUSDT" });
});

it("leaves a field by Escape, which counts for no cancel", async () => {
  const target = new FakeInput();
  press("Escape", { target });
  expect(target.blur).toHaveBeenCalled();
  const { escapeHint } = await import("./install");
  expect(escapeHint.value).toBeNull();
});

it("arms by a key that is held long enough, where the person wants that", async () => {
  const [{ armed, armsByHold }, { releaseArm }] = await Promise.all([
    import("../../stores/settings"),
    import("../safety/arming"),
  ]);
  armsByHold.value = true;
  press("a");
  vi.advanceTimersByTime(300);
  releaseArm();
  vi.advanceTimersByTime(1_000);
  expect(armed.value).toBe(false);
  press("a");
  vi.advanceTimersByTime(700);
  expect(armed.value).toBe(true);
  armsByHold.value = false;
});
