// Pictures of every page for docs/images: SCREENSHOTS=folder puts them elsewhere.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "@playwright/test";
import { fillTicket, submit } from "../fixture/desk";
import { expect, signIn, test, type Venue } from "../fixture/test";

const FOLDER = process.env.SCREENSHOTS ?? fileURLToPath(new URL("../../../docs/images", import.meta.url));
const DESK = { width: 1366, height: 768 };
const PHONE = { width: 360, height: 740 };

test.beforeAll(() => mkdirSync(FOLDER, { recursive: true }));

for (const theme of ["dark", "light"]) {
  test(`the trade page, ${theme}, on a desk`, async ({ page, market }) => {
    await page.setViewportSize(DESK);
    await begin(page, market, theme);
    await shoot(page, `trade-${theme}`);
    await page.getByTestId("ticket-type").selectOption("OTOCO");
    await shoot(page, `trade-list-${theme}`);
    await market.phase("BTCUSDT", "OpeningAuction");
    await expect(page.getByTestId("auction")).toBeVisible();
    await market.order("alice", { side: "BUY", price: "70000", quantity: "0.4" });
    await page.waitForTimeout(3_000);
    await shoot(page, `trade-auction-${theme}`);
  });

  test(`the way in, ${theme}`, async ({ page, market }) => {
    await page.setViewportSize(DESK);
    await page.addInitScript(choose, theme);
    await page.goto(market.open);
    await expect(page.getByTestId("sign-in-demo-alice")).toBeVisible();
    await page.waitForTimeout(3_000);
    await shoot(page, `sign-in-${theme}`);
  });

  test(`keys, commands and settings, ${theme}`, async ({ page, market }) => {
    await page.setViewportSize(DESK);
    await begin(page, market, theme);
    for (const [key, name] of [
      ["?", "keys"],
      ["Control+k", "commands"],
      [",", "settings"],
    ] as const) {
      await page.locator("body").press(key);
      await expect(page.getByRole("dialog")).toBeVisible();
      await shoot(page, `${name}-${theme}`);
      await page.keyboard.press("Escape");
    }
  });

  test.describe(`on a phone, ${theme}`, () => {
    test.use({ viewport: PHONE, hasTouch: true, isMobile: true });

    test("each view", async ({ page, market }) => {
      await begin(page, market, theme);
      for (const tab of ["Chart", "Ladder", "Book", "Trades"]) {
        await page.getByRole("tab", { name: tab, exact: true }).click();
        await page.waitForTimeout(1_500);
        await shoot(page, `phone-${tab.toLowerCase()}-${theme}`);
      }
      const nav = page.getByRole("navigation");
      for (const view of ["Markets", "Orders"]) {
        await nav.getByRole("button", { name: view }).click();
        await page.waitForTimeout(500);
        await shoot(page, `phone-${view.toLowerCase()}-${theme}`);
      }
      await nav.getByRole("button", { name: "Trade" }).click();
      await page.getByRole("button", { name: "Buy", exact: true }).click();
      await expect(page.getByTestId("order-ticket")).toBeVisible();
      await shoot(page, `phone-ticket-${theme}`);
    });
  });
}

/** Signed in, with orders on both sides and some fills, after a little trading of the bots. */
async function begin(page: Page, venue: Venue, theme: string): Promise<void> {
  await page.addInitScript(choose, theme);
  await signIn(page, venue);
  const { bidPrice } = await venue.get("/api/v3/ticker/bookTicker?symbol=BTCUSDT");
  const near = (ticks: number) => (Number(bidPrice) + ticks).toFixed(2);
  await venue.order("alice", { side: "BUY", price: near(-6), quantity: "0.25" });
  await venue.order("alice", { side: "BUY", price: near(-14), quantity: "0.5" });
  await venue.order("alice", { side: "SELL", price: near(9), quantity: "0.25" });
  await venue.order("alice", { symbol: "ETHUSDT", side: "BUY", price: "2000", quantity: "1.5" });
  for (const side of ["BUY", "SELL", "BUY"]) await venue.order("alice", { side, type: "MARKET", quantity: "0.05" });
  if (page.viewportSize()?.width === DESK.width) {
    await fillTicket(page, { side: "buy", type: "LIMIT", price: near(-3), qty: "0.1" });
    await submit(page);
    await fillTicket(page, { qty: "0.3" });
    await page.evaluate(() => {
      (document.activeElement as HTMLElement | null)?.blur();
      document.querySelector("[data-testid=order-ticket] .panel-body")?.scrollTo(0, 0);
    });
  }
  // Candles of a second fill the chart meanwhile.
  await page.waitForTimeout(25_000);
}

function choose(theme: string): void {
  localStorage.setItem("buttonwood.theme", JSON.stringify(theme));
  localStorage.setItem("buttonwood.hintsSeen", "true");
  localStorage.setItem("buttonwood.interval", JSON.stringify("1s"));
}

async function shoot(page: Page, name: string): Promise<void> {
  // Messages come and go; they have said what they had to say.
  await expect(page.locator(".toast")).toHaveCount(0, { timeout: 20_000 });
  await page.screenshot({ path: join(FOLDER, `${name}.png`) });
}
