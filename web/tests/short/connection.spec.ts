// What the page shows, and refuses, while it does not hear from the venue; and that it misses nothing.
import { expectRows, fillTicket, makeMarket, PRICE, rows, submit } from "../fixture/desk";
import { CONNECTION_FAILED, expect, isLive, Relay, signIn, test, type Venue } from "../fixture/test";

const AWAY_MS = 10_000;
/** Ahead of what bob offers, so that bob's buy trades with it. */
const BETTER = String(PRICE + 5);

test("connections end for ten seconds: nothing is missed, nothing doubled", async ({ page, venue, complaints }) => {
  complaints.allow(CONNECTION_FAILED);
  await makeMarket(venue);
  const relay = await Relay.start(venue.address);
  await signIn(page, venue, "alice", relay.url);
  await fillTicket(page, { side: "sell", type: "LIMIT", price: BETTER, qty: "0.5" });
  await submit(page);
  await expectRows(page, "open-orders", 1);
  const before = await rows(page, "fills").count();

  relay.cut();
  await expect(page.getByTestId("connection")).toHaveAttribute("data-state", "stale");
  await expect(page.getByTestId("ticket-submit")).toBeDisabled();
  await expect(page.getByTestId("order-ticket")).toHaveAttribute("data-state", "stale");
  await tradeMeanwhile(venue);
  await page.waitForTimeout(AWAY_MS);
  // What the page knew still stands, and is marked.
  await expectRows(page, "open-orders", 1);

  relay.restore();
  await isLive(page);
  await expectSame(page, venue, before);
  await expect(page.getByRole("log")).toContainText(/events? of the account caught up/);
  await relay.stop();
});

test("a connection is silent for ten seconds, and what was held up then arrives", async ({
  page,
  venue,
  complaints,
}) => {
  complaints.allow(CONNECTION_FAILED);
  await makeMarket(venue);
  const relay = await Relay.start(venue.address);
  await signIn(page, venue, "alice", relay.url);
  await venue.order("alice", { side: "SELL", price: BETTER, quantity: "0.5" });
  await expectRows(page, "open-orders", 1);
  const before = await rows(page, "fills").count();

  relay.hold();
  await expect(page.getByTestId("connection")).toHaveAttribute("data-state", "stale");
  await expect(page.getByTestId("ticket-submit")).toBeDisabled();
  await tradeMeanwhile(venue);
  await page.waitForTimeout(AWAY_MS);
  // The page has given its connections up by now; new ones are held, too.
  await expect(page.getByTestId("connection")).toHaveAttribute("data-state", "stale");
  await expectRows(page, "open-orders", 1);
  relay.restore();
  await isLive(page);
  await expectSame(page, venue, before);
  await relay.stop();
});

test("a page that slept for an hour without a connection misses nothing", async ({ page, venue, complaints }) => {
  complaints.allow(CONNECTION_FAILED);
  await page.clock.install();
  await makeMarket(venue);
  const relay = await Relay.start(venue.address);
  await signIn(page, venue, "alice", relay.url);
  await venue.order("alice", { side: "SELL", price: BETTER, quantity: "0.5" });
  await expectRows(page, "open-orders", 1);
  const before = await rows(page, "fills").count();
  relay.cut();
  await tradeMeanwhile(venue);
  await page.clock.fastForward("01:00:00");
  await expect(page.getByTestId("connection")).toHaveAttribute("data-state", "stale");
  await expect(page.getByTestId("ticket-submit")).toBeDisabled();
  relay.restore();
  await isLive(page);
  await expectSame(page, venue, before);
  await relay.stop();
});

test("the venue restarts: the page comes back by itself, signed in, and trades", async ({
  page,
  venue,
  complaints,
}) => {
  complaints.allow(CONNECTION_FAILED);
  await makeMarket(venue);
  await signIn(page, venue);
  await fillTicket(page, { side: "sell", type: "LIMIT", price: BETTER, qty: "0.5" });
  await submit(page);
  await expectRows(page, "open-orders", 1);
  const before = await rows(page, "fills").count();
  await venue.restart();
  await isLive(page);
  await expectRows(page, "open-orders", 1);
  await expect(page.getByTestId("ticket-submit")).toBeEnabled();
  await venue.order("bob", { side: "BUY", price: BETTER, quantity: "0.5" });
  await expectRows(page, "open-orders", 0);
  await expectRows(page, "fills", before + 1);
});

test("a read model that lags: the fills say that earlier ones are being read, and then have each once", async ({
  page,
  venue,
}) => {
  await makeMarket(venue);
  let isBehind = true;
  await page.routeWebSocket(/\/ws-api\//, (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((text) => {
      const { id, method } = JSON.parse(String(text));
      const error = { code: -1008, msg: "The read model is behind." };
      if (isBehind && method === "myTrades") socket.send(JSON.stringify({ id, status: 503, error }));
      else server.send(text);
    });
  });
  await signIn(page, venue);
  const fills = page.getByTestId("fills");
  await expect(fills).toContainText("Earlier fills are being read");
  // What happens meanwhile is an event of the account, and shown.
  await fillTicket(page, { side: "buy", type: "MARKET", qty: "0.2" });
  await submit(page);
  await expectRows(page, "fills", 1);
  const says = page.getByRole("status").filter({ hasText: "Earlier fills are being read" });
  await expect(says).toBeVisible();
  isBehind = false;
  await expectRows(page, "fills", 2);
  await expect(says).toHaveCount(0);
});

/** One order fills, one comes, one comes and goes. */
async function tradeMeanwhile(venue: Venue): Promise<void> {
  await venue.order("bob", { side: "BUY", price: BETTER, quantity: "0.5" });
  await venue.order("alice", { side: "BUY", price: "58000", quantity: "0.1" });
  const { orderId } = await venue.order("alice", { side: "BUY", price: "58100", quantity: "0.1" });
  await venue.signed("alice", "DELETE", "order", { symbol: "BTCUSDT", orderId });
}

async function expectSame(page: Parameters<typeof rows>[0], venue: Venue, fillsBefore: number): Promise<void> {
  await expectRows(page, "open-orders", 1);
  await expect(rows(page, "open-orders")).toContainText(/58.?000/);
  expect(await venue.openOrders("alice")).toHaveLength(1);
  await expectRows(page, "fills", fillsBefore + 1);
  const traded = await venue.signed("alice", "GET", "myTrades", { symbol: "BTCUSDT" });
  expect(traded).toHaveLength(fillsBefore + 1);
}
