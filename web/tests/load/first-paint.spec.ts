// How soon the page is there.
import { loadsOf } from "../fixture/load";
import { expect, test } from "../fixture/test";

const PAINT_MAX_MS = 300;
const MARKET_MAX_MS = 1_000;
/** The best of some loads: the machine of a test has other work. */
const LOADS = 5;

test("the first paint and the market", async ({ browser, market }) => {
  const loads = await loadsOf(browser, market.url, LOADS);
  console.log(JSON.stringify(loads, null, 1));
  const best = (name: "paintMs" | "marketMs") => Math.min(...loads.map((load) => load[name] ?? Infinity));
  expect(best("paintMs")).toBeLessThanOrEqual(PAINT_MAX_MS);
  expect(best("marketMs")).toBeLessThanOrEqual(MARKET_MAX_MS);
});
