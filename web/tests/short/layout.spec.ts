// Whether the page stays where it is while it loads.
import { loadsOf } from "../fixture/load";
import { expect, test } from "../fixture/test";

const SHIFT_MAX = 0.02;

test("nothing moves while the page loads", async ({ browser, market, complaints }) => {
  const loads = await loadsOf(browser, market.url, 2);
  for (const { shift, shifted } of loads) expect(shift, shifted.join("\n")).toBeLessThan(SHIFT_MAX);
  expect(complaints.list).toEqual([]);
});
