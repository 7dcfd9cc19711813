// The paths of a trader, on a desk.
import type { Page } from "@playwright/test";
import { expectRows, fillTicket, makeMarket, PRICE, rows, submit } from "../fixture/desk";
import { expect, isLive, signIn, test, type Venue } from "../fixture/test";

test("a newcomer signs in to the demo, trades, and cancels", async ({ page, market }) => {
  await page.goto(market.open);
  await expect(page.getByTestId("ladder")).toBeVisible();
  // A market that has just begun is shown second by second.
  await expect(page.getByRole("button", { name: "1s", exact: true })).toHaveAttribute("aria-pressed", "true");
  await page.getByTestId("sign-in-demo-alice").click();
  await expect(page).toHaveURL(`${market.url}/`);
  await fillTicket(page, { side: "buy", type: "MARKET", qty: "0.01" });
  await submit(page);
  await expect(rows(page, "fills").first()).toContainText("0.01");
  const bid = Number((await market.get("/api/v3/ticker/bookTicker?symbol=BTCUSDT")).bidPrice);
  await fillTicket(page, { type: "LIMIT", price: String(Math.round(bid * 0.95)), qty: "0.02" });
  await submit(page);
  const order = rows(page, "open-orders").first();
  await expect(order).toContainText("accepted");
  await order.getByRole("button", { name: /^Cancel/ }).click();
  await expectRows(page, "open-orders", 0);
  expect(await market.openOrders("alice")).toEqual([]);
});

test("orders and fills of another client arrive, each once", async ({ page, venue }) => {
  await signIn(page, venue);
  const { orderId } = await venue.order("alice", { side: "SELL", price: "61000", quantity: "0.5" });
  await expectRows(page, "open-orders", 1);
  await expect(rows(page, "open-orders")).toContainText(/61.?000/);
  await venue.order("bob", { side: "BUY", price: "61000", quantity: "0.2" });
  await expectRows(page, "fills", 1);
  await expect(rows(page, "open-orders")).toContainText("part filled 40 %");
  await venue.signed("alice", "DELETE", "order", { symbol: "BTCUSDT", orderId });
  await expectRows(page, "open-orders", 0);
  await expectRows(page, "fills", 1);
});

test("an amend keeps or loses the place, and the venue agrees", async ({ page, venue }) => {
  await makeMarket(venue);
  await signIn(page, venue);
  const { orderId } = await venue.order("alice", { side: "BUY", price: "59000", quantity: "0.5" });
  const order = rows(page, "open-orders").first();
  await order.getByRole("button", { name: /^Amend/ }).click();
  await page.getByRole("textbox", { name: /^Quantity of buy/ }).fill("0.3");
  await page.keyboard.press("Enter");
  await expect.poll(async () => (await venue.openOrders("alice"))[0].origQty).toMatch(/^0\.30*$/);
  expect((await venue.openOrders("alice"))[0].orderId).toBe(orderId);
  await order.getByRole("button", { name: /^Amend/ }).click();
  await page.getByRole("textbox", { name: /^Price of buy/ }).fill("59100");
  await page.keyboard.press("Enter");
  await expect.poll(async () => Number((await venue.openOrders("alice"))[0]?.price)).toBe(59_100);
  await expectRows(page, "open-orders", 1);
  await expect(order).toContainText(/59.?100/);
});

test("an acknowledgement that never comes is unknown, then found", async ({ page, venue }) => {
  await makeMarket(venue);
  await signIn(page, venue);
  await venue.fault("drop-ack", "alice");
  // Events of the account would say it, too: they stop with the answer.
  await fillTicket(page, { side: "buy", type: "LIMIT", price: "59000", qty: "0.1" });
  await submit(page);
  await expect(rows(page, "open-orders")).toContainText("unknown, asking");
  await expect(rows(page, "open-orders")).toContainText("accepted", { timeout: 15_000 });
  await expect(page.getByRole("log")).toContainText("was found: accepted");
  await expectRows(page, "open-orders", 1);
  expect(await venue.openOrders("alice")).toHaveLength(1);
});

test("an order whose connection ended before it was carried out never reached the venue", async ({
  page,
  venue,
  complaints,
}) => {
  complaints.allow(/WebSocket/);
  await page.clock.install();
  await makeMarket(venue);
  await signIn(page, venue);
  await venue.fault("disconnect", "alice");
  await fillTicket(page, { side: "buy", type: "LIMIT", price: "59000", qty: "0.1" });
  await submit(page);
  await isLive(page);
  await expect(rows(page, "open-orders")).toContainText("unknown, asking");
  await page.clock.fastForward("00:16");
  await expect(page.getByRole("log")).toContainText("never reached the venue");
  await expectRows(page, "open-orders", 0);
  expect(await venue.openOrders("alice")).toEqual([]);
  await isLive(page);
});

test("a refusal is a sentence, and nothing stays", async ({ page, venue }) => {
  await makeMarket(venue);
  await signIn(page, venue);
  await venue.fault("reject", "alice");
  await fillTicket(page, { side: "buy", type: "LIMIT", price: "59000", qty: "0.1" });
  await submit(page);
  await expect(page.getByRole("log")).toContainText("was refused");
  await expectRows(page, "open-orders", 0);
});

test("a halt and an auction are seen, and what they allow", async ({ page, venue }) => {
  await makeMarket(venue);
  await signIn(page, venue);
  await fillTicket(page, { side: "buy", type: "LIMIT", price: "59000", qty: "0.1" });
  await submit(page);
  await expectRows(page, "open-orders", 1);

  await venue.phase("BTCUSDT", "Halt");
  await expect(page.getByTestId("phase-banner")).toContainText(/halt/i);
  await expect(page.getByTestId("ticket-submit")).toBeDisabled();
  await rows(page, "open-orders")
    .getByRole("button", { name: /^Cancel/ })
    .click();
  await expectRows(page, "open-orders", 0);

  await venue.phase("BTCUSDT", "OpeningAuction");
  await expect(page.getByTestId("phase-banner")).toContainText(/opening auction/i);
  await expect(page.getByTestId("auction")).toBeVisible();
  await fillTicket(page, { side: "buy", price: String(PRICE + 50), qty: "0.2" });
  await submit(page);
  await expect(rows(page, "open-orders")).toContainText("accepted");
  await expect(page.getByTestId("auction")).toContainText(/60.?010/);
  const before = await rows(page, "fills").count();
  await venue.phase("BTCUSDT", "Continuous");
  await expectRows(page, "fills", before + 1);
  await expectRows(page, "open-orders", 0);
  await expect(page.getByRole("region", { name: "Result of the auction" })).toContainText(/60.?010/);
});

test("signing out leaves nothing of the account on the page", async ({ page, venue }) => {
  await makeMarket(venue);
  await venue.order("alice", { side: "BUY", price: "59000", quantity: "0.1" });
  await signIn(page, venue);
  await expectRows(page, "open-orders", 1);
  await expect(rows(page, "fills")).not.toHaveCount(0);
  await expect(rows(page, "balances")).not.toHaveCount(0);
  await page.getByTestId("arm").click();
  await venue.fault("reject", "alice");
  await fillTicket(page, { side: "buy", type: "LIMIT", price: "59000", qty: "0.1" });
  await submit(page);
  await expect(page.getByTestId("ticket-life")).toBeVisible();
  await page.getByRole("tab", { name: /^Messages/ }).click();
  await expect(page.getByRole("list", { name: "Messages" })).toContainText("was refused");
  await page.getByRole("button", { name: "Account alice" }).click();
  await page.getByRole("button", { name: "Sign out", exact: true }).click();
  await expect(page.getByTestId("ticket-submit")).toBeDisabled();
  await expect(page.getByText("No messages.")).toBeVisible();
  await page.getByRole("tab", { name: "Lists" }).click();
  await expect(page.getByText("Sign in to see your lists.")).toBeVisible();
  await page.getByRole("tab", { name: "Open orders" }).click();
  await expectRows(page, "open-orders", 0);
  await expectRows(page, "fills", 0);
  await expect(rows(page, "balances")).toHaveCount(0);
  await expect(page.getByTestId("ticket-life")).toHaveCount(0);
  await expect(page.getByTestId("arm")).toHaveAttribute("aria-checked", "false");
  await page.reload();
  await expect(page.getByText("This is a demo")).toBeVisible();
  // The order itself stands.
  expect(await venue.openOrders("alice")).toHaveLength(1);
});

test("signing out in one window signs the others out", async ({ page, venue, context }) => {
  await signIn(page, venue);
  const other = await context.newPage();
  await other.goto(venue.url);
  await expect(other.getByRole("button", { name: "Account alice" })).toBeVisible();
  await page.getByRole("button", { name: "Account alice" }).click();
  await page.getByRole("button", { name: "Sign out", exact: true }).click();
  await expect(other.getByText("not signed in")).toBeVisible();
  await expect(other.getByTestId("ticket-submit")).toBeDisabled();
});

test("a signed-in browser is signed in after a reload, and the code works once", async ({ page, venue }) => {
  const code = venue.open;
  await signIn(page, venue);
  await page.reload();
  await expect(page.getByRole("button", { name: "Account alice" })).toBeVisible();
  await expect.poll(() => venue.open).not.toBe(code);
  const other = await page.context().browser()?.newContext();
  const stranger = await other?.newPage();
  if (!stranger) throw new Error("no second browser");
  await stranger.goto(code);
  await stranger.getByTestId("sign-in-demo-bob").click();
  await expect(stranger.getByRole("alert")).not.toBeEmpty();
  await expect(stranger.getByTestId("ticket-submit")).toBeDisabled();
  await other?.close();
});

test("the first order without a mouse", async ({ page, venue }) => {
  await makeMarket(venue);
  await page.goto(venue.open);
  await expect(page.getByTestId("sign-in-demo-alice")).toBeVisible();
  await tabTo(page, "sign-in-demo-alice");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: "Account alice" })).toBeVisible();
  await isLive(page);
  await page.keyboard.press("b");
  await expect(page.getByTestId("ticket-qty")).toBeFocused();
  await page.keyboard.type("0.1");
  await page.keyboard.press("Shift+Tab");
  await tabTo(page, "ticket-price", "Shift+Tab");
  await page.keyboard.press("Control+a");
  await page.keyboard.type("59000");
  await page.keyboard.press("Enter");
  await expect(rows(page, "open-orders")).toContainText("accepted");
  await leaveField(page);
  await page.keyboard.press("Shift+C");
  await expectRows(page, "open-orders", 0);
});

test("every path of a trader without a mouse", async ({ page, venue }) => {
  await makeMarket(venue);
  await signIn(page, venue);
  const before = await rows(page, "fills").count();
  await page.keyboard.press("m");
  await page.keyboard.press("Escape");
  await page.keyboard.press("b");
  await page.keyboard.type("0.1");
  await page.keyboard.press("Enter");
  await expectRows(page, "fills", before + 1);

  await leaveField(page);
  await page.keyboard.press("l");
  await page.keyboard.press("Escape");
  await page.keyboard.press("p");
  await page.keyboard.press("Control+a");
  await page.keyboard.type("59000");
  await page.keyboard.press("Enter");
  const order = rows(page, "open-orders").first();
  await expect(order).toContainText("accepted");

  await order.getByRole("button", { name: /^Amend/ }).focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Control+a");
  await page.keyboard.type("59100");
  await page.keyboard.press("Enter");
  await expect.poll(async () => Number((await venue.openOrders("alice"))[0]?.price)).toBe(59_100);
  await expectRows(page, "open-orders", 1);

  await order.getByRole("button", { name: /^Cancel/ }).focus();
  await page.keyboard.press("Enter");
  await expectRows(page, "open-orders", 0);

  await page.keyboard.press("Control+k");
  await expect(page.getByTestId("palette-query")).toBeFocused();
  await page.keyboard.type("sign out");
  await page.keyboard.press("Enter");
  await expect(page.getByText("not signed in")).toBeVisible();
});

async function tabTo(page: Page, testId: string, key = "Tab"): Promise<void> {
  const target = page.getByTestId(testId);
  for (let presses = 0; presses < 150; presses += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`${testId} is not reached by ${key}`);
}

/** Keys of letters belong to the field that has the focus. */
async function leaveField(page: Page): Promise<void> {
  await page.keyboard.press("Escape");
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
}

test.describe("order types", () => {
  interface Case {
    readonly type: string;
    readonly fill: (page: Page) => Promise<void>;
    /** Types of the open orders that the venue then has, or what it traded. */
    readonly open?: readonly string[];
    readonly fills?: number;
  }

  const field = (page: Page, name: string, text: string) => page.getByTestId(`ticket-${name}`).fill(text);
  const cases: readonly Case[] = [
    { type: "LIMIT", fill: (page) => fillTicket(page, { price: "59000" }), open: ["LIMIT"] },
    { type: "LIMIT_MAKER", fill: (page) => fillTicket(page, { price: "59000" }), open: ["LIMIT_MAKER"] },
    { type: "MARKET", fill: async () => {}, fills: 1 },
    { type: "MARKET_TO_LIMIT", fill: async () => {}, fills: 1 },
    { type: "STOP_LOSS", fill: (page) => field(page, "stop-price", "61000"), open: ["STOP_LOSS"] },
    {
      type: "STOP_LOSS_LIMIT",
      fill: async (page) => {
        await field(page, "stop-price", "61000");
        await field(page, "price", "61100");
      },
      open: ["STOP_LOSS_LIMIT"],
    },
    { type: "TAKE_PROFIT", fill: (page) => field(page, "stop-price", "58000"), open: ["TAKE_PROFIT"] },
    {
      type: "TAKE_PROFIT_LIMIT",
      fill: async (page) => {
        await field(page, "stop-price", "58000");
        await field(page, "price", "58100");
      },
      open: ["TAKE_PROFIT_LIMIT"],
    },
    { type: "PEGGED", fill: (page) => field(page, "price", "59500"), open: ["LIMIT"] },
    {
      type: "OCO",
      fill: async (page) => {
        await fillTicket(page, { side: "sell" });
        await field(page, "price", "62000");
        await field(page, "stop.stop-price", "58000");
      },
      open: ["LIMIT_MAKER", "STOP_LOSS"],
    },
    {
      type: "OTO",
      fill: async (page) => {
        await field(page, "price", "59000");
        await field(page, "pending-qty", "0.1");
        await field(page, "pending.price", "62000");
      },
      open: ["LIMIT", "LIMIT"],
    },
    {
      type: "OTOCO",
      fill: async (page) => {
        await field(page, "price", "59000");
        await field(page, "pending-qty", "0.1");
        await field(page, "profit.price", "62000");
        await field(page, "stop.stop-price", "58000");
      },
      open: ["LIMIT", "LIMIT_MAKER", "STOP_LOSS"],
    },
    {
      type: "OPO",
      fill: async (page) => {
        await field(page, "price", "59000");
        await field(page, "pending.price", "62000");
      },
      open: ["LIMIT", "LIMIT"],
    },
    {
      type: "OPOCO",
      fill: async (page) => {
        await field(page, "price", "59000");
        await field(page, "profit.price", "62000");
        await field(page, "stop.stop-price", "58000");
      },
      open: ["LIMIT", "LIMIT_MAKER", "STOP_LOSS"],
    },
  ];

  test("every type and list", async ({ page, venue }) => {
    test.setTimeout(120_000);
    await makeMarket(venue);
    await signIn(page, venue);
    const offered = await page.getByTestId("ticket-type").locator("option").evaluateAll(values);
    expect(offered.sort()).toEqual(cases.map(({ type }) => type).sort());
    for (const { type, fill, open = [], fills = 0 } of cases) {
      await test.step(type, () => enter(page, venue, type, fill, open, fills));
    }
  });

  const values = (options: (SVGElement | HTMLElement)[]) =>
    options.map((option) => (option as HTMLOptionElement).value);

  async function enter(
    page: Page,
    venue: Venue,
    type: string,
    fill: Case["fill"],
    open: readonly string[],
    fills: number,
  ): Promise<void> {
    const before = await rows(page, "fills").count();
    await fillTicket(page, { type, side: "buy", qty: "0.1" });
    await fill(page);
    await submit(page);
    const typesAtVenue = async () => (await venue.openOrders("alice")).map((order) => order.type).sort();
    await expect.poll(typesAtVenue, type).toEqual([...open].sort());
    await expectRows(page, "open-orders", open.length);
    await expectRows(page, "fills", before + fills);
    if (open.length === 0) return;
    await venue.signed("alice", "DELETE", "openOrders", { symbol: "BTCUSDT" });
    await expectRows(page, "open-orders", 0);
  }
});
