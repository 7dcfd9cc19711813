// axe on everything that a trader sees, in both themes, on desks and on a phone.
import type { Page } from "@playwright/test";
import { expectAccessible } from "../fixture/axe";
import { expect, signIn, test, type Venue } from "../fixture/test";

const DESKS = { "1366x768": { width: 1366, height: 768 }, "1280x720": { width: 1280, height: 720 } };
const PHONE = { width: 360, height: 740 };
const KINDS = ["LIMIT", "MARKET", "STOP_LOSS_LIMIT", "PEGGED", "OCO", "OTOCO", "OPOCO"];

for (const theme of ["dark", "light"]) {
  for (const [name, viewport] of Object.entries(DESKS)) {
    test.describe(`${theme}, ${name}`, () => {
      test.use({ viewport });

      test("no violation", async ({ page, market }) => {
        // axe walks the whole page a dozen times: a busy machine needs more than the usual minute.
        test.setTimeout(180_000);
        await begin(page, market, theme);
        await expectAccessible(page, "signed in");
        await expectNoOverflow(page);
        if (name !== "1366x768") return;
        for (const kind of KINDS) {
          await page.getByTestId("ticket-type").selectOption(kind);
          await expectAccessible(page, `ticket of ${kind}`);
        }
        for (const key of ["?", "Control+k"]) {
          await page.locator("body").press(key);
          await expect(page.getByRole("dialog")).toBeVisible();
          await expectAccessible(page, `dialog of ${key}`);
          await page.keyboard.press("Escape");
        }
        for (const tab of ["Lists", "Messages"]) {
          await page.getByRole("tab", { name: tab }).click();
          await expectAccessible(page, tab);
        }
      });
    });
  }

  test.describe(`${theme}, phone`, () => {
    test.use({ viewport: PHONE, hasTouch: true, isMobile: true });

    test("no violation, and targets for a thumb", async ({ page, market }) => {
      await begin(page, market, theme);
      for (const tab of ["Chart", "Ladder", "Book", "Trades"]) {
        await page.getByRole("tab", { name: tab, exact: true }).click();
        await expectAccessible(page, tab);
        await expectThumbs(page, tab);
        await expectNoOverflow(page);
      }
      for (const view of ["Markets", "Orders"]) {
        await page.getByRole("navigation").getByRole("button", { name: view }).click();
        await expectAccessible(page, view);
        await expectThumbs(page, view);
      }
      await page.getByRole("navigation").getByRole("button", { name: "Trade" }).click();
      await page.getByRole("button", { name: "Buy", exact: true }).click();
      await expect(page.getByTestId("order-ticket")).toBeVisible();
      await expectAccessible(page, "ticket");
      await expectThumbs(page, "ticket");
      await expectNoOverflow(page);
    });
  });
}

test("the way in has no violation", async ({ page, market }) => {
  await page.goto(market.open);
  await expect(page.getByTestId("sign-in-demo-alice")).toBeVisible();
  await expectAccessible(page, "with a code");
  await page.goto(market.url);
  await page.reload();
  await expect(page.getByText("This is a demo")).toBeVisible();
  await expectAccessible(page, "without a code");
});

/** With an open order and a fill, so that no table is empty. */
async function begin(page: Page, venue: Venue, theme: string): Promise<void> {
  await page.addInitScript((name) => localStorage.setItem("buttonwood.theme", JSON.stringify(name)), theme);
  await signIn(page, venue);
  await venue.order("alice", { side: "BUY", price: "50000" });
  await venue.order("alice", { side: "BUY", type: "MARKET", quantity: "0.01" });
}

async function expectNoOverflow(page: Page): Promise<void> {
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(overflow, "pixels wider than the screen").toBeLessThanOrEqual(0);
}

/** What a thumb is to hit is 44 pixels high and wide, links in a text aside. */
async function expectThumbs(page: Page, what: string): Promise<void> {
  const small = await page.evaluate(() => {
    const targets = document.querySelectorAll("button, select, input, summary, [role=tab]");
    return [...targets].flatMap((target) => {
      // A row that is tapped does what the name or the state in it does.
      const isOfRow = target.matches(".instruments-name, .dock-link");
      const { width, height } = (target.closest(isOfRow ? "[role=row]" : "label") ?? target).getBoundingClientRect();
      const isShown = width > 0 && target.checkVisibility({ visibilityProperty: true });
      const name = `${target.tagName} ${target.getAttribute("aria-label") ?? target.textContent} `;
      return isShown && (height < 43.5 || width < 43.5) ? [`${name}${width.toFixed(0)}x${height.toFixed(0)}`] : [];
    });
  });
  expect.soft(small, what).toEqual([]);
}
