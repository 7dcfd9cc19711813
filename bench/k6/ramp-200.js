// 200 users that join over a ramp, as in `buttonwood bench ramp-200`: 80 % limit orders, 20 % market
// orders, and a book that keeps its 15,000 orders. Each user takes one resting order and puts it back.
// Run it with bench/run, which starts a venue, fills its book and says whose keys there are.
import crypto from "k6/crypto";
import http from "k6/http";
import { check, sleep } from "k6";
import { Counter, Trend } from "k6/metrics";
import { summary, text } from "./summary.js";

const url = __ENV.BUTTONWOOD_URL;
const accounts = JSON.parse(open(__ENV.BUTTONWOOD_KEYS)).accounts;
const latency = new Trend("order_ms", true);
const refused = new Counter("orders_refused");
const seconds = (share) => `${Math.round(Number(__ENV.DURATION || 300) * share)}s`;

export const options = {
  scenarios: {
    ramp: {
      executor: "ramping-vus",
      stages: [
        { duration: seconds(0.2), target: 50 },
        { duration: seconds(0.2), target: 100 },
        { duration: seconds(0.2), target: 200 },
        { duration: seconds(0.3), target: 200 },
        { duration: seconds(0.1), target: 0 },
      ],
      // A user that leaves puts back what it has taken.
      gracefulRampDown: "30s",
      gracefulStop: "30s",
    },
  },
  summaryTrendStats: ["min", "avg", "med", "p(75)", "p(90)", "p(95)", "p(99)", "p(99.9)", "max"],
  thresholds: {
    orders_refused: ["count==0"],
    order_ms: [`p(95)<${__ENV.P95_MS || 50}`],
  },
};

// Half of all orders take; of these, 40 % are market orders.
const TAKING_MARKET_SHARE = 0.4;
// The size of each resting order, so that a taker fills one completely.
const QUANTITY = "0.10";
// A user without pauses waits for k6 only, which signs in JavaScript. The average; each is drawn.
const PAUSE_S = Number(__ENV.PAUSE_MS || 0) / 1000;
// Beyond all resting orders of the other side.
const CROSSING = { BUY: "50200.00", SELL: "49800.00" };

function send(key, kind, order) {
  const query = `symbol=BTCUSDT&quantity=${QUANTITY}&${order}&recvWindow=60000&timestamp=${Date.now()}`;
  const signature = crypto.hmac("sha256", key.secret_key, query, "hex");
  const params = { headers: { "X-MBX-APIKEY": key.api_key }, tags: { name: "order", kind } };
  const response = http.post(`${url}/api/v3/order?${query}&signature=${signature}`, null, params);
  latency.add(response.timings.duration, { kind });
  sleep(2 * PAUSE_S * Math.random());
  if (check(response, { "the order is taken": (r) => r.status === 200 })) return response;
  refused.add(1);
  console.warn(`${kind} order refused: ${response.status} ${response.body}`);
  return null;
}

export default function () {
  const key = accounts[(__VU - 1) % accounts.length];
  const side = Math.random() < 0.5 ? "BUY" : "SELL";
  const taken =
    Math.random() < TAKING_MARKET_SHARE
      ? send(key, "market", `side=${side}&type=MARKET`)
      : send(key, "limit", `side=${side}&type=LIMIT&timeInForce=GTC&price=${CROSSING[side]}`);
  const price = taken?.json("fills.0.price");
  if (!price) return;
  const other = side === "BUY" ? "SELL" : "BUY";
  send(key, "limit", `side=${other}&type=LIMIT&timeInForce=GTC&price=${price}`);
}

export function handleSummary(data) {
  return { stdout: text(data, "order_ms"), ...summary(data, "k6-ramp-200", "order_ms") };
}
