// Orders over REST, as in `buttonwood bench rest-mix`: each virtual user waits for its answer.
// Run it with bench/run, which starts a venue and says where it is and whose keys there are.
import crypto from "k6/crypto";
import http from "k6/http";
import { check } from "k6";
import { Counter, Trend } from "k6/metrics";
import { summary, text } from "./summary.js";

const url = __ENV.BUTTONWOOD_URL;
const accounts = JSON.parse(open(__ENV.BUTTONWOOD_KEYS)).accounts;
const latency = new Trend("order_ms", true);
const refused = new Counter("orders_refused");

export const options = {
  vus: Number(__ENV.CLIENTS || 4),
  duration: `${__ENV.DURATION || 20}s`,
  summaryTrendStats: ["min", "avg", "med", "p(75)", "p(90)", "p(95)", "p(99)", "p(99.9)", "max"],
  thresholds: {
    orders_refused: ["count==0"],
    order_ms: [`p(99)<${__ENV.P99_MS || 50}`],
  },
};

const KINDS = [
  ["market", 25, "type=MARKET"],
  ["limit", 50, "type=LIMIT&timeInForce=GTC"],
  ["ioc", 15, "type=LIMIT&timeInForce=IOC"],
  ["fok", 10, "type=LIMIT&timeInForce=FOK"],
];

function draw() {
  let left = Math.random() * 100;
  const [name, , terms] = KINDS.find(([, share]) => (left -= share) < 0) || KINDS[1];
  const side = Math.random() < 0.5 ? "BUY" : "SELL";
  const quantity = (0.1 + Math.random() * 1.9).toFixed(2);
  const price = (49900 + Math.random() * 200).toFixed(2);
  const priced = name === "market" ? "" : `&price=${price}`;
  return [name, `symbol=BTCUSDT&side=${side}&${terms}${priced}&quantity=${quantity}`];
}

export default function () {
  const key = accounts[(__VU - 1) % accounts.length];
  const [kind, order] = draw();
  const query = `${order}&recvWindow=5000&timestamp=${Date.now()}`;
  const signature = crypto.hmac("sha256", key.secret_key, query, "hex");
  const params = { headers: { "X-MBX-APIKEY": key.api_key }, tags: { name: "order", kind } };
  const response = http.post(`${url}/api/v3/order?${query}&signature=${signature}`, null, params);
  latency.add(response.timings.duration, { kind });
  if (!check(response, { "the order is taken": (r) => r.status === 200 })) refused.add(1);
}

export function handleSummary(data) {
  return { stdout: text(data, "order_ms"), ...summary(data, "k6-rest-mix", "order_ms") };
}
