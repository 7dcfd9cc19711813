// What others send, and what goes wrong on this machine, is shown truthfully; nothing of it is executed.
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { expectRows, fillTicket, makeMarket, rows, submit } from "../fixture/desk";
import { Feed } from "../fixture/feed";
import { CONNECTION_FAILED, expect, isLive, signIn, test } from "../fixture/test";

test("the policy is strict, and a breach would be seen by these tests", async ({ page, venue, complaints }) => {
  const response = await page.goto(venue.url);
  const policy = response?.headers()["content-security-policy"] ?? "";
  const wanted = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ];
  for (const part of wanted) expect(policy.split("; ")).toContain(part);
  expect(response?.headers()["x-content-type-options"]).toBe("nosniff");
  complaints.allow(/policy|Content Security Policy|Trusted|request: https:\/\/example\.com|ERR_|Refused|Fetch API/);
  await page.evaluate(() => {
    const script = document.createElement("script");
    script.append("window.isBroken = true");
    document.body.append(script);
    fetch("https://example.com/").catch(() => {});
    try {
      document.body.insertAdjacentHTML("beforeend", "<img>");
    } catch {
      // As it must.
    }
  });
  await expect.poll(() => complaints.list.filter((text) => text.includes("policy: ")).length).toBeGreaterThanOrEqual(3);
  expect(await page.evaluate(() => "isBroken" in window)).toBe(false);
});

test("a page of another origin reads nothing and changes nothing", async ({ page, venue, context, complaints }) => {
  complaints.allow(/./);
  await signIn(page, venue);
  const hostile = createServer((_, response) => response.end("<title>hostile</title>"));
  await new Promise<void>((listening) => hostile.listen(0, "127.0.0.1", listening));
  // Another port is another origin, and for cookies the same site: the harder case.
  const stranger = await context.newPage();
  await stranger.goto(`http://127.0.0.1:${(hostile.address() as AddressInfo).port}`);
  const got = await stranger.evaluate(async (url) => {
    const attempt = async (path: string, init?: RequestInit) => {
      const answer = await fetch(url + path, { credentials: "include", ...init }).catch(() => null);
      return answer === null ? "refused" : `${answer.type} ${answer.status} ${await answer.text()}`;
    };
    const json = { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"everywhere":true}' };
    const plain = { method: "POST", headers: { "Content-Type": "text/plain" }, body: '{"everywhere":true}' };
    const socket = await new Promise<string>((resolve) => {
      const opened = new WebSocket(`${url.replace("http", "ws")}/ws-api/v3`);
      opened.onopen = () => resolve("open");
      opened.onerror = () => resolve("refused");
    });
    return {
      session: await attempt("/web/v1/session"),
      json: await attempt("/web/v1/sign-out", json),
      plain: await attempt("/web/v1/sign-out", { ...plain, mode: "no-cors" }),
      socket,
    };
  }, venue.url);
  expect(got).toEqual({ session: "refused", json: "refused", plain: "opaque 0 ", socket: "refused" });
  const frame = await stranger.evaluate((url) => {
    const element = document.createElement("iframe");
    element.src = url;
    document.body.append(element);
    return new Promise<boolean>((resolve) => {
      element.onload = () => resolve(element.contentDocument === null);
      setTimeout(() => resolve(true), 2_000);
    });
  }, venue.url);
  expect(frame).toBe(true);
  expect(stranger.frames().every((one) => !one.url().startsWith(venue.url))).toBe(true);
  hostile.close();
  await page.bringToFront();
  await page.reload();
  await expect(page.getByRole("button", { name: "Account alice" })).toBeVisible();
  const known = await page.evaluate(() => fetch("/web/v1/session").then((answer) => answer.json()));
  expect(known.signedIn, "the sign-out of the hostile page had no effect").toBe(true);
});

test("a name that rebinds to this machine is refused", async ({ venue }) => {
  for (const path of ["/", "/web/v1/session", "/api/v3/time"]) {
    expect(await statusFor(venue.url + path, "rebound.example.com")).toBeGreaterThanOrEqual(400);
    expect(await statusFor(venue.url + path, venue.address)).toBe(200);
  }
});

test("a stolen cookie is worth nothing after the sign-out", async ({ page, venue, context }) => {
  await signIn(page, venue);
  const stolen = (await context.cookies()).find(({ name }) => name === "bw_session");
  expect(stolen).toMatchObject({ httpOnly: true, sameSite: "Strict" });
  expect(await page.evaluate(() => document.cookie)).toBe("");
  const headers = { Cookie: `bw_session=${stolen?.value}` };
  const session = async () => (await fetch(`${venue.url}/web/v1/session`, { headers })).json();
  expect((await session()).signedIn).toBe(true);
  await page.getByRole("button", { name: "Account alice" }).click();
  await page.getByRole("button", { name: "Sign out", exact: true }).click();
  await expect(page.getByText("not signed in")).toBeVisible();
  expect((await session()).signedIn).toBe(false);
  const keys = await fetch(`${venue.url}/web/v1/keys`, {
    method: "POST",
    headers: { ...headers, "Content-Type": "application/json" },
    body: JSON.stringify({ publicKey: Buffer.alloc(32, 1).toString("base64") }),
  });
  expect(keys.status).toBe(401);
});

test("many sign-ins are slowed, and the page says so", async ({ page, venue, complaints }) => {
  complaints.allow(/Failed to load resource/);
  const attempt = () =>
    fetch(`${venue.url}/web/v1/sign-in`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ code: "a-wrong-code-of-a-demo", account: "alice" }),
    });
  const answers = await Promise.all(Array.from({ length: 200 }, attempt));
  const slowed = answers.filter(({ status }) => status === 429);
  expect(slowed.length).toBeGreaterThan(150);
  expect(Number(slowed[0]?.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(answers.every(({ status }) => status === 429 || status === 401)).toBe(true);
  await page.goto(`${venue.url}/#another-wrong-code`);
  await page.getByTestId("sign-in-demo-alice").click();
  await expect(page.getByRole("alert").filter({ hasText: /\w/ })).toBeVisible();
  await expect(page.getByTestId("ticket-submit")).toBeDisabled();
});

const MARKUP = "<b>x</b><img src=x onerror=window.isBroken=1>'\"{{1+1}}=cmd()";

test("markup in names of markets and of orders stays text", async ({ page }) => {
  // The venue refuses such names: a stand-in has them.
  const feed = await Feed.start({ names: [`${MARKUP}USDT`], openOrders: 2, clientOrderId: MARKUP });
  await page.goto(`${feed.url}/#a-code-of-the-demo`);
  await page.getByTestId("sign-in-demo-alice").click();
  await expectRows(page, "open-orders", 2);
  await feed.sendFills(1, MARKUP);
  await expectRows(page, "fills", 1);
  await expect(page.getByTestId("instruments")).toContainText(MARKUP);
  await rows(page, "open-orders").first().getByTitle("Life of this order").click();
  await expect(page.getByTestId("order-life")).toContainText(MARKUP);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+k");
  await page.getByTestId("palette-query").fill("<b>x");
  await expect(page.getByTestId("palette-dialog")).toContainText(MARKUP);
  await page.keyboard.press("Enter");
  await expect(page.locator(".top-market")).toContainText(MARKUP);
  expect(await page.evaluate(() => document.querySelectorAll("#page b:not(.number), #page img").length)).toBe(0);
  expect(await page.evaluate(() => "isBroken" in window)).toBe(false);
  await feed.stop();
});

for (const offMs of [60_000, -60_000]) {
  test(`a clock that is a minute ${offMs > 0 ? "ahead" : "behind"}`, async ({ page, venue }) => {
    await makeMarket(venue);
    await page.addInitScript((ms) => {
      const now = Date.now.bind(Date);
      Date.now = () => now() + ms;
    }, offMs);
    await signIn(page, venue);
    await isLive(page);
    await fillTicket(page, { side: "buy", type: "LIMIT", price: "59000", qty: "0.1" });
    await submit(page);
    await expect(rows(page, "open-orders").first()).toContainText("accepted");
    await expect(page.getByRole("contentinfo")).toContainText(`clock is 60 s ${offMs > 0 ? "ahead" : "behind"}`);
  });
}

test("numbers beyond 2^53 are exact", async ({ page, venue }) => {
  // More units of 10^-8 than a float counts one by one.
  const amount = "123456789012.34567891";
  await venue.operate("POST", "/deposits", { account: "alice", asset: "USDT", amount, external_ref: "large" });
  const { balances } = await venue.signed("alice", "GET", "account");
  const { free } = balances.find(({ asset }: { asset: string }) => asset === "USDT");
  await signIn(page, venue);
  const shown = rows(page, "balances").filter({ hasText: "USDT" });
  await expect.poll(async () => (await shown.allTextContents()).join().replace(/[^\d.]/g, "")).toContain(free);
  expect(free).toBe("123457789012.34567891");
});

test("a tab that slept says so, and catches up", async ({ page, venue, complaints }) => {
  complaints.allow(CONNECTION_FAILED);
  await makeMarket(venue);
  await signIn(page, venue);
  await expectRows(page, "open-orders", 0);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Page.setWebLifecycleState", { state: "frozen" });
  await venue.order("alice", { side: "BUY", price: "58000", quantity: "0.1" });
  await new Promise((resolve) => setTimeout(resolve, 8_000));
  await devtools.send("Page.setWebLifecycleState", { state: "active" });
  await isLive(page);
  await expectRows(page, "open-orders", 1);
});

function statusFor(url: string, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    request(url, { headers: { Host: host } }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on("error", reject)
      .end();
  });
}
